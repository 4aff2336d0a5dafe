/** Tells the thread that answers for the health of a gateway how the gateway is. */
import type { Settings } from '../../config/config.ts'
import type { Gateway } from '../../gateway/create-gateway.ts'
import type { Environment } from './environment.ts'
import { startHealthThread } from './health-thread.ts'
import { listenFailure } from './listen.ts'

export interface HealthWatch {
  readonly port: number
  close(): Promise<void>
}

const beatEveryMs = 200
/** Looking costs a write to the store. */
const lookEveryMs = 2_000

/** `undefined` where no port is configured. */
export async function watchHealth(
  { host, healthPort }: Pick<Settings, 'host' | 'healthPort'>,
  gateway: Pick<Gateway, 'readiness'>,
  world: Pick<Environment, 'every'>,
  /** What shows that it lives: that the event loop of this process turns, or that others answer. */
  lives: 'here' | 'answers' = 'here',
): Promise<HealthWatch | undefined> {
  if (healthPort === undefined) return undefined
  const thread = await startHealthThread(host, healthPort).catch((error: NodeJS.ErrnoException) => {
    throw listenFailure(error, host, healthPort, '--health-port')
  })
  const look = async (): Promise<void> => {
    thread.set((await gateway.readiness()).status)
    thread.beat()
  }
  await look()
  const stops = [
    ...(lives === 'here' ? [world.every(beatEveryMs, thread.beat)] : []),
    // Nobody who answers is no sign of life.
    world.every(lookEveryMs, () => void look().catch(() => {})),
  ]
  return {
    port: thread.port,
    async close() {
      for (const stop of stops) stop()
      await thread.close()
    },
  }
}

/** The background responses that run in this process: how many there may be, and how they are cancelled. */
import type { Clock } from '../../platform/clock.ts'
import { OwnerShares } from '../../platform/owner-shares.ts'
import type { Store } from '../../store/store.ts'
import { GatewayError, retryLater, shuttingDown, unavailable } from '../errors.ts'
import type { Limits } from '../settings.ts'

export interface BackgroundRuns {
  /**
   * Refuses when too many run, of all or of this share. Resolves when the receipt is stored; from then on the work goes on without its client.
   */
  start(owner: string, id: string, share: string, job: BackgroundJob): Promise<void>
  /** Aborts the work and waits for its end; `false` when it is not running here. */
  cancel(owner: string, id: string): Promise<boolean>
  /** Aborts everything that runs, and refuses what comes later. */
  stop(): void
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>
  /** How many run. */
  readonly size: number
}

interface BackgroundJob {
  saveReceipt(): Promise<void>
  /** Never rejects. */
  work(abort: AbortController): Promise<void>
}

/** How soon the work on a response ends that another gateway on the same store cancels or deletes. */
const lookMs = 1_000

/** Without a store, nothing runs in the background. */
export function createBackgroundRuns(
  limits: Pick<Limits, 'background' | 'keyBackground'>,
  store: Store | undefined,
  clock: Clock,
): BackgroundRuns {
  const shares = new OwnerShares()
  const running = new Map<string, { abort: AbortController; done: Promise<void> }>()
  const keyOf = (owner: string, id: string): string => `${owner} ${id}`
  let isStopped = false
  let stopLooking: (() => void) | undefined

  const stopWork = (owner: string, id: string): Promise<void> | undefined => {
    const found = running.get(keyOf(owner, id))
    found?.abort.abort(new GatewayError('server', 'The response was cancelled.', { code: 'cancelled' }))
    return found?.done
  }
  const look = async (): Promise<void> => {
    stopLooking = undefined
    // A store in trouble is looked at again.
    const stopped = await store?.responsesToStop().catch(() => [])
    for (const { owner, id } of stopped ?? []) void stopWork(owner, id)
    lookLater()
  }
  const lookLater = (): void => {
    if (running.size > 0) stopLooking ??= clock.after(lookMs, () => void look())
  }
  const remove = (key: string): void => {
    running.delete(key)
    if (running.size > 0) return
    stopLooking?.()
    stopLooking = undefined
  }

  return {
    async start(owner, id, share, { saveReceipt, work }) {
      if (isStopped) throw shuttingDown()
      const { background, keyBackground } = limits
      if (running.size >= background) {
        throw unavailable(`${background} background responses are already being worked on.`, {
          code: 'too_many_background_responses',
        })
      }
      if (shares.of(share) >= keyBackground) throw tooManyOfKey(keyBackground)
      const key = keyOf(owner, id)
      const abort = new AbortController()
      const saved = saveReceipt()
      const done = saved.then(
        () => work(abort),
        () => {},
      )
      shares.add(share, 1)
      const end = (): void => {
        shares.add(share, -1)
        remove(key)
      }
      running.set(key, { abort, done: done.finally(end) })
      lookLater()
      await saved
    },
    async cancel(owner, id) {
      const done = stopWork(owner, id)
      await done
      return done !== undefined
    },
    stop() {
      isStopped = true
      for (const { abort } of running.values()) {
        abort.abort(new GatewayError('server', 'The gateway was stopped.', { code: 'server_restart' }))
      }
    },
    async settled() {
      await Promise.all([...running.values()].map(({ done }) => done))
    },
    get size() {
      return running.size
    },
  }
}

function tooManyOfKey(limit: number): GatewayError {
  return new GatewayError(
    'rate_limit',
    `${limit} background responses of this key are already being worked on.`,
    { code: 'too_many_background_responses', headers: retryLater },
  )
}

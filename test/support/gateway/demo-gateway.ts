/** The gateway's command with its demo model, as a separate process on a free port. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../house/source.ts'

export interface DemoGateway {
  readonly url: string
  stop(): Promise<void>
}

/** The packages must be built. */
export async function startDemoGateway(config: string): Promise<DemoGateway> {
  const command = join(root, 'packages/toolwire/bin/toolwire.js')
  const flags = ['--demo', '--config', config, '--port', '0', '--store', 'none', '--quiet']
  const child = spawn(process.execPath, [command, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), exited])
  if (typeof url !== 'string') throw new Error(`The gateway ended at once, with ${url}.`)
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

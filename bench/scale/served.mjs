/** `toolwire serve` as users start it, for what is measured beyond one process and one file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start, stop } from '../lib/children.mjs'
import { processTree } from '../lib/process-usage.mjs'

const bin = fileURLToPath(new URL('../../packages/toolwire/bin/toolwire.js', import.meta.url))

async function free() {
  const { createServer } = await import('node:net')
  const server = createServer()
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise(resolve => server.close(resolve))
  return port
}

/** @param {{ upstreamPort: number, args?: readonly string[], env?: Record<string, string> }} given */
export async function startServed({ upstreamPort, args = [], env = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-served-'))
  const config = join(folder, 'config.json')
  const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`
  writeFileSync(
    config,
    JSON.stringify({ upstreams: [{ name: 'chat', wire: 'chat', baseUrl, apiKey: 'sk-bench-dummy' }] }),
  )
  const port = await free()
  const words = [bin, 'serve', '--config', config, '--port', String(port), '--quiet', ...args]
  const child = start(process.execPath, words, { cwd: folder, env: { XDG_STATE_HOME: folder, ...env } })
  const get = async path => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  for (let tries = 0; !(await get('/ready').catch(() => '')).includes('"ready"'); tries++) {
    if (tries > 300 || child.exitCode !== null) throw new Error(`toolwire ${args.join(' ')} did not start.`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return {
    port,
    folder,
    get,
    pids: () => processTree(child.pid),
    async stop() {
      await stop(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

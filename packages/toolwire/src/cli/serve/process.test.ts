/** The gateway as users start it: a process of its own, requests pasted into a shell, signals. */
import { type ChildProcess, execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltCommand, buildCommand } from './built-command.test-helper.ts'

const run = promisify(execFile)

let command: BuiltCommand
let state: string
const children: ChildProcess[] = []

beforeAll(async () => {
  command = await buildCommand()
  state = mkdtempSync(join(tmpdir(), 'toolwire-state-'))
}, 60_000)

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

afterAll(() => {
  command.remove()
  rmSync(state, { recursive: true, force: true })
})

interface Served {
  readonly child: ChildProcess
  /** What is printed once it is ready. */
  readonly ready: string
  readonly url: string
  readonly exit: Promise<number | null>
}

async function serve(...argv: string[]): Promise<Served> {
  const child = command.start(['serve', '--port', '0', ...argv], { XDG_STATE_HOME: state })
  children.push(child)
  const exit = new Promise<number | null>(resolve => child.once('exit', resolve))
  let ready = ''
  let complaints = ''
  child.stderr?.on('data', chunk => {
    complaints += String(chunk)
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', chunk => {
      ready += String(chunk)
      if (/# Anthropic Messages\n.*\n/.test(ready)) resolve()
    })
    child.once('exit', () => reject(new Error(`It ended before it was ready: ${complaints}`)))
  })
  return { child, ready, url: /http:\/\/127\.0\.0\.1:\d+/.exec(ready)?.[0] ?? '', exit }
}

describe('toolwire serve', { timeout: 30_000 }, () => {
  test('"toolwire serve" starts without a key, and each example line, as pasted, returns a tool call.', async () => {
    const { ready, child, exit } = await serve()
    expect(ready).toMatch(/toolwire \d+\.\d+\.\d+ ready in \d+ ms/)
    expect(ready).toContain(join(state, 'toolwire', 'responses.sqlite'))
    const lines = ready.split('\n').filter(line => line.trimStart().startsWith('curl '))
    const answers = await Promise.all(
      lines.map(async line => JSON.parse((await run('bash', ['-c', line])).stdout) as unknown),
    )
    expect(answers).toMatchObject([
      {
        choices: [
          { message: { tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }] } },
        ],
      },
      {
        status: 'completed',
        output: [{ type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}' }],
      },
      {
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', name: 'get_weather', input: { city: 'Oslo' } }],
      },
    ])
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })

  test('"toolwire serve" keeps stored responses over a restart.', async () => {
    const first = await serve()
    const body = { model: 'demo', input: 'Hello' }
    const made = await fetch(`${first.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { id } = (await made.json()) as { id: string }
    first.child.kill('SIGINT')
    expect(await first.exit).toBe(0)
    const second = await serve()
    const found = await fetch(`${second.url}/v1/responses/${id}`)
    expect(await found.json()).toMatchObject({ id, status: 'completed' })
  })

  test('"toolwire serve" finishes a running exchange before it exits.', async () => {
    const { url, child, exit } = await serve('--store', 'memory')
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo-slow',
        stream: true,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    })
    child.kill('SIGTERM')
    expect(await response.text()).toMatch(/data: \[DONE\]\s*$/)
    expect(await exit).toBe(0)
  })

  test('"toolwire serve" exits at once at the second signal.', async () => {
    const { url, child, exit } = await serve('--store', 'none')
    const stalled = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo-stall',
        stream: true,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    })
    const told = new Promise<void>(resolve =>
      child.stderr?.on('data', text => /Stopping/.test(String(text)) && resolve()),
    )
    child.kill('SIGINT')
    await told
    child.kill('SIGINT')
    expect(await exit).toBe(130)
    await stalled.text().catch(() => {})
  })
})

describe('a program as configuration', { timeout: 30_000 }, () => {
  const source = 'export default { upstreams: [], shutdownMs: 1 }\n'
  const canRunTypeScript = Boolean(Reflect.get(process.features, 'typescript'))

  test('A program as configuration is run.', async () => {
    const file = join(state, 'toolwire.config.js')
    writeFileSync(file, source)
    const { ready } = await serve('--config', file, '--store', 'none')
    expect(ready).toContain(`Config     ${file}`)
  })

  test('A program in TypeScript is run, or refused with the reason.', async () => {
    const file = join(state, 'toolwire.config.ts')
    writeFileSync(file, source)
    const started = serve('--config', file, '--store', 'none')
    if (canRunTypeScript) expect((await started).ready).toContain(file)
    else await expect(started).rejects.toThrow('cannot run TypeScript')
  })
})

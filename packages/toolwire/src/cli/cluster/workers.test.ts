/** `toolwire serve --workers` as users start it: several processes that behave as one gateway. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { childrenOf } from '../../../../../test/support/house/child-processes.ts'
import { type BuiltCommand, buildCommand } from '../serve/built-command.test-helper.ts'

let command: BuiltCommand
let state: string
const children: ChildProcess[] = []

beforeAll(async () => {
  command = await buildCommand()
  state = mkdtempSync(join(tmpdir(), 'toolwire-workers-'))
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
  readonly url: string
  readonly healthUrl?: string
  readonly printed: { stderr: string }
  readonly exit: Promise<number | null>
}

function start(...argv: string[]): Omit<Served, 'url'> & { readonly output: { stdout: string } } {
  const model = argv.includes('--upstream') ? [] : ['--demo']
  const words = ['serve', '--port', '0', '--json', '--workers', '2', ...model, ...argv]
  const child = command.start(words, { XDG_STATE_HOME: state })
  children.push(child)
  const printed = { stderr: '' }
  const output = { stdout: '' }
  child.stderr?.on('data', chunk => {
    printed.stderr += String(chunk)
  })
  child.stdout?.on('data', chunk => {
    output.stdout += String(chunk)
  })
  return { child, printed, output, exit: new Promise(resolve => child.once('exit', resolve)) }
}

async function serve(...argv: string[]): Promise<Served> {
  const { output, ...started } = start(...argv)
  const ended = started.exit.then(() => Promise.reject(new Error(started.printed.stderr)))
  ended.catch(() => {})
  await Promise.race([until(() => output.stdout.includes('\n')), ended])
  return { ...started, ...(JSON.parse(output.stdout) as { url: string; healthUrl?: string }) }
}

/** Nothing listens there. */
async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(20)
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly cookie?: string
}

/** On a connection of its own, which the next worker gets. */
function send(
  url: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    })
    sent.once('error', reject)
    sent.once('response', response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += String(chunk)
      })
      response.once('error', reject)
      const [cookie] = response.headers['set-cookie'] ?? []
      const status = response.statusCode ?? 0
      response.once('end', () => resolve({ status, text, ...(cookie !== undefined && { cookie }) }))
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const create = (url: string, more: object = {}): Promise<Answer> =>
  send(url, '/v1/responses', { model: 'demo', input: 'Hello', ...more })

const idOf = ({ text }: Answer): string => (JSON.parse(text) as { id: string }).id

const processesOf = ({ child }: Served): number[] => childrenOf(child.pid ?? 0)

const metric = async (url: string, pattern: RegExp): Promise<number> =>
  Number(pattern.exec((await send(url, '/metrics')).text)?.[1])

describe.skipIf(process.platform !== 'linux')('toolwire serve --workers', { timeout: 120_000 }, () => {
  test('Both processes serve one port, know each other’s responses, traces and numbers, and stop together.', async () => {
    const served = await serve('--store', join(state, 'one.sqlite'), '--health-port', '0')
    const { url, child, exit, printed } = served
    expect((await send(served.healthUrl ?? '', '/ready')).text).toBe('{"status":"ready"}')
    let previous = idOf(await create(url))
    for (let i = 0; i < 5; i++) previous = idOf(await create(url, { previous_response_id: previous }))
    const text = (await send(url, '/metrics')).text
    expect(text).toContain(
      'toolwire_requests_total{route="POST /v1/responses",wire="responses",upstream="demo",status="2xx"} 6',
    )
    for (const worker of ['1', '2']) {
      const count = Number(new RegExp(`worker_requests_total{worker="${worker}"} (\\d+)`).exec(text)?.[1])
      // Connections are dealt in turns, one for each request here: the six, that for the numbers, and one for what is ready.
      expect(count).toBeGreaterThanOrEqual(3)
      expect(count).toBeLessThanOrEqual(4)
    }
    const list = JSON.parse((await send(url, '/toolwire/traces')).text) as {
      data: { id: string; time: string }[]
    }
    expect(list.data.length).toBe(6)
    expect(list.data.map(({ time }) => time)).toEqual(
      list.data
        .map(({ time }) => time)
        .toSorted()
        .toReversed(),
    )
    for (const { id } of list.data) expect((await send(url, `/toolwire/traces/${id}`)).status).toBe(200)
    expect((await send(url, '/toolwire/traces/req_nobody')).status).toBe(404)
    const usage = JSON.parse((await send(url, '/toolwire/usage')).text) as { data: { requests: number }[] }
    expect(usage.data.reduce((sum, { requests }) => sum + requests, 0)).toBe(6)
    const slow = create(url, { model: 'demo-slow', input: 'Take your time' })
    await until(async () => (await metric(url, /requests_in_flight (\d+)/)) > 0)
    child.kill('SIGTERM')
    expect((await slow).status).toBe(200)
    expect(await exit).toBe(0)
    expect(printed.stderr).toContain('for 1 request')
  })

  test('A background response is streamed and cancelled at whichever process is asked.', async () => {
    const { url } = await serve('--store', join(state, 'events.sqlite'))
    const id = idOf(await create(url, { background: true, stream: false }))
    await until(async () => (await send(url, `/v1/responses/${id}`)).text.includes('"status":"completed"'))
    const streamed = await create(url, { background: true, stream: true })
    const streamedId = /"id":"(resp_[^"]+)"/.exec(streamed.text)?.[1]
    for (let i = 0; i < 4; i++) {
      const again = await send(url, `/v1/responses/${streamedId}?stream=true&starting_after=1`)
      expect(again.status).toBe(200)
      expect(streamed.text.endsWith(again.text)).toBe(true)
    }
  })

  test('A process that is killed is replaced, nothing counted is lost, and the other one serves meanwhile.', async () => {
    const served = await serve('--store', join(state, 'crash.sqlite'))
    const { url, printed } = served
    const id = idOf(await create(url))
    await create(url)
    expect(await metric(url, /requests_total\{route="POST[^}]*\} (\d+)/)).toBe(2)
    const [first = 0, second = 0] = processesOf(served)
    process.kill(first, 'SIGKILL')
    await until(() => printed.stderr.includes('serves again'))
    expect(printed.stderr).toContain(`(process ${first}) ended: SIGKILL. It is started again now.`)
    expect(processesOf(served)).toContain(second)
    for (let i = 0; i < 4; i++) expect((await send(url, `/v1/responses/${id}`)).status).toBe(200)
    expect(await metric(url, /requests_total\{route="POST[^}]*\} (\d+)/)).toBe(2)
    expect(await metric(url, /worker_restarts_total (\d+)/)).toBe(1)
    // A process group gets the signal too; only the first process follows it.
    for (const pid of processesOf(served)) process.kill(pid, 'SIGTERM')
    expect((await send(url, '/live')).status).toBe(200)
  })

  test('A process that is killed while the file is spoilt is replaced too, with the settings in force.', async () => {
    const file = join(state, 'spoilt.json')
    writeFileSync(file, JSON.stringify({ keys: ['a-key-of-a-client'] }))
    const served = await serve('--store', 'none', '--config', file)
    const { url, printed } = served
    writeFileSync(file, '{ "keys": [')
    const [first = 0] = processesOf(served)
    process.kill(first, 'SIGKILL')
    await until(() => printed.stderr.includes('serves again'))
    for (let i = 0; i < 4; i++) {
      expect((await create(url)).status).toBe(401)
      const headers = { authorization: 'Bearer a-key-of-a-client' }
      expect((await send(url, '/v1/models', undefined, headers)).status).toBe(200)
    }
  })

  test('Nobody waits for ever whose connection was on its way to a process that is killed.', async () => {
    const served = await serve('--store', join(state, 'given.sqlite'))
    const [first = 0] = processesOf(served)
    // It takes nothing any more, and every second connection is given to it.
    process.kill(first, 'SIGSTOP')
    let answered = 0
    const asked = Array.from({ length: 8 }, () =>
      send(served.url, '/v1/models').then(({ status }) => {
        answered += Number(status === 200)
      }),
    )
    const settled = Promise.allSettled(asked)
    await until(() => answered === 4)
    process.kill(first, 'SIGKILL')
    expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(4)
    await until(() => served.printed.stderr.includes('serves again'))
    for (let i = 0; i < 4; i++) expect((await send(served.url, '/v1/models')).status).toBe(200)
  })

  test('A changed file reaches all processes, and whoever signs in to one has signed in to all.', async () => {
    const file = join(state, 'gateway.json')
    const write = (...keys: string[]): void => writeFileSync(file, JSON.stringify({ keys }))
    write('first-key-of-the-gateway')
    const served = await serve('--config', file, '--store', join(state, 'keys.sqlite'))
    const { url, child, printed } = served
    const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })
    const models = (key: string): Promise<Answer> => send(url, '/v1/models', undefined, bearer(key))
    expect((await models('first-key-of-the-gateway')).status).toBe(200)
    const { cookie } = await send(
      url,
      '/toolwire/session',
      { key: 'first-key-of-the-gateway' },
      { origin: url },
    )
    for (let i = 0; i < 4; i++) {
      const look = await send(url, '/toolwire/traces', undefined, { cookie: cookie?.split(';')[0] ?? '' })
      expect(look.status).toBe(200)
    }
    write('second-key-of-the-gateway')
    child.kill('SIGHUP')
    await until(() => printed.stderr.includes('Changed: keys'))
    for (let i = 0; i < 4; i++) {
      expect((await models('first-key-of-the-gateway')).status).toBe(401)
      expect((await models('second-key-of-the-gateway')).status).toBe(200)
    }
  })

  test('An upstream that cannot be reached is switched off in all processes.', async () => {
    const served = await serve(
      '--upstream',
      `chat=http://127.0.0.1:${await closedPort()}/v1`,
      '--store',
      'none',
    )
    await until(() => served.printed.stderr.includes('Upstream chat is switched off'))
    const body = { model: 'any', messages: [{ role: 'user', content: 'Hi' }] }
    for (let i = 0; i < 4; i++) {
      const { status, text } = await send(served.url, '/v1/chat/completions', body)
      expect([status, text]).toEqual([503, expect.stringContaining('upstream_disabled')])
    }
  })

  test('A store that processes cannot share is refused with a remedy, and without one it is said what is not shared.', async () => {
    const memory = start('--store', 'memory')
    expect(await memory.exit).toBe(3)
    expect(memory.printed.stderr).toContain('The store "memory" is that of one process')
    expect(memory.printed.stderr).toContain('--store sqlite')
    const stdin = start('--config', '-')
    stdin.child.stdin?.end('{}')
    expect(await stdin.exit).toBe(3)
    const none = await serve('--store', 'none')
    expect(none.printed.stderr).toContain('Without a store, each worker process remembers for itself')
    expect(none.printed.stderr).not.toContain('counts for itself')
    expect((await create(none.url, { store: false })).status).toBe(200)
  })

  test('Without a store, whoever limits keys is told that each process counts for itself.', async () => {
    const file = join(state, 'limited.json')
    const tenants = [{ name: 'ann', key: 'the-key-of-ann', requestsPerMinute: 1 }]
    writeFileSync(file, JSON.stringify({ tenants }))
    const { printed } = await serve('--config', file, '--store', 'none')
    expect(printed.stderr).toContain('a key may use its limits once in each of them')
  })
})

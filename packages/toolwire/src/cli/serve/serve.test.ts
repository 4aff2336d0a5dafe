import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineTool } from '@toolwire/core'
import { afterEach, describe, expect, test } from 'vitest'
import { openSqliteStore } from '../../store/open-sqlite-store.ts'
import type { Setup, Stage } from './environment.test-helper.ts'
import { argumentsOf, createStage } from './environment.test-helper.ts'
import { serve } from './serve.ts'

const running: { readonly stage: Stage; readonly code: Promise<number> }[] = []

afterEach(async () => {
  for (const { stage, code } of running.splice(0)) {
    stage.signal()
    await code
  }
})

interface Started extends Stage {
  readonly code: Promise<number>
  readonly url: string
}

async function start(argv: readonly string[], setup: Setup = {}): Promise<Started> {
  const stage = createStage(setup)
  const store = argv.includes('--store') ? [] : ['--store', 'memory']
  const args = argumentsOf('serve', ['--port', '0', ...store, ...argv])
  const code = serve(args, stage.io, stage.world)
  running.push({ stage, code })
  // A start that fails must fail the test, and not be waited for.
  await Promise.race([stage.until(argv.includes('--quiet') ? 'http' : '# Anthropic Messages'), code])
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(stage.printed.stdout)?.[0] ?? ''
  return { ...stage, code, url }
}

async function refused(
  argv: readonly string[],
  setup: Setup = {},
): Promise<{ code: number; stderr: string }> {
  const stage = createStage(setup)
  const code = await serve(argumentsOf('serve', argv), stage.io, stage.world)
  return { code, stderr: stage.printed.stderr }
}

const ask = (url: string, body: object, headers: Record<string, string> = {}) =>
  post(`${url}/v1/chat/completions`, { messages: [{ role: 'user', content: 'Hello' }], ...body }, headers)

const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as object }
}

describe('ready', () => {
  test('The banner shows the address, the upstreams, the store, and requests to try.', async () => {
    const { printed, url } = await start([])
    const [banner = '', lines = ''] = printed.stdout.replaceAll(url, 'URL').split('  Try it')
    expect(banner).toMatch(/^\n {2}toolwire \d+\.\d+\.\d+ ready in 312 ms\n\n/)
    expect(banner).toContain('  OpenAI     URL/v1  OPENAI_BASE_URL\n')
    expect(banner).toContain('  Anthropic  URL     ANTHROPIC_BASE_URL\n')
    expect(banner).toContain('  Upstream   demo  chat  embedded demo model, no key, no network\n')
    expect(printed.stderr).toBe('')
    const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] }
    const names = data.map(({ id }) => id)
    expect(banner).toContain(`               ${names.length} models; any other name is answered as "demo"\n`)
    const [, faults = ''] = /faults by name: (.*), …/.exec(banner) ?? []
    expect(names).toEqual(expect.arrayContaining(faults.split(', ')))
    expect(Math.max(...banner.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
    expect(banner).toContain('  Store      memory, gone when the gateway stops\n')
    expect(banner).toContain('  Access     no key asked for; clients may send any\n')
    expect(lines.match(/^ {2}curl .*$/gm)).toHaveLength(3)
  })

  test('The banner shows when other machines can reach the gateway.', async () => {
    const { printed } = await start(['--host', '0.0.0.0', '--insecure'])
    expect(printed.stdout).toContain('  Network    on all interfaces (0.0.0.0), for other machines too\n')
    expect((await start([])).printed.stdout).not.toContain('Network')
  })

  test('The banner counts only names among the models of an upstream.', async () => {
    const of = async (models: string[], rename = {}): Promise<string> => {
      const upstream = { name: 'a', wire: 'chat', baseUrl: 'http://a.test/v1', models, rename }
      const files = { 'toolwire.config.json': JSON.stringify({ upstreams: [upstream] }) }
      return (await start([], { files })).printed.stdout
    }
    expect(await of(['m1', 'm2', 'm3', 'm4', '*'])).toContain(
      '  serves m1, m2, m3, and 1 more, and any other\n',
    )
    expect(await of(['m1', 'm*'])).toContain('  serves m1, m*\n')
    expect(await of(['*'])).not.toContain('serves')
    expect(await of(['m1'], { 'gpt-*': 'm1', '*': 'm2' })).toContain(
      '  serves m1, gpt-*, and any other as m2\n',
    )
    expect(await of([], { '*': 'm2' })).toContain('  serves any name as m2\n')
  })

  test('With --quiet, only the address is printed.', async () => {
    const { printed, url } = await start(['--quiet'])
    expect(printed.stdout).toBe(`${url}\n`)
    await ask(url, { model: 'demo' })
    expect(printed.stderr).toBe('')
  })

  test('Each request is one log line, as JSON without a terminal.', async () => {
    const { printed, url, until } = await start([])
    await ask(url, { model: 'demo' })
    await until('"route"')
    const [line = ''] = printed.stderr.trim().split('\n')
    expect(JSON.parse(line)).toMatchObject({ route: 'POST /v1/chat/completions', status: 200, model: 'demo' })
  })

  test('The gateway follows its configuration.', async () => {
    const config = { upstreams: [], keysEnv: 'KEYS', trace: false, losses: 'strict' }
    const { url, printed } = await start([], {
      files: { 'toolwire.config.json': JSON.stringify(config) },
      env: { KEYS: 'one-key' },
    })
    expect(printed.stdout).toContain('Config     toolwire.config.json')
    expect(printed.stdout).toContain('with a key')
    expect(printed.stdout.match(/-H "authorization: Bearer \$KEYS"/g)).toHaveLength(2)
    expect(printed.stdout.match(/-H "x-api-key: \$KEYS"/g)).toHaveLength(1)
    expect((await ask(url, { model: 'demo' })).status).toBe(401)
    expect((await ask(url, { model: 'demo' }, { authorization: 'Bearer one-key' })).status).toBe(200)
    const traces = await fetch(`${url}/toolwire/traces`, { headers: { authorization: 'Bearer one-key' } })
    expect(traces.status).toBe(404)
  })

  test('Operators’ keys and traces without bodies are configured like the rest.', async () => {
    const config = { upstreams: [], keys: ['one-key'], trace: { bodies: false } }
    const { url } = await start(['--operator-key-env', 'OPERATORS'], {
      files: { 'toolwire.config.json': JSON.stringify(config) },
      env: { OPERATORS: 'operator-key' },
    })
    await ask(url, { model: 'demo' }, { authorization: 'Bearer one-key' })
    const get = (path: string, key: string): Promise<Response> =>
      fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
    expect((await get('/metrics', 'one-key')).status).toBe(403)
    expect((await get('/metrics', 'operator-key')).status).toBe(200)
    const { data } = (await (await get('/toolwire/traces', 'operator-key')).json()) as {
      data: { id: string }[]
    }
    const trace = await (await get(`/toolwire/traces/${data[0]?.id}`, 'operator-key')).json()
    expect(trace).toMatchObject({ summary: { model: 'demo', status: 200 }, views: {} })
  })

  const clockDefinition = {
    name: 'get_clock',
    description: 'Tells the time of the clock',
    parameters: { type: 'object', properties: {} },
    handler: () => 'a quarter past nine',
  } as const

  test.each([
    ['made with defineTool', defineTool(clockDefinition)],
    ['that are plain definitions', clockDefinition],
  ])('The gateway runs the tools of a program as configuration %s.', async (_how, clock) => {
    const { url, printed } = await start([], {
      programs: { 'toolwire.config.js': () => ({ default: { tools: [clock] } }) },
    })
    expect(printed.stdout).toContain('Tools      1 tool run by the gateway')
    const { body } = await ask(url, {
      model: 'demo',
      messages: [{ role: 'user', content: 'What is the time of the clock?' }],
    })
    expect(JSON.stringify(body)).toContain('a quarter past nine')
  })

  test('The gateway looks after its store every two seconds, and sweeps it every five minutes.', async () => {
    const { repeated } = await start([])
    expect(repeated.map(({ milliseconds }) => milliseconds)).toEqual([2_000, 300_000])
    for (const { callback } of repeated) callback()
  })
})

describe('what to try names a model that exists', () => {
  const local = (models?: string[]) => ({ name: 'a', wire: 'chat', baseUrl: 'http://a.test/v1', models })
  const modelTried = async (upstream: object, fetch?: Setup['fetch']): Promise<string> => {
    const files = { 'toolwire.config.json': JSON.stringify({ upstreams: [upstream] }) }
    const { printed } = await start([], { files, ...(fetch && { fetch }) })
    return /"model":"([^"]*)"/.exec(printed.stdout)?.[1] ?? ''
  }
  const listing = async (): Promise<Response> => Response.json({ data: [{ id: 'first' }, { id: 'qwen3' }] })

  test('The examples name a model of the configuration.', async () =>
    expect(await modelTried(local(['x*', 'qwen3']))).toBe('qwen3'))
  test('The examples name a model that the upstream lists.', async () =>
    expect(await modelTried(local(), listing)).toBe('first'))
  test('The examples name a listed model that the upstream is configured for.', async () =>
    expect(await modelTried(local(['qw*']), listing)).toBe('qwen3'))
  test('The examples ask for the name of a model when none is known.', async () =>
    expect(await modelTried(local())).toBe('MODEL'))
})

describe('what cannot be started', () => {
  test('A wrong configuration is reported with exit code 3.', async () => {
    const files = { 'toolwire.config.json': '{\n  "prot": 1\n}' }
    const { code, stderr } = await refused([], { files })
    expect(code).toBe(3)
    expect(stderr).toContain('toolwire.config.json:2:3: There is no setting "prot" in the configuration.')
    expect(stderr).toContain('Did you mean "port"?')
    expect(stderr).toContain('│   ^^^^^^')
  })

  test('A missing key is reported with exit code 3.', async () => {
    const { code, stderr } = await refused(['--upstream', 'chat=http://a.test/v1,key=NO_SUCH_KEY'])
    expect(code).toBe(3)
    expect(stderr).toContain('The environment variable NO_SUCH_KEY')
  })

  test('Open access without a key is refused with exit code 3.', async () => {
    const { code, stderr } = await refused(['--host', '0.0.0.0', '--demo'])
    expect(code).toBe(3)
    expect(stderr).toContain('Listening on 0.0.0.0 (--host)')
  })

  test('A port in use is reported with exit code 3.', async () => {
    const taken = createServer()
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const { code, stderr } = await refused(['--demo', '--store', 'memory', '--port', String(port)])
    taken.close()
    expect(code).toBe(3)
    expect(stderr).toContain(
      `Port ${port} of 127.0.0.1 is in use. Stop what listens there, or choose another`,
    )
  })

  test('A chosen store that cannot be opened is reported with exit code 3.', async () => {
    const { code, stderr } = await refused(['--demo', '--store', '/dev/null/no.sqlite', '--port', '0'])
    expect(code).toBe(3)
    expect(stderr).toContain('/dev/null/no.sqlite')
    expect(stderr).toContain('--store memory')
  })

  test('An extra argument is refused.', async () => {
    const { io, world } = createStage()
    await expect(serve(argumentsOf('serve', ['my.json']), io, world)).rejects.toThrow('takes no "my.json"')
  })
})

test('A gateway whose store is damaged answers what needs none, and opens it when it can be opened.', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-serve-'))
  const path = join(folder, 'store.db')
  // The head of a database, and nothing that makes sense after it.
  await (await openSqliteStore({ path })).close()
  const file = readFileSync(path)
  writeFileSync(path, file.fill(0xff, 100))
  try {
    const { printed, url, repeated, until } = await start(['--store', path])
    expect(printed.stderr).toContain('warning: Nothing can be stored now. The store at')
    expect(printed.stdout).toContain('not available now')
    const ready = await fetch(`${url}/ready`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({
      status: 'store unavailable',
      reason: expect.stringContaining('damaged'),
    })
    expect((await ask(url, { model: 'demo' })).status).toBe(200)
    const stored = await post(`${url}/v1/responses`, { model: 'demo', input: 'Hello' })
    expect([stored.status, JSON.stringify(stored.body)]).toEqual([503, expect.stringContaining('damaged')])
    rmSync(path)
    const again = setInterval(() => repeated[0]?.callback(), 100)
    await until('The store is open now.').finally(() => clearInterval(again))
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    expect((await post(`${url}/v1/responses`, { model: 'demo', input: 'Hello' })).status).toBe(200)
  } finally {
    for (const { stage, code } of running.splice(0)) {
      stage.signal()
      await code
    }
    rmSync(folder, { recursive: true, force: true })
  }
})

test('A default store that cannot be opened is replaced, with a warning.', async () => {
  // The home of this world lies where nobody may write.
  const stage = createStage({ env: { XDG_STATE_HOME: '/dev/null' } })
  const code = serve(argumentsOf('serve', ['--port', '0']), stage.io, stage.world)
  running.push({ stage, code })
  await stage.until('# Anthropic Messages')
  expect(stage.printed.stderr).toContain('warning: Responses are kept in memory only.')
  expect(stage.printed.stdout).toContain('memory, gone when')
})

describe('the end', () => {
  test('A signal stops the gateway with exit code 0.', async () => {
    const { signal, code, printed, url } = await start([])
    await ask(url, { model: 'demo' })
    signal()
    expect(await code).toBe(0)
    expect(printed.stderr).toContain('Stopping.')
    await expect(fetch(`${url}/live`)).rejects.toThrow()
  })

  test('The gateway waits for running exchanges, and aborts those that take too long.', async () => {
    const files = { 'toolwire.config.json': '{"shutdownMs": 0}' }
    const { signal, code, url, printed } = await start([], { files })
    const stalled = fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo-stall',
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
    })
    const response = await stalled
    signal()
    const text = await response.text()
    expect(text).toContain('shutting_down')
    expect(text).not.toContain('[DONE]')
    expect(printed.stderr).toContain('waiting up to 0 s for 1 request')
    expect(await code).toBe(0)
  })

  test('A second signal stops the gateway at once.', async () => {
    const { signal, exits, url, code } = await start([])
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'demo-stall',
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
    })
    signal()
    signal()
    expect(exits).toEqual([130])
    // In a test the process does not end; the client goes, and so does the gateway.
    await response.body?.cancel()
    expect(await code).toBe(0)
  })
})

test('A tool can do the work of a hosted tool that clients declare.', async () => {
  const asked: unknown[] = []
  const search = defineTool({
    name: 'my_search',
    description: 'Searches the web',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    handler: args => {
      asked.push(args)
      return 'Fish Lane 3'
    },
  })
  const { url } = await start([], {
    programs: { 'toolwire.config.js': () => ({ default: { hosted: { web_search: search } } }) },
  })
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo',
      input: 'Search the web for fish',
      tools: [{ type: 'web_search' }],
    }),
  })
  const body = (await response.json()) as { output: { type: string }[] }
  expect(asked).toEqual([{ query: expect.any(String) }])
  expect(body.output.map(({ type }) => type)).toContain('web_search_call')
  expect(JSON.stringify(body.output.at(-1))).toContain('Fish Lane 3')
})

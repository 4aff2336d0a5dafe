import { afterEach, describe, expect, test, vi } from 'vitest'
import { pass, wholeExchange } from '../../telemetry/exchange.test-helper.ts'
import { cwd } from '../../terminal/memory-io.test-helper.ts'
import { toolwire } from '../memory-io.test-helper.ts'
import { enough, type FakeGateway, fakeGateway, type Setup, trace } from './fake-gateway.test-helper.ts'

const exchange = { ...wholeExchange, losses: [] }
const timeless = (text: string): string => text.replace(/^\d\d:\d\d:\d\d/gm, 'hh:mm:ss')

function gatewayWith(...ids: readonly string[]): FakeGateway {
  const gateway = fakeGateway()
  for (const id of ids) pass(gateway.ring, { ...exchange, id })
  return gateway
}

afterEach(() => vi.unstubAllGlobals())

describe('the list', () => {
  test('The list is a table, the newest last, without empty columns.', async () => {
    const gateway = fakeGateway()
    pass(gateway.ring, { ...exchange, id: 'req_first0000', toolRuns: [], retries: 0 })
    pass(gateway.ring, {
      id: 'req_second000',
      route: 'POST /v1/chat/completions',
      status: 400,
      failure: { code: 'invalid_json', message: 'x' },
    })
    const { code, stdout, stderr } = await trace([], gateway)
    expect([code, stderr]).toEqual([0, ''])
    expect(timeless(stdout).split('\n')).toEqual([
      'time      code  wire                       model           first   total     own     tokens  tools    notes         id',
      'hh:mm:ss  200   responses → chat           gpt-5 → qwen3  212 ms  1.42 s  3.1 ms  1200 → 56  2 calls                req_first000',
      'hh:mm:ss  400   POST /v1/chat/completions                                                             invalid_json  req_second00',
      '',
      '"toolwire trace <id>" shows one of them.',
      '',
    ])
  })

  test('The flag --limit decides how many exchanges are requested.', async () => {
    const gateway = gatewayWith('req_1', 'req_2', 'req_3')
    await trace(['--limit', '2', '--url', 'http://localhost:9/base/'], gateway)
    expect(gateway.asked[0]?.url).toBe('http://localhost:9/base/toolwire/traces?limit=2')
    await trace([], gateway)
    expect(gateway.asked[1]?.url).toBe('http://127.0.0.1:4141/toolwire/traces?limit=20')
  })

  test.each([
    ['localhost:9', 'http://localhost:9'],
    ['127.0.0.1:9/', 'http://127.0.0.1:9'],
    ['[::1]:9', 'http://[::1]:9'],
    ['http://localhost:9/v1', 'http://localhost:9'],
    ['localhost:9/v1/', 'http://localhost:9'],
    ['https://host/base/v1', 'https://host/base'],
  ])('The flag --url takes %s.', async (url, base) => {
    const gateway = gatewayWith('req_1')
    await trace(['--url', url], gateway)
    expect(gateway.asked.map(({ url }) => url)).toEqual([`${base}/toolwire/traces?limit=20`])
  })

  test.each([70, 80, 100])('The list fits a terminal of %i columns.', async columns => {
    const gateway = fakeGateway()
    pass(gateway.ring, { ...wholeExchange, model: 'm'.repeat(40), upstreamWire: 'messages' })
    pass(gateway.ring, {
      id: 'req_stray',
      target: `GET /${'x'.repeat(150)}`,
      failure: { code: 'unknown_route', message: '' },
    })
    const { stdout } = await trace([], { ...gateway, isTTY: true, columns, env: { NO_COLOR: '1' } })
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(columns)
    for (const word of ['req_abcdefgh', 'req_stray', 'GET /xx', 'unknown_r', '1.42 s'])
      expect(stdout).toContain(word)
  })

  test('An empty list is reported as such.', async () => {
    expect((await trace([], fakeGateway())).stdout).toContain('No exchanges yet.')
  })

  test('"trace --json" writes the list as JSON.', async () => {
    const gateway = gatewayWith('req_1', 'req_2')
    const { stdout } = await trace(['--json'], gateway)
    expect(JSON.parse(stdout)).toEqual({ object: 'list', data: gateway.ring.list(9) })
  })

  test('The list shows running exchanges.', async () => {
    const gateway = fakeGateway()
    gateway.ring.begin({
      id: 'req_running',
      route: 'POST /v1/messages',
      at: 0,
      startedAt: 0,
      wire: 'messages',
    })
    expect((await trace([], gateway)).stdout).toMatch(/ … +messages +req_running/)
  })

  test('Names in the list are escaped for the terminal.', async () => {
    const gateway = fakeGateway()
    pass(gateway.ring, { ...exchange, model: '\u001b]52;c;AA\u0007\u202e' })
    for (const argv of [[], ['--json'], ['req_abcdef'], ['--follow']]) {
      const { stdout } = await trace(argv, gateway)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
      expect(stdout).toContain('\\u001b]52')
    }
  })
})

describe('the last exchange', () => {
  const stray = { id: 'req_stray', target: 'GET /nowhere', failure: { code: 'unknown_route', message: '' } }

  test('It is the last one with a model, whatever came after it.', async () => {
    const gateway = gatewayWith('req_older', 'req_newer')
    pass(gateway.ring, { ...stray, route: 'unknown', status: 404 })
    pass(gateway.ring, { id: 'req_models', route: 'GET /v1/models', status: 200 })
    expect((await trace(['last'], gateway)).stdout).toMatch(/^req_newer /)
  })

  test('Where none had a model, it is the last of all.', async () => {
    const gateway = fakeGateway()
    pass(gateway.ring, { ...stray, route: 'unknown', status: 404 })
    expect((await trace(['last'], gateway)).stdout).toMatch(/^req_stray /)
  })
})

describe('following', () => {
  test('Following prints each exchange once, when it has ended.', async () => {
    const gateway = gatewayWith('req_old00')
    const running = gateway.ring.begin({ id: 'req_slow0', route: 'POST /v1/messages', at: 0, startedAt: 0 })
    const events = [
      () => pass(gateway.ring, { ...exchange, id: 'req_new00' }),
      () => running.end(),
      () => {
        throw enough
      },
    ]
    const { code, stdout } = await trace(['-f', '--json'], {
      ...gateway,
      meanwhile: () => events.shift()?.(),
    })
    const told = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).id)
    expect([code, told]).toEqual([130, ['req_old00', 'req_new00', 'req_slow0']])
  })

  test('Following begins with the header and the last few exchanges.', async () => {
    const gateway = gatewayWith('req_1', 'req_2', 'req_3')
    const { stdout } = await trace(['--follow', '--limit', '2'], gateway)
    const lines = stdout.trim().split('\n')
    expect(lines.map(line => line.split('  ').at(-1))).toEqual([
      expect.stringMatching(/tokens$/),
      'req_2',
      'req_3',
    ])
  })

  test('Following ends with an error when the gateway stops.', async () => {
    const gateway = gatewayWith('req_1')
    let open = true
    const fetch: FakeGateway['fetch'] = (url, init) =>
      open ? gateway.fetch(url, init) : Promise.reject(refusedConnection())
    const { code, stderr } = await trace(['-f'], {
      fetch,
      meanwhile: () => {
        open = false
      },
    })
    expect(code).toBe(4)
    expect(stderr).toContain('nothing listens there')
  })
})

function refusedConnection(): Error {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  })
}

describe('which gateway', () => {
  const asked = async (
    argv: readonly string[],
    setup: Partial<Setup>,
  ): Promise<{ url: string; stderr: string }> => {
    const gateway = gatewayWith('req_1')
    const { stderr } = await trace(argv, { ...gateway, ...setup })
    return { url: new URL(gateway.asked[0]?.url ?? '').origin, stderr }
  }
  const config = { 'toolwire.config.json': '{ "port": 5005, "host": "0.0.0.0" }' }
  const at = (port: number, cwd: string, since = 0, asksForKey = false) => ({
    pid: port,
    url: `http://127.0.0.1:${port}`,
    cwd,
    since,
    asksForKey,
  })
  const keyed = { running: [at(4143, '/else', 2, true), at(4142, '/else', 1)] }

  test.each<[string, Partial<Setup>, string, string]>([
    ['the usual one', {}, '4141', ''],
    ['that of the configuration', { files: config }, '5005', ''],
    ['that of PORT', { files: config, env: { PORT: '6006' } }, '6006', ''],
    ['the one that was started here', { running: [at(4143, '/else', 2), at(4142, cwd)] }, '4142', ''],
    [
      'the one that was started here, whatever port the configuration names by now',
      { files: config, running: [at(5005, '/else', 3), at(4143, '/else', 2), at(4142, cwd)] },
      '4142',
      '',
    ],
    [
      'that of the configuration, if another was started here too',
      { files: config, running: [at(4143, cwd, 2), at(5005, cwd)] },
      '5005',
      '',
    ],
    [
      'that of the configuration, if others were started elsewhere',
      { files: config, running: [at(4143, '/else', 2)] },
      '5005',
      '',
    ],
    [
      'that of PORT, even if another was started here',
      { env: { PORT: '6006' }, running: [at(4142, cwd)] },
      '6006',
      '',
    ],
    ['the only one', { running: [at(4143, '/else')] }, '4143', ''],
    [
      'the newest of several',
      { running: [at(4144, cwd, 2), at(4142, cwd, 1)] },
      '4144',
      '--url names another',
    ],
    ['that at the usual port', { running: [at(4143, '/else', 2), at(4141, '/other', 1)] }, '4141', ''],
    ['one that needs no key', keyed, '4142', 'another: http://127.0.0.1:4143 (asks for a key)'],
    [
      'one that needs no key, even if another was started here',
      { running: [at(4143, cwd, 2, true), at(4141, '/else', 1)] },
      '4141',
      'another: http://127.0.0.1:4143 (asks for a key)',
    ],
    ['one that asks for a key, if all do', { running: [at(4143, '/else', 2, true)] }, '4143', ''],
    [
      'the usual one, if the configuration is broken',
      { files: { 'toolwire.config.json': '{' } },
      '4141',
      'note:',
    ],
  ])('The command asks %s.', async (_, setup, port, note) => {
    const { url, stderr } = await asked([], setup)
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect(stderr).toContain(note)
  })

  test('A configuration that is named is that of the gateway, whatever was started here.', async () => {
    const { url } = await asked(['--config', 'toolwire.config.json'], {
      files: config,
      running: [at(4142, cwd)],
    })
    expect(url).toBe('http://127.0.0.1:5005')
  })

  test('With a key, one that asks for it is as good as any.', async () => {
    const { url } = await asked(['--key-env', 'KEY'], { ...keyed, env: { KEY: 'k' } })
    expect(url).toBe('http://127.0.0.1:4143')
  })

  test('The flag --url wins, and no key of the configuration goes there.', async () => {
    const gateway = gatewayWith('req_1')
    const files = { 'toolwire.config.json': '{ "port": 5005, "keysEnv": "KEYS" }' }
    const env = { KEYS: 'one, two' }
    await trace([], { ...gateway, files, env })
    await trace(['--url', 'http://elsewhere:1'], { ...gateway, files, env })
    expect(gateway.asked.map(({ init }) => new Headers(init.headers).get('authorization'))).toEqual([
      'Bearer one',
      null,
    ])
  })
})

describe('what goes wrong', () => {
  const answering = (response: () => Response | Promise<never>): { fetch: FakeGateway['fetch'] } => ({
    fetch: async () => response(),
  })

  test.each([
    [() => Promise.reject(refusedConnection()), 'nothing listens there', 'toolwire serve'],
    [() => Promise.reject(new DOMException('late', 'TimeoutError')), 'no answer within 10 seconds', ''],
    [() => Promise.reject(new TypeError('fetch failed', { cause: new Error('bad port') })), 'bad port', ''],
    [() => new Response('<html>hello</html>'), 'no toolwire gateway', '--url'],
    [() => Response.json({ hello: 1 }), 'no toolwire gateway', '--url'],
    [() => Response.json({ detail: 'Not Found' }, { status: 404 }), 'no toolwire gateway', '--url'],
    [
      () => Response.json({ error: { message: 'A key is needed.' } }, { status: 401 }),
      'A key is needed.',
      '--key-env',
    ],
    [
      () => Response.json({ error: { message: 'keeps no \u001btraces.' } }, { status: 404 }),
      'keeps no \\u001btraces.',
      '',
    ],
  ] as const)('Failure %# is reported with a remedy.', async (response, message, remedy) => {
    const { code, stdout, stderr } = await trace([], answering(response))
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain(`http://127.0.0.1:4141: `)
    expect(stderr).toContain(message)
    expect(stderr).toContain(remedy)
  })

  test.each([
    [['a', 'b'], 'One exchange at a time'],
    [['--url', 'localhost'], '--url must be an address'],
    [['--url', 'file:///etc/passwd'], '--url must be an address'],
    [['--url', 'http://me:canary@host'], '--url must not hold a key'],
    [['--key-env', 'NOWHERE'], 'The variable NOWHERE is not set.'],
    [['--limit', '0'], '--limit must be a whole number'],
    [['--view', 'client-request'], '--view is about one exchange'],
    [['--full'], '--full is about one exchange'],
    [['req_1', '--follow'], '--follow is about the list'],
    [['req_1', '--view', 'client'], '--view must be one of client-request'],
  ])('The arguments %j are refused.', async (argv, message) => {
    const gateway = fakeGateway()
    const { code, stderr } = await trace(argv, gateway)
    expect([code, gateway.asked]).toEqual([2, []])
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('canary')
  })

  test('An unknown id is reported.', async () => {
    const { code, stderr } = await trace(['req_/../x?y\u001b'], gatewayWith('req_one00'))
    expect(code).toBe(2)
    expect(stderr).toContain('there is no exchange "req_/../x?y\\u001b"')
    expect(stderr).toContain('"toolwire trace" lists what there is.')
  })

  test('An ambiguous beginning of an id is reported with the number of matches.', async () => {
    const { code, stderr } = await trace(['req_same'], gatewayWith('req_same_a', 'req_same_b', 'req_other'))
    expect(code).toBe(2)
    expect(stderr).toContain('"req_same" fits 2 exchanges.')
    expect(stderr).toContain('req_same_b, req_same_a')
  })

  test('A gateway without traces reports it itself.', async () => {
    const error = { message: 'This gateway keeps no traces.' }
    const { stderr } = await trace(['req_1'], {
      fetch: async () => Response.json({ error }, { status: 404 }),
    })
    expect(stderr).toContain('This gateway keeps no traces.')
  })
})

test('The key comes from a variable, goes only to the gateway, and is not printed.', async () => {
  const gateway = gatewayWith('req_1')
  const { stdout, stderr } = await trace(['--key-env', 'MY_KEY'], { ...gateway, env: { MY_KEY: 'canary' } })
  expect(gateway.asked[0]?.init).toMatchObject({
    headers: { authorization: 'Bearer canary' },
    redirect: 'error',
  })
  expect(gateway.asked[0]?.url).not.toContain('canary')
  expect(stdout + stderr).not.toContain('canary')
})

test('The command uses the network of the process.', async () => {
  const gateway = gatewayWith('req_wired')
  vi.stubGlobal('fetch', gateway.fetch)
  const { code, stdout } = await toolwire(['trace'])
  expect(code).toBe(0)
  expect(stdout).toContain('req_wired')
})

import { describe, expect, test } from 'vitest'
import type { ToolwireConfig } from './config.ts'
import type { Layer } from './layers.ts'
import { originOf } from './layers.ts'
import type { Resolved } from './resolve-settings.ts'
import { resolveSettings } from './resolve-settings.ts'

const local = { name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' } as const

const resolve = (config: ToolwireConfig, env: Record<string, string> = {}, more: Layer[] = []): Resolved =>
  resolveSettings([{ origin: 'file', config }, ...more], { platform: 'linux', home: '/home/me', env })

const messages = ({ problems }: Resolved): string[] => problems.map(({ message }) => message)

describe('an address that holds the path of a wire', () => {
  test.each([
    ['http://a.test/v1/chat/completions', 'http://a.test/v1'],
    ['http://a.test/v1/chat/completions/', 'http://a.test/v1'],
    ['http://a.test/v1/responses', 'http://a.test/v1'],
    ['http://a.test/api/v1/messages', 'http://a.test/api/v1'],
  ])('The address %s with the path of a wire is refused, and the right one suggested.', (baseUrl, meant) => {
    expect(resolve({ upstreams: [{ ...local, baseUrl }] }).problems).toEqual([
      {
        path: ['upstreams', 0, 'baseUrl'],
        message: `"upstreams[0].baseUrl" holds the path of a wire, which the gateway adds itself; got "${baseUrl}".`,
        remedy: `Write "${meant}".`,
      },
    ])
  })

  test.each(['http://a.test/v1', 'http://messages.test/v1', 'http://a.test/responses/v1'])(
    'The address %s has no path of a wire.',
    baseUrl => {
      expect(messages(resolve({ upstreams: [{ ...local, baseUrl }] }))).toEqual([])
    },
  )
})

describe('upstreams by convention', () => {
  const upstreams = (env: Record<string, string>, config: ToolwireConfig = {}) =>
    resolve(config, env).settings.upstreams

  test('Without variables there are no upstreams, and the demo model answers.', () => {
    expect(upstreams({})).toEqual([])
    expect(upstreams({ OPENAI_API_KEY: '' })).toEqual([])
  })

  test('The only host of the environment takes any model.', () => {
    expect(upstreams({ OPENAI_API_KEY: 'k' })).toEqual([
      {
        name: 'openai',
        wire: 'responses',
        speaks: ['responses', 'chat'],
        baseUrl: 'https://api.openai.com/v1',
        apiKey: 'k',
      },
    ])
    expect(upstreams({ ANTHROPIC_API_KEY: 'k' })).toEqual([
      { name: 'anthropic', wire: 'messages', baseUrl: 'https://api.anthropic.com/v1', apiKey: 'k' },
    ])
  })

  test('Two hosts of the environment share the models by their names.', () => {
    expect(upstreams({ OPENAI_API_KEY: 'a', ANTHROPIC_API_KEY: 'b' })).toMatchObject([
      { name: 'openai', models: ['gpt-*', 'o*', 'chatgpt-*'] },
      { name: 'anthropic', models: ['claude-*'] },
    ])
  })

  test('A host that is known by its address needs no wire and no name of its key.', () => {
    const config = { upstreams: [{ name: 'a', baseUrl: 'https://api.mistral.ai/v1' }] }
    expect(upstreams({ MISTRAL_API_KEY: 'k' }, config)).toEqual([
      { name: 'a', wire: 'chat', baseUrl: 'https://api.mistral.ai/v1', apiKey: 'k' },
    ])
    const named = { upstreams: [{ name: 'a', preset: 'ollama', baseUrl: 'http://10.0.0.7:9/v1' }] }
    expect(upstreams({}, named)[0]?.speaks).toEqual(['chat', 'responses', 'messages'])
  })

  test('An upstream whose wires nobody knows is a problem, and so are wires that contradict each other.', () => {
    const found = (upstream: object): string[] =>
      messages(resolve({ upstreams: [{ name: 'a', baseUrl: 'http://10.0.0.7:9/v1', ...upstream }] }))
    expect(found({})).toEqual(['upstreams[0] needs "wire".'])
    expect(found({ preset: 'none' })).toEqual(['upstreams[0] needs "wire".'])
    expect(found({ speaks: ['chat', 'messages'] })).toEqual([])
    expect(found({ wire: 'chat', speaks: ['messages'] })).toEqual([
      '"upstreams[0].speaks" does not have "chat", which "wire" says it speaks.',
    ])
    expect(found({ wire: 'chat', baseUrls: { messages: 'http://10.0.0.7:9/b' } })).toEqual([
      '"upstreams[0].baseUrls" has "messages", which it does not speak.',
    ])
    expect(found({ speaks: ['chat', 'messages'], profile: { customTools: true } })).toEqual([
      '"profile.customTools" cannot be true: the messages wire cannot express it.',
    ])
  })

  test('A custom address needs no key, and its models may have any name.', () => {
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1', ANTHROPIC_API_KEY: 'b' }
    expect(upstreams(env)[0]).toEqual({
      name: 'openai',
      wire: 'responses',
      baseUrl: 'http://127.0.0.1:8000/v1',
      models: ['gpt-*', 'o*', 'chatgpt-*', '*'],
    })
  })

  test.each([
    ['https://proxy.test', 'https://proxy.test/v1'],
    ['https://proxy.test/', 'https://proxy.test/v1'],
    ['https://proxy.test/a/v1', 'https://proxy.test/a/v1'],
  ])('Clients of Anthropic add the version to %s themselves.', (url, expected) => {
    expect(upstreams({ ANTHROPIC_BASE_URL: url })[0]?.baseUrl).toBe(expected)
  })

  test('The gateway does not take its own address as an upstream.', () => {
    const { settings, warnings } = resolve({}, { OPENAI_BASE_URL: 'http://localhost:4141/v1' })
    expect(settings.upstreams).toEqual([])
    expect(warnings).toEqual([
      expect.stringContaining('OPENAI_BASE_URL is the address of this gateway itself'),
    ])
    expect(messages(resolve({ upstreams: [{ ...local, baseUrl: 'http://127.0.0.1:4141/v1' }] }))).toEqual([
      '"upstreams[0].baseUrl" is the address of this gateway itself.',
    ])
  })

  test('A variable that does not hold an address is reported.', () => {
    expect(resolve({}, { OPENAI_BASE_URL: 'somewhere' }).warnings[0]).toMatch(
      /^From the environment: .*baseUrl/,
    )
  })

  test('Configured upstreams replace those of the environment.', () => {
    const env = { OPENAI_API_KEY: 'a' }
    expect(upstreams(env, { upstreams: [local] }).map(({ name }) => name)).toEqual(['local'])
    expect(upstreams(env, { upstreams: [] }).map(({ name }) => name)).toEqual(['openai'])
    const machine = { platform: 'linux', home: '/', env }
    expect(resolveSettings([], machine, { demo: true }).settings.upstreams).toEqual([])
  })
})

describe('keys', () => {
  test('The key of an upstream comes from the variable that it names.', () => {
    const upstreams = [{ ...local, apiKeyEnv: 'LOCAL_KEY' }]
    const { settings, problems } = resolve({ upstreams }, { LOCAL_KEY: ' k1 \n' })
    expect([settings.upstreams[0]?.apiKey, problems]).toEqual(['k1', []])
    expect(settings.upstreams[0]).not.toHaveProperty('apiKeyEnv')
  })

  test('A missing key is a problem that names the variable.', () => {
    const missing = resolve({ upstreams: [{ ...local, apiKeyEnv: 'LOCAL_KEY' }], keysEnv: 'GATEWAY_KEYS' })
    expect(missing.problems).toMatchObject([
      {
        variable: 'LOCAL_KEY',
        path: ['upstreams', 0, 'apiKeyEnv'],
        message: expect.stringContaining('not set'),
      },
      { variable: 'GATEWAY_KEYS', path: ['keysEnv'] },
    ])
  })

  test('The key of a host goes to that host and nowhere else.', () => {
    const env = { OPENAI_API_KEY: 'theirs' }
    const keyAt = (baseUrl: string) =>
      resolve({ upstreams: [{ ...local, baseUrl }] }, env).settings.upstreams[0]?.apiKey
    expect(keyAt('https://api.openai.com/v1')).toBe('theirs')
    expect(keyAt('https://api.openai.com.evil.test/v1')).toBeUndefined()
    expect(keyAt('http://api.openai.com/v1')).toBeUndefined()
    expect(keyAt('http://127.0.0.1:11434/v1')).toBeUndefined()
    const proxied = { ...env, OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' }
    expect(resolve({ upstreams: [local] }, proxied).settings.upstreams[0]?.apiKey).toBe('theirs')
  })

  test('A key that no header can carry is refused without being shown.', () => {
    const { problems } = resolve({ upstreams: [{ ...local, apiKey: 'ключ\n' }] })
    expect(problems).toHaveLength(1)
    expect(JSON.stringify(problems)).not.toContain('ключ')
  })

  test('The keys of the gateway are a list.', () => {
    const { settings } = resolve({ keys: ['a'], keysEnv: 'KEYS' }, { KEYS: 'b, c,,' })
    expect(settings.keys).toEqual(['a', 'b', 'c'])
  })

  test('Operators have keys of their own, which no client may have.', () => {
    const config = { keys: ['a'], operatorKeys: ['o'], operatorKeysEnv: 'OPERATORS' }
    expect(resolve(config, { OPERATORS: 'p,q' })).toMatchObject({
      settings: { keys: ['a'], operatorKeys: ['o', 'p', 'q'] },
      problems: [],
    })
    expect(resolve(config, {}).problems).toMatchObject([{ variable: 'OPERATORS', path: ['operatorKeysEnv'] }])
    const shared = resolve(config, { OPERATORS: 'a' }).problems
    expect(shared).toMatchObject([
      { path: ['operatorKeys'], message: expect.stringContaining('also one of') },
    ])
  })

  test('An operator’s key does not make it safe to listen beyond this machine.', () => {
    expect(resolve({ host: '0.0.0.0', operatorKeys: ['o'] }).problems).toHaveLength(1)
  })
})

describe('settings that contradict each other', () => {
  test.each<[ToolwireConfig, string]>([
    [{ upstreams: [local, local] }, '"upstreams[1].name" is "local", as that of upstreams[0] is.'],
    [{ upstreams: [{ ...local, apiKey: 'a', apiKeyEnv: 'HOME' }] }, 'contradicts "apiKey"'],
    [{ upstreams: [{ ...local, apiKey: 'a', forwardKey: true }] }, 'only one of them can be sent'],
    [{ upstreams: [{ ...local, models: ['a*b'] }] }, '"*" may only stand at the end'],
    [{ upstreams: [{ ...local, rename: { 'a*b': 'c' } }] }, '"*" may only stand at the end of a name'],
    [{ upstreams: [{ ...local, rename: { a: 'b*' } }] }, 'has no "*" to take it from'],
    [{ upstreams: [{ ...local, headers: { 'a b': 'c' } }] }, 'cannot be the name of a header'],
    [{ upstreams: [{ ...local, headers: { a: 'c\r\nx: y' } }] }, 'that no header can carry'],
    [
      { upstreams: [{ ...local, wire: 'messages', profile: { customTools: true } }] },
      'the messages wire cannot express it',
    ],
    [{ upstreams: [{ ...local, profile: { nameCharacters: 'A-Z' } }] }, 'must allow small letters'],
    [{ upstreams: [{ ...local, baseUrl: 'http://[/v1' }] }, 'is no address'],
  ])('The contradiction in %j is reported.', (config, expected) => {
    expect(messages(resolve(config, { HOME: '/' }))).toEqual([expect.stringContaining(expected)])
  })

  test('Settings that are probably mistakes are warned of.', () => {
    const two = [
      { ...local, models: ['m'] },
      { ...local, name: 'other', models: ['m'] },
    ]
    // They answer for each other.
    expect(resolve({ upstreams: two }).warnings).toEqual([])
    expect(resolve({ upstreams: [local, { ...local, name: 'b' }] }).warnings).toEqual([
      expect.stringContaining('local and b take any model'),
    ])
  })
})

describe('who may come in', () => {
  test('Listening beyond this machine needs a key, or "insecure".', () => {
    const { problems } = resolve({ host: '0.0.0.0' })
    expect(problems).toMatchObject([
      { path: ['host'], message: expect.stringContaining('Listening on 0.0.0.0 (file)') },
    ])
    expect(problems[0]?.remedy).toContain('--insecure')
    expect(messages(resolve({ host: '0.0.0.0', insecure: true }))).toEqual([])
    expect(messages(resolve({ host: '0.0.0.0', keys: ['k'] }))).toEqual([])
    expect(messages(resolve({ host: '[::1]' }))).toEqual([])
  })

  test.each<[ToolwireConfig, readonly string[]]>([
    [{}, ['localhost', '127.0.0.1', '[::1]']],
    [{ host: '127.0.0.2' }, ['localhost', '127.0.0.1', '[::1]', '127.0.0.2']],
    [{ host: '10.0.0.1', insecure: true }, ['localhost', '127.0.0.1', '[::1]', '10.0.0.1']],
    [{ host: '0.0.0.0', keys: ['k'] }, ['*']],
    [{ host: '0.0.0.0', keys: ['k'], allowedHosts: ['box.test'] }, ['box.test']],
  ])('A gateway with %j answers to the hosts %j.', (config, expected) => {
    expect(resolve(config).settings.allowedHosts).toEqual(expected)
  })
})

describe('layers', () => {
  const config: ToolwireConfig = { port: 1, store: { kind: 'sqlite', ttlDays: 2 }, log: { level: 'warn' } }
  const flags: Layer[] = [
    { origin: 'PORT', config: { port: 2 } },
    { origin: '--port', config: { port: 3 } },
    { origin: '--store', config: { store: { kind: 'memory' } } },
  ]

  test('The last layer wins, setting by setting.', () => {
    const { settings } = resolve(config, {}, flags)
    expect(settings).toMatchObject({
      port: 3,
      host: '127.0.0.1',
      store: { kind: 'memory', ttlMs: 2 * 24 * 3_600_000, isChosen: true },
      log: { level: 'warn' },
      losses: 'errors',
      shutdownMs: 10_000,
    })
  })

  test('The origin of each setting is known.', () => {
    const { layers } = resolve(config, {}, flags)
    const origin = (...path: (string | number)[]) => originOf(layers, path)?.origin
    expect(origin('port')).toBe('--port')
    expect(origin('store', 'kind')).toBe('--store')
    expect(origin('store', 'ttlDays')).toBe('file')
    expect(origin('losses')).toBe('default')
    expect(origin('store', 'path')).toBeUndefined()
  })

  test('Only a default store may be replaced.', () => {
    const path = '/home/me/.local/state/toolwire/responses.sqlite'
    expect(resolve({}).settings.store).toMatchObject({ kind: 'sqlite', path, isChosen: false })
    expect(resolve({ store: { path: '/a.sqlite' } }).settings.store).toMatchObject({ isChosen: true })
    expect(resolve({ store: { ttlDays: 1 } }).settings.store).toMatchObject({ isChosen: false })
  })

  test('The address of a server names the kind of store, and only a chosen kind is looked for in the environment.', () => {
    const env = { REDIS_URL: 'redis://r:1', DATABASE_URL: 'postgres://p/d' }
    const storeOf = (store: NonNullable<ToolwireConfig['store']>) => resolve({ store }, env)
    expect(storeOf({}).settings.store).toMatchObject({ kind: 'sqlite', url: '' })
    expect(storeOf({ kind: 'redis' }).settings.store).toMatchObject({ kind: 'redis', url: 'redis://r:1' })
    expect(storeOf({ kind: 'postgres' }).settings.store).toMatchObject({
      url: 'postgres://p/d',
      isChosen: true,
    })
    expect(storeOf({ url: 'valkeys://v' }).settings.store).toMatchObject({
      kind: 'redis',
      url: 'valkeys://v',
    })
    const nowhere = resolve({ store: { kind: 'redis' } }).problems
    expect(nowhere).toMatchObject([{ path: ['store', 'url'], message: expect.stringContaining('REDIS_URL') }])
    const wrong = storeOf({ kind: 'postgres', url: 'redis://u:secret@h' }).problems
    expect(wrong).toHaveLength(1)
    expect(JSON.stringify(wrong)).not.toContain('secret')
    // The address of a store on a server would else be passed over for a file.
    expect(storeOf({ kind: 'sqlite', url: 'redis://h' }).problems).toMatchObject([
      { path: ['store', 'url'], remedy: expect.stringContaining('"redis"') },
    ])
  })

  test('Traces can be turned off and on again.', () => {
    expect(resolve({ trace: false }).settings.trace).toBe(false)
    const kept = {
      entries: 3,
      bytes: 32 * 1024 * 1024,
      bodies: true,
      viewBytes: 1024 * 1024,
      keptEntries: 0,
      keptBytes: 256 * 1024 * 1024,
    }
    expect(resolve({ trace: { entries: 3 } }).settings.trace).toEqual(kept)
  })
})

import { describe, expect, it } from 'vitest'
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
  it.each([
    ['http://a.test/v1/chat/completions', 'http://a.test/v1'],
    ['http://a.test/v1/chat/completions/', 'http://a.test/v1'],
    ['http://a.test/v1/responses', 'http://a.test/v1'],
    ['http://a.test/api/v1/messages', 'http://a.test/api/v1'],
  ])('%s is refused with the one that is meant', (baseUrl, meant) => {
    expect(resolve({ upstreams: [{ ...local, baseUrl }] }).problems).toEqual([
      {
        path: ['upstreams', 0, 'baseUrl'],
        message: `"upstreams[0].baseUrl" holds the path of a wire, which the gateway adds itself; got "${baseUrl}".`,
        remedy: `Write "${meant}".`,
      },
    ])
  })

  it.each(['http://a.test/v1', 'http://messages.test/v1', 'http://a.test/responses/v1'])(
    '%s is none',
    baseUrl => {
      expect(messages(resolve({ upstreams: [{ ...local, baseUrl }] }))).toEqual([])
    },
  )
})

describe('upstreams by convention', () => {
  const upstreams = (env: Record<string, string>, config: ToolwireConfig = {}) =>
    resolve(config, env).settings.upstreams

  it('there are none without variables: the demo answers', () => {
    expect(upstreams({})).toEqual([])
    expect(upstreams({ OPENAI_API_KEY: '' })).toEqual([])
  })

  it('the only provider takes any model', () => {
    expect(upstreams({ OPENAI_API_KEY: 'k' })).toEqual([
      { name: 'openai', wire: 'responses', baseUrl: 'https://api.openai.com/v1', apiKey: 'k' },
    ])
    expect(upstreams({ ANTHROPIC_API_KEY: 'k' })).toEqual([
      { name: 'anthropic', wire: 'messages', baseUrl: 'https://api.anthropic.com/v1', apiKey: 'k' },
    ])
  })

  it('two providers share the models by their names', () => {
    expect(upstreams({ OPENAI_API_KEY: 'a', ANTHROPIC_API_KEY: 'b' })).toMatchObject([
      { name: 'openai', models: ['gpt-*', 'o*', 'chatgpt-*'] },
      { name: 'anthropic', models: ['claude-*'] },
    ])
  })

  it('a server of one’s own needs no key, and its models may have any name', () => {
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1', ANTHROPIC_API_KEY: 'b' }
    expect(upstreams(env)[0]).toEqual({
      name: 'openai',
      wire: 'responses',
      baseUrl: 'http://127.0.0.1:8000/v1',
      models: ['gpt-*', 'o*', 'chatgpt-*', '*'],
    })
  })

  it.each([
    ['https://proxy.test', 'https://proxy.test/v1'],
    ['https://proxy.test/', 'https://proxy.test/v1'],
    ['https://proxy.test/a/v1', 'https://proxy.test/a/v1'],
  ])('clients of Anthropic add the version to %s themselves', (url, expected) => {
    expect(upstreams({ ANTHROPIC_BASE_URL: url })[0]?.baseUrl).toBe(expected)
  })

  it('the gateway does not take itself for an upstream', () => {
    const { settings, warnings } = resolve({}, { OPENAI_BASE_URL: 'http://localhost:4141/v1' })
    expect(settings.upstreams).toEqual([])
    expect(warnings).toEqual([
      expect.stringContaining('OPENAI_BASE_URL is the address of this gateway itself'),
    ])
    expect(messages(resolve({ upstreams: [{ ...local, baseUrl: 'http://127.0.0.1:4141/v1' }] }))).toEqual([
      '"upstreams[0].baseUrl" is the address of this gateway itself.',
    ])
  })

  it('a variable that holds no address is told of', () => {
    expect(resolve({}, { OPENAI_BASE_URL: 'somewhere' }).warnings[0]).toMatch(
      /^From the environment: .*baseUrl/,
    )
  })

  it('those that are configured come alone', () => {
    const env = { OPENAI_API_KEY: 'a' }
    expect(upstreams(env, { upstreams: [local] }).map(({ name }) => name)).toEqual(['local'])
    expect(upstreams(env, { upstreams: [] }).map(({ name }) => name)).toEqual(['openai'])
    const machine = { platform: 'linux', home: '/', env }
    expect(resolveSettings([], machine, { demo: true }).settings.upstreams).toEqual([])
  })
})

describe('keys', () => {
  it('come from the variable that is named', () => {
    const upstreams = [{ ...local, apiKeyEnv: 'LOCAL_KEY' }]
    const { settings, problems } = resolve({ upstreams }, { LOCAL_KEY: ' k1 \n' })
    expect([settings.upstreams[0]?.apiKey, problems]).toEqual(['k1', []])
    expect(settings.upstreams[0]).not.toHaveProperty('apiKeyEnv')
  })

  it('that are missing are a problem that names the variable', () => {
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

  it('of a provider go to the provider, and to nobody else', () => {
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

  it('that no header can carry are refused without being shown', () => {
    const { problems } = resolve({ upstreams: [{ ...local, apiKey: 'ключ\n' }] })
    expect(problems).toHaveLength(1)
    expect(JSON.stringify(problems)).not.toContain('ключ')
  })

  it('of the gateway are a list', () => {
    const { settings } = resolve({ keys: ['a'], keysEnv: 'KEYS' }, { KEYS: 'b, c,,' })
    expect(settings.keys).toEqual(['a', 'b', 'c'])
  })
})

describe('settings that contradict each other', () => {
  it.each<[ToolwireConfig, string]>([
    [{ upstreams: [local, local] }, '"upstreams[1].name" is "local", as that of upstreams[0] is.'],
    [{ upstreams: [{ ...local, apiKey: 'a', apiKeyEnv: 'HOME' }] }, 'contradicts "apiKey"'],
    [{ upstreams: [{ ...local, apiKey: 'a', forwardKey: true }] }, 'only one of them can be sent'],
    [{ upstreams: [{ ...local, models: ['a*b'] }] }, '"*" may only stand at the end'],
    [{ upstreams: [{ ...local, rename: { 'a*': 'b' } }] }, 'only exact names can be renamed'],
    [{ upstreams: [{ ...local, headers: { 'a b': 'c' } }] }, 'cannot be the name of a header'],
    [{ upstreams: [{ ...local, headers: { a: 'c\r\nx: y' } }] }, 'that no header can carry'],
    [
      { upstreams: [{ ...local, wire: 'messages', profile: { customTools: true } }] },
      'the messages wire has no way',
    ],
    [{ upstreams: [{ ...local, profile: { nameCharacters: 'A-Z' } }] }, 'must allow small letters'],
    [{ upstreams: [{ ...local, baseUrl: 'http://[/v1' }] }, 'is no address'],
  ])('%j', (config, expected) => {
    expect(messages(resolve(config, { HOME: '/' }))).toEqual([expect.stringContaining(expected)])
  })

  it('or are hardly meant are doubted', () => {
    const two = [
      { ...local, models: ['m'] },
      { ...local, name: 'other', models: ['m'] },
    ]
    expect(resolve({ upstreams: two }).warnings).toEqual([expect.stringContaining('reached as "other/m"')])
    expect(resolve({ upstreams: [local, { ...local, name: 'b' }] }).warnings).toEqual([
      expect.stringContaining('local and b take any model'),
    ])
  })
})

describe('who may come in', () => {
  it('nobody from outside without a key, unless that is accepted', () => {
    const { problems } = resolve({ host: '0.0.0.0' })
    expect(problems).toMatchObject([
      { path: ['host'], message: expect.stringContaining('Listening on 0.0.0.0 (file)') },
    ])
    expect(problems[0]?.remedy).toContain('--insecure')
    expect(messages(resolve({ host: '0.0.0.0', insecure: true }))).toEqual([])
    expect(messages(resolve({ host: '0.0.0.0', keys: ['k'] }))).toEqual([])
    expect(messages(resolve({ host: '[::1]' }))).toEqual([])
  })

  it.each<[ToolwireConfig, readonly string[]]>([
    [{}, ['localhost', '127.0.0.1', '[::1]']],
    [{ host: '127.0.0.2' }, ['localhost', '127.0.0.1', '[::1]', '127.0.0.2']],
    [{ host: '10.0.0.1', insecure: true }, ['localhost', '127.0.0.1', '[::1]', '10.0.0.1']],
    [{ host: '0.0.0.0', keys: ['k'] }, ['*']],
    [{ host: '0.0.0.0', keys: ['k'], allowedHosts: ['box.test'] }, ['box.test']],
  ])('%j answers to the hosts %j', (config, expected) => {
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

  it('the last wins, setting by setting', () => {
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

  it('know what came from where', () => {
    const { layers } = resolve(config, {}, flags)
    const origin = (...path: (string | number)[]) => originOf(layers, path)?.origin
    expect(origin('port')).toBe('--port')
    expect(origin('store', 'kind')).toBe('--store')
    expect(origin('store', 'ttlDays')).toBe('file')
    expect(origin('losses')).toBe('default')
    expect(origin('store', 'path')).toBeUndefined()
  })

  it('a store nobody chose may be replaced', () => {
    const path = '/home/me/.local/state/toolwire/responses.sqlite'
    expect(resolve({}).settings.store).toMatchObject({ kind: 'sqlite', path, isChosen: false })
    expect(resolve({ store: { path: '/a.sqlite' } }).settings.store).toMatchObject({ isChosen: true })
    expect(resolve({ store: { ttlDays: 1 } }).settings.store).toMatchObject({ isChosen: false })
  })

  it('traces can be turned off and on again', () => {
    expect(resolve({ trace: false }).settings.trace).toBe(false)
    expect(resolve({ trace: { entries: 3 } }).settings.trace).toEqual({ entries: 3, bytes: 32 * 1024 * 1024 })
  })
})

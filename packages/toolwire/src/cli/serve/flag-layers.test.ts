import { describe, expect, test } from 'vitest'
import { mergeLayers } from '../../config/layers.ts'
import { argumentsOf, cwd } from './environment.test-helper.ts'
import { layersOver } from './flag-layers.ts'

const config = (argv: readonly string[], env: Record<string, string> = {}) =>
  mergeLayers(layersOver(argumentsOf('serve', argv), { env, cwd }))

test.each([
  [[], {}],
  [['--port', '0', '--host', '::1'], { port: 0, host: '::1' }],
  [['--store', 'memory'], { store: { kind: 'memory' } }],
  [['--store', 'none'], { store: { kind: 'none' } }],
  [['--store', 'redis'], { store: { kind: 'redis' } }],
  [['--store', 'rediss://u:p@h/0'], { store: { kind: 'redis', url: 'rediss://u:p@h/0' } }],
  [['--store', 'valkey://h'], { store: { kind: 'redis', url: 'valkey://h' } }],
  [['--store', 'postgresql://h/d'], { store: { kind: 'postgres', url: 'postgresql://h/d' } }],
  [['--store', './with:colon.db'], { store: { kind: 'sqlite', path: `${cwd}/with:colon.db` } }],
  [['--store', './a.sqlite'], { store: { kind: 'sqlite', path: `${cwd}/a.sqlite` } }],
  [['--strict', '--insecure'], { losses: 'strict', insecure: true }],
  [['--log', 'json', '--quiet'], { log: { format: 'json', level: 'error' } }],
  [['--key-env', 'KEYS'], { keysEnv: 'KEYS' }],
  [['--operator-key-env', 'KEYS'], { operatorKeysEnv: 'KEYS' }],
])('The flags %j mean %j.', (argv, expected) => {
  expect(config(argv)).toEqual(expected)
})

test('Flags win over variables.', () => {
  const env = { PORT: '8080', HOST: '0.0.0.0' }
  expect(config([], env)).toEqual({ port: 8080, host: '0.0.0.0' })
  expect(config(['--port', '1'], env)).toEqual({ port: 1, host: '0.0.0.0' })
  expect(config([], { PORT: '', HOST: '' })).toEqual({})
})

describe('--upstream', () => {
  const upstreams = (...values: string[]) => config(values.flatMap(value => ['--upstream', value])).upstreams

  test('The flag --upstream takes a wire and an address.', () => {
    expect(upstreams('chat=http://127.0.0.1:11434/v1')).toEqual([
      { name: 'chat', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' },
    ])
  })

  test('The flag --upstream may name a key, models and a name.', () => {
    expect(upstreams('messages=https://a.test/v1,key=A_KEY,models=m1|m2*,name=a')).toEqual([
      {
        name: 'a',
        wire: 'messages',
        baseUrl: 'https://a.test/v1',
        apiKeyEnv: 'A_KEY',
        models: ['m1', 'm2*'],
      },
    ])
  })

  test('The flag --upstream may be repeated, and each upstream gets its own name.', () => {
    const names = upstreams('chat=http://a.test', 'chat=http://b.test', 'chat=http://c.test')
    expect(names?.map(({ name }) => name)).toEqual(['chat', 'chat-2', 'chat-3'])
  })
})

test.each([
  [['--port', 'x'], '--port must be a whole number from 0 to 65535; got "x".', undefined],
  [['--port', '70000'], '--port must be a whole number', undefined],
  [['--key-env', 'a b'], '--key-env: "keysEnv" must be the name of an environment variable', undefined],
  [
    ['--store', 'foo://u:secret@x.db'],
    '--store foo:… is an address of no store that is known.',
    'memory, none',
  ],
  [['--store', 'sqlite:./x.db'], '--store sqlite:… is an address of no store', 'memory, none'],
  [['--store', 'memroy'], '--store memroy is neither a kind of store nor a path.', 'memory, none'],
  [['--upstream', 'http://a.test'], 'names no address', 'Write --upstream chat=http'],
  [
    ['--upstream', 'openai=http://a.test'],
    'must be one of chat, responses, messages',
    '"chat" is OpenAI Chat',
  ],
  [['--upstream', 'chat=a.test'], '"baseUrl" must be an address', 'Write --upstream'],
  [['--upstream', 'chat=http://a.test,kye=A'], '"kye=A" says nothing here', 'Did you mean "key"?'],
  [['--upstream', 'chat=http://a.test,key='], '"key=" says nothing here', undefined],
  [['--upstream', 'chat=http://a.test', '--demo'], '--demo and --upstream contradict', 'Leave one out'],
])('The flags %j are refused.', (argv, message, hint) => {
  const attempt = (): unknown => config(argv)
  expect(attempt).toThrow(message)
  if (hint !== undefined)
    expect(attempt).toThrow(expect.objectContaining({ hint: expect.stringContaining(hint) }))
})

test('A variable with a wrong value is named.', () => {
  expect(() => config([], { PORT: 'http' })).toThrow(
    'PORT must be a whole number from 0 to 65535; got "http".',
  )
})

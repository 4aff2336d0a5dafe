import { describe, expect, it } from 'vitest'
import { mergeLayers } from '../../config/layers.ts'
import { argumentsOf, cwd } from './environment.test-helper.ts'
import { layersOver } from './flag-layers.ts'

const config = (argv: readonly string[], env: Record<string, string> = {}) =>
  mergeLayers(layersOver(argumentsOf('serve', argv), { env, cwd }))

it.each([
  [[], {}],
  [['--port', '0', '--host', '::1'], { port: 0, host: '::1' }],
  [['--store', 'memory'], { store: { kind: 'memory' } }],
  [['--store', 'none'], { store: { kind: 'none' } }],
  [['--store', './a.sqlite'], { store: { kind: 'sqlite', path: `${cwd}/a.sqlite` } }],
  [['--strict', '--insecure'], { losses: 'strict', insecure: true }],
  [['--log', 'json', '--quiet'], { log: { format: 'json', level: 'error' } }],
  [['--key-env', 'KEYS'], { keysEnv: 'KEYS' }],
])('%j says %j', (argv, expected) => {
  expect(config(argv)).toEqual(expected)
})

it('variables count less than flags', () => {
  const env = { PORT: '8080', HOST: '0.0.0.0' }
  expect(config([], env)).toEqual({ port: 8080, host: '0.0.0.0' })
  expect(config(['--port', '1'], env)).toEqual({ port: 1, host: '0.0.0.0' })
  expect(config([], { PORT: '', HOST: '' })).toEqual({})
})

describe('--upstream', () => {
  const upstreams = (...values: string[]) => config(values.flatMap(value => ['--upstream', value])).upstreams

  it('is a wire and an address', () => {
    expect(upstreams('chat=http://127.0.0.1:11434/v1')).toEqual([
      { name: 'chat', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' },
    ])
  })

  it('may name a key, models and itself', () => {
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

  it('may be given several times, each with a name of its own', () => {
    const names = upstreams('chat=http://a.test', 'chat=http://b.test', 'chat=http://c.test')
    expect(names?.map(({ name }) => name)).toEqual(['chat', 'chat-2', 'chat-3'])
  })
})

it.each([
  [['--port', 'x'], '--port must be a whole number from 0 to 65535; got "x".', undefined],
  [['--port', '70000'], '--port must be a whole number', undefined],
  [['--key-env', 'a b'], '--key-env: "keysEnv" must be the name of an environment variable', undefined],
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
])('%j is refused', (argv, message, hint) => {
  const attempt = (): unknown => config(argv)
  expect(attempt).toThrow(message)
  if (hint !== undefined)
    expect(attempt).toThrow(expect.objectContaining({ hint: expect.stringContaining(hint) }))
})

it('a variable with a wrong value is named', () => {
  expect(() => config([], { PORT: 'http' })).toThrow(
    'PORT must be a whole number from 0 to 65535; got "http".',
  )
})

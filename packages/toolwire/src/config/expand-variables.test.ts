import { expect, test } from 'vitest'
import { createMemoryIo } from '../terminal/memory-io.test-helper.ts'
import { ConfigError } from './config-error.ts'
import { loadConfig } from './load-config.ts'
import { readSettings } from './read-settings.ts'

const machine = { env: {}, platform: 'linux', home: '/home/me' }

const load = (config: unknown, env: Record<string, string> = {}) =>
  loadConfig(undefined, createMemoryIo({ files: { 'toolwire.config.json': JSON.stringify(config) }, env }).io)

const read = (config: unknown, env: Record<string, string> = {}) => {
  const { io } = createMemoryIo({ files: { 'toolwire.config.json': JSON.stringify(config) }, env })
  return readSettings({}, io, { ...machine, env })
}

const local = { name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:1/v1' }

test('Values take variables of the environment, as a whole and in their middle.', async () => {
  const upstreams = [
    { ...local, baseUrl: 'http://${HOST_NAME}:${NUMBER}/v1', apiKey: '${KEY}', models: ['${M}'] },
  ]
  const found = await load({ upstreams }, { HOST_NAME: 'gpu', NUMBER: '81', KEY: 'k', M: 'qwen' })
  expect(found?.config.upstreams).toEqual([
    { ...local, baseUrl: 'http://gpu:81/v1', apiKey: 'k', models: ['qwen'] },
  ])
})

test('What a variable holds is not looked at for other variables.', async () => {
  const found = await load({ model: '${A}' }, { A: '${B}', B: 'no' })
  expect(found?.config.model).toBe('${B}')
})

test('Two dollars stand for one, and a dollar alone for itself.', async () => {
  const found = await load({ model: '$${A} $5 $' }, { A: 'no' })
  expect(found?.config.model).toBe('${A} $5 $')
})

test.each([
  ['${NOPE}', 'The environment variable NOPE, which "model" needs, is not set.'],
  ['${EMPTY}', 'The environment variable EMPTY'],
  ['${A:-b}', 'names no environment variable'],
  ['${', 'names no environment variable'],
  ['${}', 'names no environment variable'],
  ['${__proto__}', 'The environment variable __proto__'],
])('The value %j is refused, with its place in the file.', async (model, message) => {
  const failure = await load({ model }, { EMPTY: '' }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ConfigError)
  expect((failure as ConfigError).problems).toMatchObject([
    { message: expect.stringContaining(message), where: 'toolwire.config.json:1:10' },
  ])
})

test('An upstream whose variables are not set is left out with a warning, and the rest serves.', async () => {
  const config = {
    upstreams: [
      local,
      { ...local, name: 'keyed', models: ['gpt-*'], apiKeyEnv: 'KEY_A' },
      { ...local, name: 'placed', models: ['far'], baseUrl: '${FAR_URL}', apiKey: '${KEY_B}' },
    ],
  }
  const { settings, problems, warnings } = await read(config)
  expect(problems).toEqual([])
  expect(settings.upstreams.map(({ name, disabled }) => [name, disabled === undefined])).toEqual([
    ['local', true],
    ['keyed', false],
    ['placed', false],
  ])
  expect(warnings).toEqual([
    expect.stringMatching(/^Upstream keyed is left out\. .*KEY_A.*export KEY_A=…$/),
    expect.stringMatching(/^Upstream placed is left out\. .*FAR_URL.*export FAR_URL=…$/),
    expect.stringMatching(/^Upstream placed is left out\. .*KEY_B.*export KEY_B=…$/),
  ])
})

test('Where no upstream would be left, the missing variable is a problem, with its place in the file.', async () => {
  const { problems } = await read({ upstreams: [{ ...local, apiKey: '${KEY}' }] })
  expect(problems).toMatchObject([
    { variable: 'KEY', where: expect.stringContaining('toolwire.config.json:1:') },
  ])
})

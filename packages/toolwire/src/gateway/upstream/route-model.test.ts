import { builtInWires } from '@toolwire/core'
import { expect, test } from 'vitest'
import type { Upstream } from '../settings.ts'
import { createModelRouter } from './route-model.ts'
import type { ServedUpstream } from './served.ts'
import { serveUpstream } from './served.ts'

const upstream = (name: string, more: Partial<Upstream> = {}): ServedUpstream =>
  serveUpstream(
    { name, wire: 'chat', baseUrl: `http://${name}.test/v1`, ...more },
    { wireNamed: () => builtInWires.chat, findKey: () => undefined },
  )

const route = createModelRouter([
  upstream('local', { models: ['qwen3', 'llama-*'], rename: { fast: 'qwen3:0.6b' } }),
  upstream('cloud', { models: ['qwen3', 'org/large'] }),
])

const to = (model: string): string => {
  const found = route(model)
  return `${found.upstream.name}: ${found.model}`
}

test.each([
  ['qwen3', 'local: qwen3'],
  ['cloud/qwen3', 'cloud: qwen3'],
  ['local/llama-4', 'local: llama-4'],
  ['local/fast', 'local: qwen3:0.6b'],
  ['org/large', 'cloud: org/large'],
  ['cloud/org/large', 'cloud: org/large'],
])('The model %s is routed to %s.', (model, expected) => {
  expect(to(model)).toBe(expected)
})

test.each(['local/gpt-5', 'cloud/llama-4', 'local/', 'nowhere/qwen3'])(
  'The model %s is not served: the name of an upstream does not get around its list of models.',
  model => {
    expect(() => route(model)).toThrow('No upstream serves the model')
  },
)

test('An upstream without a list takes any model under its name, and those that no other upstream serves.', () => {
  const open = createModelRouter([upstream('any'), upstream('local', { models: ['qwen3'] })])
  expect(open('any/qwen3')).toMatchObject({ upstream: { name: 'any' }, model: 'qwen3' })
  expect(open('local/gpt-5')).toMatchObject({ upstream: { name: 'any' }, model: 'local/gpt-5' })
})

const renaming = createModelRouter([
  upstream('local', {
    models: ['qwen3', 'claude-real', 'claude-*'],
    rename: { 'claude-*': 'qwen3:8b', 'claude-haiku-*': 'qwen3:0.6b', 'claude-exact': 'llama4' },
  }),
  upstream('router', { models: ['gpt-*'], rename: { 'gpt-*': 'openai/gpt-*' } }),
  upstream('rest', { models: ['kimi'], rename: { '*': 'kimi' } }),
])

test.each([
  ['claude-opus-4-8[1m]', 'local: qwen3:8b'],
  ['claude-haiku-5', 'local: qwen3:0.6b'],
  ['claude-exact', 'local: llama4'],
  ['claude-real', 'local: claude-real'],
  ['local/claude-opus', 'local: qwen3:8b'],
  ['gpt-6-sol', 'router: openai/gpt-6-sol'],
  ['anything', 'rest: kimi'],
  ['rest/anything', 'rest: kimi'],
])('Patterns of names send the model %s to %s.', (model, expected) => {
  const found = renaming(model)
  expect(`${found.upstream.name}: ${found.model}`).toBe(expected)
})

test('Where one model is chosen for all, every name goes to it as if it had been asked for.', () => {
  const upstreams = [
    upstream('a', { models: ['x'] }),
    upstream('b', { models: ['y'], rename: { fast: 'y:1b' } }),
  ]
  const only = createModelRouter(upstreams, 'fast')
  for (const model of ['x', 'gpt-5', 'b/y', '']) {
    expect(only(model)).toMatchObject({ upstream: { name: 'b' }, model: 'y:1b' })
  }
  expect(() => createModelRouter(upstreams, 'nowhere')('x')).toThrow('No upstream serves the model "nowhere"')
})

const refusalOf = (model: string, ...upstreams: ServedUpstream[]): string => {
  try {
    createModelRouter(upstreams)(model)
  } catch (error) {
    return String(error)
  }
  return ''
}

test('The refusal of an unknown model ends with a line that routes it once it is added.', () => {
  const settings = { models: ['gpt-*', 'x1'], rename: { fast: 'x1:mini' } }
  const refusal = refusalOf('zz', upstream('local', settings))
  expect(refusal).toContain('Served are: gpt-*, x1, fast. ')
  expect(refusal).toMatch(
    /add "rename": \{ "zz": "x1" \} to upstream "local" in the configuration, .* --model x1\.$/,
  )
  const added = upstream('local', { ...settings, rename: { ...settings.rename, zz: 'x1' } })
  expect(createModelRouter([added])('zz')).toMatchObject({ model: 'x1' })
})

test('The line names a model as its upstream does, and the flag as the gateway does.', () => {
  expect(refusalOf('zz', upstream('local', { models: ['gpt-*'], rename: { fast: 'x1:mini' } }))).toMatch(
    /"rename": \{ "zz": "x1:mini" \} .* --model fast\.$/,
  )
})

test('Where upstreams list patterns only, the line adds the name to the list.', () => {
  expect(refusalOf('zz', upstream('cloud', { models: ['gpt-*'] }))).toMatch(
    /If upstream "cloud" has it, add "zz" to its "models" in the configuration\.$/,
  )
})

test('The refusal lists no models of upstreams that cannot be used.', () => {
  const away = upstream('away', { models: ['y1', 'both'], disabled: 'KEY is not set.' })
  expect(refusalOf('zz', away, upstream('local', { models: ['x1', 'both'] }))).toContain(
    'Served are: x1, both. ',
  )
  expect(refusalOf('zz', away)).toMatch(/"zz"\. None can be used: look at the warnings of the gateway\.$/)
})

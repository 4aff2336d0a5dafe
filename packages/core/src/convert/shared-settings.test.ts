/** Settings that both wires have are converted; others are reported. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'
import type { Profile } from '../wires/profile.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'

const question: { readonly [W in Wire]: JsonObject } = {
  chat: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  responses: { model: 'm', input: 'hi' },
  messages: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
}

function convert(from: Wire, to: Wire, settings: JsonObject, profile: Partial<Profile> = {}) {
  const { value, diagnostics } = createExchange({ from, to, profile }).request({
    ...question[from],
    ...settings,
  })
  const told = diagnostics.map(({ code, path }) => `${code} ${path.join('.')}`)
  return { value, told: told.filter(text => !text.startsWith('output_limit_added')) }
}

const openAi = ['chat', 'responses'] as const
const pairs = openAi.flatMap(from => openAi.map(to => ({ from, to })))

describe.each(pairs)('from $from to $to', ({ from, to }) => {
  test.each<JsonObject>([
    { moderation: { model: 'omni-moderation-latest', policy: { input: { mode: 'block' } } } },
    { prompt_cache_options: { mode: 'explicit', ttl: '30m' } },
    { stream_options: { include_obfuscation: false } },
  ])('The settings %j are converted.', settings => {
    const { value, told } = convert(from, to, settings)
    expect(value).toMatchObject(settings)
    expect(told).toEqual([])
  })

  test('Unknown fields inside the settings stay on their wire.', () => {
    const more = { prompt_cache_options: { mode: 'implicit', newer: 1 } }
    const { value, told } = convert(from, to, more)
    expect(value).toMatchObject(from === to ? more : { prompt_cache_options: { mode: 'implicit' } })
    expect(told).toEqual(from === to ? [] : ['field_dropped prompt_cache_options.newer'])
  })
})

describe('penalties', () => {
  const penalties = { frequency_penalty: 0.5, presence_penalty: -0.25 }

  test('The penalties of a Responses request are sent to Chat.', () => {
    expect(convert('responses', 'chat', penalties)).toMatchObject({ value: penalties, told: [] })
  })

  test('The penalties of a Chat request are dropped and reported if the Responses server takes none.', () => {
    const { value, told } = convert('chat', 'responses', penalties)
    expect(value).not.toHaveProperty('frequency_penalty')
    expect(value).not.toHaveProperty('presence_penalty')
    expect(told).toEqual(['field_dropped frequency_penalty', 'field_dropped presence_penalty'])
  })

  test('Penalties are sent to an Open Responses server, which takes them.', () => {
    const { value, told } = convert('chat', 'responses', penalties, { penalties: true })
    expect({ value, told }).toMatchObject({ value: penalties, told: [] })
  })

  test('Penalties of 0 are not a loss.', () => {
    const none = { frequency_penalty: 0, presence_penalty: 0 }
    for (const to of ['responses', 'messages'] as const) {
      const { value, told } = convert('chat', to, none)
      expect(value).not.toHaveProperty('frequency_penalty')
      expect(told).toEqual([])
    }
  })

  test.each(openAi)('The penalties of a %s request are dropped on Messages.', from => {
    const { told } = convert(from, 'messages', penalties)
    expect(told).toEqual(['field_dropped frequency_penalty', 'field_dropped presence_penalty'])
    expect(() => createExchange({ from, to: 'messages', profile: { penalties: true } })).toThrow(/penalties/)
  })
})

test('A cache lifetime that Chat cannot express is dropped without the other cache settings.', () => {
  const { value, told } = convert('responses', 'chat', {
    prompt_cache_options: { mode: 'explicit', ttl: '12h' },
  })
  expect(value.prompt_cache_options).toEqual({ mode: 'explicit' })
  expect(told).toEqual(['hint_dropped prompt_cache_options.ttl'])
})

test('Without "logprobs", "top_logprobs" is not sent to Chat.', () => {
  expect(convert('responses', 'chat', { top_logprobs: 2 })).toEqual({
    value: question.chat,
    told: ['hint_dropped top_logprobs'],
  })
  expect(convert('responses', 'chat', { top_logprobs: 0 })).toEqual({ value: question.chat, told: [] })
  const include = ['message.output_text.logprobs']
  expect(convert('responses', 'chat', { top_logprobs: 2, include }).value).toMatchObject({
    logprobs: true,
    top_logprobs: 2,
  })
  expect(convert('chat', 'chat', { top_logprobs: 2 }).value).toHaveProperty('top_logprobs', 2)
})

test('Settings that only OpenAI’s wires have are reported on the way to Messages.', () => {
  const settings = {
    moderation: { model: 'omni-moderation-latest' },
    prompt_cache_options: { mode: 'explicit', ttl: '30m' },
    stream_options: { include_obfuscation: true },
  }
  const told = [
    'field_dropped moderation',
    'hint_dropped prompt_cache_options.ttl',
    'hint_dropped stream_options.include_obfuscation',
  ]
  for (const from of openAi) expect(convert(from, 'messages', settings).told.sort()).toEqual(told)
})

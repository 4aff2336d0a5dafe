/** What hosts and models refuse is not sent to them, and whoever knows better says so in the profile. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'
import { profileFor } from '../local-answer.ts'
import { hostAt, hosts } from '../presets/hosts.ts'
import { modelFacts } from '../presets/model-facts.ts'
import { loadCounter } from '../tokens/counters.ts'
import { samples } from '../tokens/text-samples.test-helper.ts'
import type { Profile } from '../wires/profile.ts'
import { builtInWires, type BuiltInWire as Wire } from '../wires/registry.ts'

const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }
const chatRequest = { messages: [{ role: 'user', content: 'Hi.' }] }
const messagesRequest = { max_tokens: 99, messages: [{ role: 'user', content: 'Hi.' }] }

interface Sent {
  readonly value: JsonObject
  /** Codes and severities, with the paths. */
  readonly told: readonly string[]
}

function send(
  from: Wire,
  to: Wire,
  body: object,
  options: { readonly profile?: Partial<Profile>; readonly model?: string } = {},
): Sent {
  const { value, diagnostics } = createExchange({ from, to, ...options }).request(body)
  return {
    value,
    told: diagnostics.map(({ code, severity, path }) => `${severity} ${code} ${path.join('.')}`),
  }
}

describe('models that refuse functions on Chat', () => {
  const asked = { ...messagesRequest, tools: [{ name: 'look', input_schema: { type: 'object' } }] }

  test.each(['gpt-5.6', 'gpt-5.6-sol', 'gpt-6-sol', 'openai/gpt-6-luna'])(
    '%s gets functions on Chat only without reasoning.',
    model => {
      const { value, told } = send('messages', 'chat', { ...asked, model })
      expect(value.reasoning_effort).toBe('none')
      expect(told).toContain('warning reasoning_switched_off model')
    },
  )

  test.each(['gpt-6-astra', 'gpt-6.1-sol'])('%s gets no functions on Chat at all.', model => {
    expect(send('messages', 'chat', { ...asked, model }).told).toContain('error tools_refused tools')
    expect(send('messages', 'responses', { ...asked, model }).told).not.toContain('error tools_refused tools')
  })

  test('A model of another name, and one without tools, reasons as it likes.', () => {
    expect(send('messages', 'chat', { ...asked, model: 'gpt-60' }).value).not.toHaveProperty(
      'reasoning_effort',
    )
    expect(send('messages', 'chat', { ...messagesRequest, model: 'gpt-6-astra' }).told).toEqual([])
  })

  test("The upstream's name of the model decides, not the client's.", () => {
    const { value } = send('messages', 'chat', { ...asked, model: 'fast' }, { model: 'gpt-5.6' })
    expect(value).toMatchObject({ model: 'fast', reasoning_effort: 'none' })
  })

  test('A fact that has aged is overridden, for all models or for one.', () => {
    const request = { ...asked, model: 'gpt-5.6' }
    for (const profile of [
      { functions: 'always' },
      { models: { 'gpt-5.6': { functions: 'always' } } },
    ] as const) {
      expect(send('messages', 'chat', request, { profile }).value).not.toHaveProperty('reasoning_effort')
    }
  })
})

describe('models of Anthropic', () => {
  test('A model that cannot be forced to call is asked to choose freely, which is an error.', () => {
    const forced = { ...chatRequest, tools: [tool], tool_choice: 'required' }
    const { value, told } = send('chat', 'messages', { ...forced, model: 'claude-opus-5-5' })
    expect(value).not.toHaveProperty('tool_choice')
    expect(told).toContain('error tool_choice_refused tool_choice')
    expect(send('chat', 'messages', { ...forced, model: 'claude-opus-5' }).value.tool_choice).toEqual({
      type: 'any',
    })
  })

  test('A model that refuses sampling parameters gets none, and those that do nothing are no loss.', () => {
    const model = 'claude-sonnet-5'
    const { value, told } = send('chat', 'messages', { ...chatRequest, model, temperature: 0.2, top_p: 1 })
    expect(value).not.toHaveProperty('temperature')
    expect(value).not.toHaveProperty('top_p')
    expect(told).toContain('warning field_dropped temperature')
    expect(told.join()).not.toContain('top_p')
    const older = { ...chatRequest, model: 'claude-opus-4-6', temperature: 0.2 }
    expect(send('chat', 'messages', older).value.temperature).toBe(0.2)
  })

  test.each([
    ['claude-haiku-4-5-20251001', 'high', undefined, 'info hint_dropped reasoning_effort'],
    ['claude-sonnet-4-5', 'high', undefined, 'info hint_dropped reasoning_effort'],
    ['claude-opus-4-5', 'max', 'high', 'warning effort_changed reasoning_effort'],
    ['claude-opus-4-6', 'xhigh', 'high', 'warning effort_changed reasoning_effort'],
    ['claude-opus-4-6', 'max', 'max', undefined],
    ['claude-sonnet-5-5', 'xhigh', 'xhigh', undefined],
  ])('%s asked for the effort %s gets %s.', (model, reasoning_effort, sent, expected) => {
    const { value, told } = send('chat', 'messages', { ...chatRequest, model, reasoning_effort })
    expect((value.output_config as JsonObject | undefined)?.effort).toBe(sent)
    const about = told.filter(text => text.endsWith('reasoning_effort'))
    expect(about).toEqual(expected === undefined ? [] : [expected])
  })

  test.each([
    ['claude-opus-5-5', 128_000],
    ['claude-sonnet-4-5', 64_000],
    ['claude-3-5-haiku-latest', 8192],
    ['glm-5', 32_000],
  ])('%s may write as much as it can, %i tokens, unless the client says less.', (model, most) => {
    const limit = (more: object): unknown =>
      send('chat', 'messages', { ...chatRequest, model, ...more }).value.max_tokens
    expect(limit({})).toBe(most)
    expect(limit({ max_tokens: 7 })).toBe(7)
  })

  const limitFor = (from: Wire, request: object): number =>
    send(from, 'messages', { model: 'claude-sonnet-4-5', ...request }).value.max_tokens as number
  const limitForText = (content: string): number =>
    limitFor('chat', { messages: [{ role: 'user', content }] })

  test.each(Object.keys(samples))('The output limit leaves room for long %s in the window.', async kind => {
    const sample = samples[kind] as string
    const { count } = await loadCounter('o200k_base')
    for (const tokens of [1000, 80_000, 110_000]) {
      const text = `${sample}\n`.repeat(tokens / count(`${sample}\n`))
      const most = 200_000 - count(text)
      expect(limitForText(text)).toBeLessThanOrEqual(Math.min(64_000, most))
      // What is left of the room goes to the doubt about the count.
      expect(limitForText(text)).toBeGreaterThanOrEqual(Math.min(64_000, most - 0.65 * tokens))
    }
    expect(limitForText(`${sample}\n`.repeat(400_000 / count(sample)))).toBe(4096)
  })

  test('Sealed reasoning takes no room, since it is no text.', () => {
    const sealed = { type: 'reasoning', summary: [], encrypted_content: 'x'.repeat(900_000) }
    expect(limitFor('responses', { input: [sealed, { role: 'user', content: 'Hi.' }] })).toBe(64_000)
  })
})

describe('models of OpenAI', () => {
  test.each([
    ['gpt-4o', { reasoning_effort: 'low', temperature: 0.3 }, { temperature: 0.3 }],
    ['o3', { temperature: 0.3 }, {}],
    ['gpt-5.2', { temperature: 0.3 }, { temperature: 0.3 }],
    ['gpt-5.2', { reasoning_effort: 'low', temperature: 0.3 }, { reasoning: { effort: 'low' } }],
    ['gpt-6-astra', { reasoning_effort: 'minimal' }, { reasoning: { effort: 'low' } }],
    ['gpt-6-astra', { reasoning_effort: 'none' }, { reasoning: { effort: 'low' } }],
  ])('%s is sent of %j on Responses what it takes.', (model, settings, expected) => {
    const { value } = send('chat', 'responses', { ...chatRequest, model, ...settings })
    const { temperature, reasoning } = value
    expect(JSON.parse(JSON.stringify({ temperature, reasoning }))).toEqual(expected)
  })
})

describe('what a host takes', () => {
  test('A name of a user that is too long keeps its beginning and ends in a hash, the same each time.', () => {
    const user_id = `user_${'a1'.repeat(70)}_session_1`
    const shorten = (id: string, to: Wire): unknown =>
      send('messages', to, { ...messagesRequest, metadata: { user_id: id } }).value.user
    for (const to of ['chat', 'responses'] as const) {
      const user = shorten(user_id, to) as string
      expect(user).toHaveLength(64)
      expect(user.startsWith('user_a1a1')).toBe(true)
      expect(shorten(user_id, to)).toBe(user)
      expect(shorten(`${user_id}2`, to)).not.toBe(user)
      expect(shorten('short', to)).toBe('short')
    }
    const { told } = send('messages', 'chat', { ...messagesRequest, metadata: { user_id } })
    expect(told).toEqual(['info identifier_shortened metadata.user_id'])
  })

  test.each(['messages', 'responses', 'chat'] as const)(
    'Mistral is sent no field that it refuses by a client of %s, and the output limit under its older name.',
    from => {
      const facts = hosts.find(({ name }) => name === 'mistral')?.facts?.chat
      if (facts === undefined) throw new Error('Nothing is known of Mistral.')
      const bodies = {
        messages: { ...messagesRequest, metadata: { user_id: 'me' }, stream: true },
        responses: { input: 'Hi.', store: false, user: 'me', max_output_tokens: 99, stream: true },
        chat: { ...chatRequest, store: false, user: 'me', max_completion_tokens: 99, stream: true },
      }
      const { value, told } = send(from, 'chat', bodies[from], { profile: facts })
      expect(value).toEqual({ messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 99, stream: true })
      expect(told.every(text => text.startsWith('info hint_dropped'))).toBe(true)
    },
  )

  test('A tool that waits for a tool search is shown where nothing searches.', () => {
    const asked = {
      ...messagesRequest,
      tools: [{ name: 'look', input_schema: { type: 'object' }, defer_loading: true }],
    }
    const { value, told } = send('messages', 'responses', asked)
    expect((value.tools as JsonObject[])[0]).not.toHaveProperty('defer_loading')
    expect(told).toContain('info tool_shown tools.0.defer_loading')
  })
})

describe('the tables', () => {
  test('Every host speaks wires that exist, has a source and a date, and states only facts of those wires.', () => {
    for (const { wires, facts = {}, wireUrls = {}, defines = [], source, date } of hosts) {
      for (const name of [...wires, ...Object.keys(facts), ...Object.keys(wireUrls), ...defines]) {
        expect(Object.keys(builtInWires)).toContain(name)
        expect(wires).toContain(name)
      }
      expect(source).not.toBe('')
      expect(date).toMatch(/^20\d\d-\d\d(-\d\d)?$/)
      for (const wire of wires as readonly Wire[]) {
        expect(() => createExchange({ from: 'chat', to: wire, profile: facts[wire] ?? {} })).not.toThrow()
      }
    }
  })

  test('Every fact about a model has a source and a date, and holds for the models it names.', () => {
    for (const [wire, list] of Object.entries(modelFacts)) {
      for (const { models, source, date } of list) {
        expect(source).not.toBe('')
        expect(date).toMatch(/^20\d\d-\d\d(-\d\d)?$/)
        for (const model of models) expect(profileFor(wire as Wire, model)).toBeDefined()
      }
    }
    expect(profileFor('messages', 'claude-sonnet-4-6')).toMatchObject({ effort: true, contextWindow: 1e6 })
    expect(profileFor('messages', 'claude-sonnet-4-6', { contextWindow: 5 }).contextWindow).toBe(5)
  })

  test.each([
    ['https://api.openai.com/v1/', 'openai'],
    ['https://api.deepseek.com/anthropic/v1', 'deepseek'],
    ['http://localhost:11434/v1', 'ollama'],
    ['http://127.0.0.1:8000/v1', undefined],
    ['https://api.openai.com.evil.test/v1', undefined],
  ])('The address %s is that of %s.', (url, name) => {
    expect(hostAt(url)?.name).toBe(name)
  })
})

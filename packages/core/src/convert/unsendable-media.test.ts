/** What the user put in and the target cannot take: refused in the newest turn, noted in earlier ones. */
import { describe, expect, test } from 'vitest'
import type { ExchangeOptions } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'
import type { BuiltInWire } from '../wires/registry.ts'
import { crossings, open } from './calls.test-helper.ts'

type Kind = 'image' | 'file' | 'audio'

const byId: { readonly [W in BuiltInWire]: { readonly [K in Kind]?: JsonObject } } = {
  chat: {
    file: { type: 'file', file: { file_id: 'file-1' } },
    audio: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  },
  responses: {
    image: { type: 'input_image', file_id: 'file-1', detail: 'auto' },
    file: { type: 'input_file', file_id: 'file-1' },
    audio: { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  },
  messages: {
    image: { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    file: { type: 'document', source: { type: 'file', file_id: 'file_1' } },
  },
}

/** Ids of files mean the same on both wires of OpenAI, except that Chat has none for images. */
const isTaken = (kind: Kind, from: BuiltInWire, to: BuiltInWire): boolean =>
  kind === 'file' && from !== 'messages' && to !== 'messages'

const cases = crossings.flatMap(([from, to]) =>
  (Object.keys(byId[from]) as Kind[])
    .filter(kind => !isTaken(kind, from, to))
    .map(kind => [kind, from, to] as const),
)

describe.each(cases)('%s from %s to %s', (kind, from, to) => {
  const part = byId[from][kind] as JsonObject
  const text = (words: string): JsonObject =>
    from === 'responses' ? { type: 'input_text', text: words } : { type: 'text', text: words }
  const asked = { role: 'user', content: [text('What is this?'), part] }
  const later = [asked, { role: 'assistant', content: 'A cat.' }, { role: 'user', content: 'And its name?' }]
  const convert = (turns: readonly object[], media?: ExchangeOptions['media']) => {
    const history = from === 'responses' ? { input: turns } : { messages: turns }
    const profile = { cachesOnRequest: false }
    const exchange = open({ from, to, profile, ...(media !== undefined && { media }) })
    const { value, diagnostics } = exchange.request({ model: 'm', max_tokens: 64, ...history })
    const told = diagnostics.filter(({ code }) => /^media|^part/.test(code))
    return {
      value: JSON.stringify(value),
      told: told.map(({ code, severity }) => `${code} ${severity}`),
      diagnostics,
    }
  }

  test('In the newest turn it is an error that names the place and the remedy.', () => {
    const { told, diagnostics } = convert([asked])
    expect(told).toEqual(['media_refused error'])
    const error = diagnostics.find(({ code }) => code === 'media_refused')
    expect(error?.path.slice(1)).toEqual([0, 'content', 1])
    expect(error?.message).toMatch(/ Send /)
  })

  test('A beginning of the answer after it leaves it in the newest turn.', () => {
    expect(convert([asked, { role: 'assistant', content: 'It is' }]).told).toEqual(['media_refused error'])
  })

  test('In an earlier turn a note takes its place, and the loss is reported.', () => {
    const { value, told } = convert(later)
    expect(told).toEqual(['media_replaced warning'])
    expect(value).toMatch(/\[.* that cannot be shown here\]/)
    expect(value).not.toMatch(/file.1|AAAA/)
  })

  test('The option asks for a note or for nothing, for all kinds or for one.', () => {
    expect(convert([asked], 'note').told).toEqual(['media_replaced warning'])
    expect(convert([asked], { [kind]: 'note' }).told).toEqual(['media_replaced warning'])
    expect(convert([asked], { [kind]: 'drop' }).told).toEqual(['part_dropped warning'])
    expect(convert(later, 'drop').value).not.toMatch(/cannot be shown|file.1|AAAA/)
    expect(convert([asked], { video: 'drop' }).told).toEqual(['media_refused error'])
  })

  test('A note in the newest turn is the same as in an earlier one, so that the prefix stays.', () => {
    const [first, second] = [convert([asked], 'note'), convert(later, 'note')].map(({ value }) =>
      JSON.parse(value),
    )
    const history = (body: JsonObject): unknown[] => (body.messages ?? body.input) as unknown[]
    expect(history(second)[0]).toEqual(history(first)[0])
  })

  test('In the result of a tool it is noted, because the loop has to go on.', () => {
    if (from === 'chat' || kind === 'audio') return
    const call =
      from === 'responses'
        ? { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
        : { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] }
    const result =
      from === 'responses'
        ? { type: 'function_call_output', call_id: 'c', output: [part] }
        : { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [part] }] }
    const { value, told } = convert([{ role: 'user', content: 'go' }, call, result])
    expect(told).toEqual(['media_replaced warning'])
    expect(value).toMatch(/that cannot be shown here/)
  })
})

test('A file by its address is refused where only data is taken, and its data is not.', () => {
  const ask = (part: object) =>
    open({ from: 'responses', to: 'chat' }).request({
      model: 'm',
      input: [{ role: 'user', content: [part] }],
    })
  const url = ask({ type: 'input_file', file_url: 'https://example.com/a.pdf' })
  expect(url.diagnostics).toMatchObject([{ code: 'media_refused', path: ['input', 0, 'content', 0] }])
  const data = ask({
    type: 'input_file',
    filename: 'a.pdf',
    file_data: 'data:application/pdf;base64,JVBERi0=',
  })
  expect(data.diagnostics).toEqual([])
})

test('An upstream may say that it takes more, or whose files it knows.', () => {
  const part = { type: 'input_file', file_id: 'file-1' }
  const body = { model: 'm', input: [{ role: 'user', content: [part] }] }
  const { value, diagnostics } = open({
    from: 'responses',
    to: 'messages',
    profile: { fileStore: 'openai' },
  }).request(body)
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(JSON.stringify(value)).toContain('file-1')
})

test.each([
  ['media', 'never'],
  ['media.image', { image: 'never' }],
  ['media', { smell: 'note' }],
])('A wrong "%s" throws.', (name, media) => {
  expect(() => open({ from: 'chat', to: 'messages', media: media as never })).toThrow(`"${name}"`)
})

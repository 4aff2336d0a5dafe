/** Answers that end with a word that no vendor documents, on every pair of wires, whole and streamed. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange, defineTool, runConversation } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { asking, native, speaker, streamed, wires } from '../conversation/native.ts'

const word = 'brownout'
const pairs = wires.flatMap(from => wires.map(to => [from, to] as const))
const foreign = pairs.filter(([from, to]) => from !== to)
const said = { text: 'Let me look.', calls: [{ id: 'call_1', name: 'look', input: { at: 1 } }] }

/** The answer, ended by the word. */
function ended(wire: Wire, raw: unknown, what: object = said): JsonObject {
  const body = native(wire, what)
  if (wire === 'responses') return { ...body, status: raw }
  if (wire === 'messages') return { ...body, stop_reason: raw }
  const [choice] = body.choices as [JsonObject]
  return { ...body, choices: [{ ...choice, finish_reason: raw }] }
}

/** The same as a stream: the frames of a proper answer, with another word in the last ones. */
function endedStream(wire: Wire, raw: unknown): string {
  const text = streamed(wire, native(wire, said), { stream: true }).join('')
  const json = JSON.stringify(raw)
  if (wire === 'chat') return text.replace('"finish_reason":"tool_calls"', `"finish_reason":${json}`)
  if (wire === 'messages') return text.replace('"stop_reason":"tool_use"', `"stop_reason":${json}`)
  const at = text.lastIndexOf('event: response.completed')
  const last = text.slice(at)
  const { response, ...frame } = JSON.parse(/^data: (\{.*)$/m.exec(last)?.[1] ?? '{}') as {
    response: JsonObject
  }
  const data = JSON.stringify({ ...frame, response: { ...response, status: raw } })
  return `${text.slice(0, at)}event: response.completed\ndata: ${data}\n\n`
}

const framesOf = (text: string): JsonObject[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json) as JsonObject)

/** How the client sees the end. */
function endOf(wire: Wire, body: JsonObject): unknown {
  if (wire === 'chat') return (body.choices as [JsonObject])[0].finish_reason
  return wire === 'messages' ? body.stop_reason : [body.status, body.incomplete_details]
}

function streamEndOf(wire: Wire, frames: readonly JsonObject[]): unknown {
  if (wire === 'responses') return endOf(wire, frames.at(-1)?.response as JsonObject)
  if (wire === 'messages')
    return frames.flatMap(({ delta }) => (delta as JsonObject | undefined)?.stop_reason ?? []).at(-1)
  return frames.flatMap(({ choices }) => (choices as JsonObject[]) ?? []).findLast(c => c.finish_reason)
    ?.finish_reason
}

const cut = {
  chat: 'length',
  messages: 'max_tokens',
  responses: ['incomplete', { reason: 'max_output_tokens' }],
}

function exchangeOf(from: Wire, to: Wire, stream: boolean) {
  const exchange = createExchange({ from, to })
  exchange.request({ ...asking(from, 'hi'), ...(stream && { stream }) })
  return exchange
}

describe('an answer that ends with an unknown word', () => {
  test.each(foreign)(
    'It is cut short for a client of %s with an upstream of %s, and the word is reported.',
    (from, to) => {
      const { value, diagnostics, finish } = exchangeOf(from, to, false).response(ended(to, word))
      expect(endOf(from, value)).toEqual(cut[from])
      expect(finish).toBe('unfinished')
      expect(diagnostics.filter(({ code }) => code === 'finish_unknown')).toMatchObject([
        { message: expect.stringContaining(`"${word}"`) },
      ])
    },
  )

  test.each(foreign)(
    'Its stream is cut short for a client of %s with an upstream of %s, and the word is reported.',
    (from, to) => {
      const stream = exchangeOf(from, to, true).stream()
      const frames = framesOf(stream.push(endedStream(to, word)) + stream.end())
      expect(streamEndOf(from, frames)).toEqual(cut[from])
      expect(JSON.stringify(stream.diagnostics)).toContain(word)
      expect(stream.diagnostics.map(({ code }) => code)).toContain('finish_unknown')
      const types = frames.map(({ type }) => type)
      if (to !== 'responses') expect(types).not.toContain('response.function_call_arguments.done')
    },
  )

  test.each(wires)('It goes back to a client of %s as it came.', wire => {
    const body = ended(wire, word)
    expect(exchangeOf(wire, wire, false).response(body).value).toEqual(body)
  })

  test.each(wires.flatMap(wire => [[wire, false] as const, [wire, true] as const]))(
    'A conversation on %s (streamed: %s) runs none of its calls and fails with the word.',
    async (wire, stream) => {
      let runs = 0
      const look = defineTool({
        name: 'look',
        description: 'Looks.',
        parameters: { type: 'object', properties: { at: { type: 'number' } } },
        handler: () => ++runs,
      })
      const model = speaker(wire, [() => (stream ? [endedStream(wire, word)] : ended(wire, word))])
      const request = { ...asking(wire, 'hi'), ...(stream && { stream }) }
      const result = await runConversation({ wire, request, tools: [look], send: model.send })
      expect(runs).toBe(0)
      expect(result).toMatchObject({ reason: 'failed', text: 'Let me look.' })
      expect(result.error?.message).toContain(`"${word}"`)
    },
  )

  test.each(
    foreign.flatMap(([from, to]) => ['queued', 'cancelled', null].map(raw => [from, to, raw] as const)),
  )('A client of %s with an upstream of %s gets a word where the end is %s.', (from, to, raw) => {
    const body = ended(to, raw, { text: 'Half' })
    const got = endOf(from, exchangeOf(from, to, false).response(body).value)
    if (from === 'responses') {
      const [status, details] = got as [string, JsonObject | null]
      if (status === 'incomplete') expect(details?.reason).toEqual(expect.any(String))
    } else expect(got).toEqual(expect.any(String))
  })
})

describe('words of other vendors', () => {
  test.each([
    ['chat', 'end_turn', ['completed', null]],
    ['chat', 'STOP', ['completed', null]],
    ['chat', 'eos', ['completed', null]],
    ['chat', 'model_length', ['incomplete', { reason: 'max_output_tokens' }]],
    ['chat', 'MAX_TOKENS', ['incomplete', { reason: 'max_output_tokens' }]],
    ['messages', 'stop', ['completed', null]],
    ['messages', 'length', ['incomplete', { reason: 'max_output_tokens' }]],
    ['messages', 'content_filter', ['incomplete', { reason: 'content_filter' }]],
  ] as const)('An upstream of %s that ends with %s is understood.', (to, raw, expected) => {
    const { value, diagnostics } = exchangeOf('responses', to, false).response(ended(to, raw, { text: 'x' }))
    expect(endOf('responses', value)).toEqual(expected)
    expect(diagnostics.map(({ code }) => code)).not.toContain('finish_unknown')
  })
})

test.each(['chat', 'responses', 'messages'] as const)(
  'An end of %s that is no word is no complete answer.',
  to => {
    for (const from of ['chat', 'responses', 'messages'] as const) {
      if (from === to) continue
      for (const raw of [5, true, {}]) {
        const body = exchangeOf(from, to, false).response(ended(to, raw)).value as JsonObject
        expect(endOf(from, body)).toEqual(cut[from])
        const stream = exchangeOf(from, to, true).stream()
        const text = stream.push(endedStream(to, raw)) + stream.end()
        expect(streamEndOf(from, framesOf(text))).toEqual(cut[from])
      }
    }
  },
)

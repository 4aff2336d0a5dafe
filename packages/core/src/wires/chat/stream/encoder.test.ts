/** The chunks that the stream encoder writes for events of any wire. */

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../json/object.ts'
import type { Part } from '../../../model/conversation.ts'
import { createReport } from '../../../model/diagnostic.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { chatConversation } from '../conversation.ts'

function encode(events: readonly StreamEvent[], request: JsonObject = { model: 'asked' }) {
  const { report, diagnostics } = createReport()
  const context = { newId: (prefix: string) => `${prefix}new`, now: () => 99, request }
  const encoder = chatConversation.createStreamEncoder(context, report)
  const frames = events.map(event => encoder.push(event))
  const data = frames.join('').split('\n\n').slice(0, -1)
  const chunks = data.filter(line => !line.endsWith('[DONE]')).map(line => JSON.parse(line.slice(6)) as Chunk)
  return { frames, chunks, deltas: chunks.flatMap(({ choices }) => choices?.[0]?.delta ?? []), diagnostics }
}

interface Chunk extends JsonObject {
  readonly choices?: readonly { readonly delta: JsonObject; readonly finish_reason: unknown }[]
}

const path = ['output', 0]
const start: StreamEvent = { type: 'start' }
const finish: StreamEvent = { type: 'finish', finish: { reason: 'stop' } }
const begin = (index: number, part: Part): StreamEvent => ({ type: 'part-start', index, part })
const end = (index: number, part: Part): StreamEvent => ({ type: 'part-end', index, part })
const more = (index: number, text: string, rest: object = {}): StreamEvent => ({
  type: 'part-delta',
  index,
  text,
  ...rest,
})
const text = (value: string): Part => ({ kind: 'text', text: value, path })

describe('the Chat stream encoder', () => {
  test('Every chunk has the same id, a new one if the source has none, and absent keys are omitted. [field E09]', () => {
    const call: Part = { kind: 'call', form: 'function', id: 'a', name: 'f', input: '{}', path }
    const { chunks, deltas, frames } = encode([
      start,
      begin(0, { ...call, input: '' }),
      more(0, '{}'),
      end(0, call),
      finish,
    ])
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        id: 'chatcmpl-new',
        created: 99,
        model: 'asked',
        object: 'chat.completion.chunk',
      })
    }
    expect(deltas).toEqual([
      { role: 'assistant', content: null, refusal: null },
      { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      {},
    ])
    for (const frame of frames) expect(frame === '' || frame.endsWith('\n\n')).toBe(true)
  })

  test('A part that has only an end is written complete, and missing text is written before an end. [field E03]', () => {
    expect(encode([start, end(0, text('all')), finish]).deltas[1]).toEqual({ content: 'all' })
    const { deltas } = encode([start, begin(0, text('')), more(0, 'al'), end(0, text('all')), finish])
    expect(deltas.slice(1, -1)).toEqual([{ content: 'al' }, { content: 'l' }])
  })

  test('Of two texts that overlap, the later one waits.', () => {
    const { deltas } = encode([
      start,
      begin(0, text('')),
      begin(1, text('')),
      more(1, 'b'),
      more(0, 'a'),
      end(1, text('b')),
      end(0, text('a')),
      finish,
    ])
    expect(deltas.slice(1, -1)).toEqual([{ content: 'a' }, { content: 'b' }])
  })

  test('Sections of a summary are separated, and of the two texts of a reasoning the first is written.', () => {
    const part: Part = { kind: 'reasoning', summary: ['a', 'b'], text: ['raw'], path }
    const { deltas, diagnostics } = encode([
      start,
      begin(0, { ...part, summary: [], text: [] }),
      more(0, 'a', { summary: true, section: 0 }),
      more(0, 'raw'),
      more(0, 'b', { summary: true, section: 1 }),
      end(0, part),
      finish,
    ])
    expect(deltas.slice(1, -1)).toEqual([{ reasoning_content: 'a' }, { reasoning_content: '\n\nb' }])
    expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: [...path, 'text'] }])
  })

  test('Parts that Chat cannot express are reported with their path and skipped.', () => {
    const hosted: Part = { kind: 'hosted', wire: 'responses', type: 'web_search_call', value: {}, path }
    const sealed: Part = {
      kind: 'reasoning',
      summary: [],
      text: [],
      path,
      seal: { wire: 'messages', value: 'S' },
    }
    const call: Part = { kind: 'call', form: 'function', id: 'a', name: 'f', namespace: 'n', input: '', path }
    const foreign = { wire: 'responses', at: [], entries: [[['billing'], 'x']] } as const
    const { diagnostics, frames } = encode([
      start,
      ...[hosted, sealed, call].flatMap((part, i) => [begin(i, part), end(i, part)]),
      { ...finish, residue: foreign } as StreamEvent,
    ])
    expect(diagnostics.map(({ code, path: at }) => [code, at])).toEqual([
      ['part_dropped', path],
      ['reasoning_sealed', path],
      ['field_dropped', [...path, 'namespace']],
      ['field_dropped', ['billing']],
    ])
    expect(frames.join('')).not.toContain('"S"')
  })

  test('Residue of Chat returns in the last chunk, and that of a call with the call.', () => {
    const { report } = createReport()
    const decoder = chatConversation.createStreamDecoder(report)
    const call = {
      index: 0,
      id: 'a',
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      extra: { s: 1 },
    }
    const events = [
      { choices: [{ index: 0, delta: { tool_calls: [call], reasoning_details: [1] }, native: 'S' }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], service_tier: 'flex' },
    ].flatMap(chunk => decoder.push({ data: JSON.stringify(chunk) }))
    const { chunks, deltas, diagnostics } = encode([...events, ...decoder.end()])
    expect(deltas.at(-2)).toEqual({ tool_calls: [{ index: 0, extra: { s: 1 } }] })
    expect(chunks.at(-1)).toMatchObject({
      object: 'chat.completion.chunk',
      service_tier: 'flex',
      choices: [{ index: 0, delta: { reasoning_details: [1] }, native: 'S', finish_reason: 'tool_calls' }],
    })
    expect(diagnostics).toEqual([])
  })

  test('The deprecated function_call returns to its field.', () => {
    const call: Part = { kind: 'call', form: 'function', name: 'f', input: '{}', path: ['function_call'] }
    const { deltas, chunks } = encode([
      start,
      begin(0, { ...call, input: '' }),
      more(0, '{}'),
      end(0, call),
      { type: 'finish', finish: { reason: 'calls' } },
    ])
    expect(deltas.slice(1, -1)).toEqual([
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{}' } },
    ])
    expect(chunks.at(-1)?.choices?.[0]?.finish_reason).toBe('function_call')
  })

  test('Nothing follows the end, and a finish that means failure is written as an error.', () => {
    expect(
      encode([start, finish, start, finish, begin(0, text(''))])
        .frames.slice(2)
        .join(''),
    ).toBe('')
    const failed = encode([start, { type: 'finish', finish: { reason: 'failed' } }]).frames.join('')
    expect(failed).toContain('data: {"error":')
    expect(failed).not.toContain('[DONE]')
  })
})

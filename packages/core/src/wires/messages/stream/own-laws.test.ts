/** Streams as this wire defines them, generated from unstreamed answers. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  args,
  cuts,
  cutUp,
  decodeFrames,
  decodeText,
  encodeAll,
  essence,
  expectOrder,
  shown,
  word,
} from '../../../../../../test/support/streams/messages.ts'
import type { JsonObject } from '../../../json/object.ts'
import { createReport } from '../../../model/diagnostic.ts'
import { foldEvents } from '../../../model/fold-events.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'
import { messagesConversation } from '../conversation.ts'

const citation = fc.record({
  type: fc.constantFrom('web_search_result_location', 'page_location'),
  url: word,
  cited_text: word,
})
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: word }),
  fc.record({
    type: fc.constant('text'),
    text: word,
    citations: fc.array(citation, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ type: fc.constant('thinking'), thinking: word, signature: word }),
  fc.record({ type: fc.constant('redacted_thinking'), data: word }),
  fc.record({
    type: fc.constant('tool_use'),
    id: fc.uuid(),
    name: shown,
    input: args,
    caller: fc.constantFrom({ type: 'direct' }, { type: 'code_execution_20250825', tool_id: 's' }),
  }),
  fc.record({ type: fc.constant('server_tool_use'), id: word, name: word, input: args }),
  fc.record({ type: fc.constant('web_search_tool_result'), tool_use_id: word, content: fc.array(args) }),
  fc.record({ type: fc.constant('compaction'), content: word }),
)
const message = fc.record({
  id: word.map(id => `msg_${id}`),
  type: fc.constant('message'),
  role: fc.constant('assistant'),
  model: word,
  content: fc.array(block, { maxLength: 5 }),
  stop_reason: fc.constantFrom(
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'tool_use',
    'pause_turn',
    'refusal',
    'of_tomorrow',
    null,
  ),
  stop_sequence: fc.option(word),
  stop_details: fc.option(fc.record({ type: fc.constant('refusal'), explanation: word })),
  container: fc.option(fc.record({ id: word })),
  context_management: fc.option(fc.record({ applied_edits: fc.array(word) })),
  usage: fc.record({
    input_tokens: fc.nat(),
    output_tokens: fc.nat(),
    cache_read_input_tokens: fc.option(fc.nat()),
    output_tokens_details: fc.option(fc.record({ thinking_tokens: fc.nat() })),
    service_tier: fc.constant('standard'),
  }),
})

/** The answer as the server would stream it. */
function framesOf(body: JsonObject & { content: readonly JsonObject[] }, at: readonly number[]): SseFrame[] {
  const { content, stop_reason, stop_sequence, stop_details, container, context_management, usage, ...head } =
    body
  const open = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
  }
  const { service_tier, ...counts } = usage as JsonObject
  const delta = (index: number, delta: JsonObject) => ({ type: 'content_block_delta', index, delta })
  const blocks = content.flatMap((block, index) => {
    const { start, deltas } = blockFrames(block, at)
    return [
      { type: 'content_block_start', index, content_block: start },
      { type: 'ping' },
      ...deltas.map(value => delta(index, value)),
      { type: 'content_block_stop', index },
    ]
  })
  return [
    {
      type: 'message_start',
      message: { ...open, usage: { input_tokens: 1, output_tokens: 1, service_tier } },
    },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence, stop_details, container },
      usage: counts,
      context_management,
    },
    { type: 'message_stop' },
  ].map(frame => ({ event: frame.type, data: JSON.stringify(frame) }))
}

function blockFrames(block: JsonObject, at: readonly number[]): { start: JsonObject; deltas: JsonObject[] } {
  const spread = (type: string, field: string, text: unknown) =>
    cutUp(String(text), at).map(piece => ({ type, [field]: piece }))
  switch (block.type) {
    case 'text': {
      const citations = (block.citations ?? []) as unknown[]
      return {
        start: { ...block, text: '', ...(block.citations !== undefined && { citations: [] }) },
        deltas: [
          ...spread('text_delta', 'text', block.text),
          ...citations.map(value => ({ type: 'citations_delta', citation: value })),
        ],
      }
    }
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...spread('thinking_delta', 'thinking', block.thinking),
          { type: 'signature_delta', signature: block.signature },
        ],
      }
    case 'tool_use':
    case 'server_tool_use': {
      const empty = Object.keys(block.input as JsonObject).length === 0
      return {
        start: { ...block, input: {} },
        deltas: empty ? [] : spread('input_json_delta', 'partial_json', JSON.stringify(block.input)),
      }
    }
    case 'compaction':
      return {
        start: { type: 'compaction', content: null },
        deltas: spread('compaction_delta', 'content', block.content),
      }
    default:
      return { start: block, deltas: [] }
  }
}

describe('streams that Messages itself defines', () => {
  const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value))

  test('A stream makes the same answer as the unstreamed body.', () => {
    fc.assert(
      fc.property(message.map(parsed), cuts, (body, at) => {
        const events = decodeFrames(framesOf(body, at))
        expectOrder(events)
        const streamed = foldEvents(events)
        const { report } = createReport()
        const whole = messagesConversation.decodeAnswer(body, report)
        expect(streamed.turns.flatMap(turn => turn.parts)).toEqual(whole.turns.flatMap(turn => turn.parts))
        const { turns: _, ...tail } = streamed
        const { turns: __, ...expected } = whole
        const sorted = (answer: typeof tail) => ({
          ...answer,
          usage: {
            ...answer.usage,
            residue: new Map(answer.usage?.residue?.entries.map(([p, v]) => [p.join(), v])),
          },
          residue: new Map(answer.residue?.entries.map(([p, v]) => [p.join(), v])),
        })
        expect(sorted(tail)).toEqual(sorted(expected))
      }),
      { numRuns: 300 },
    )
  })

  test('A stream that is decoded and encoded again is the same answer.', () => {
    fc.assert(
      fc.property(message.map(parsed), cuts, (body, at) => {
        // A block without words is left out, because servers refuse it in a history.
        const content = body.content.filter(
          block => block.type !== 'text' || 'citations' in block || block.text.trim() !== '',
        )
        const events = decodeFrames(framesOf({ ...body, content }, at))
        const again = decodeText(encodeAll(events))
        expect(essence(foldEvents(again))).toEqual(essence(foldEvents(events)))
      }),
      { numRuns: 200 },
    )
  })
})

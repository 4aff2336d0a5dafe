/** Texts, reasoning and ends that servers stream against the rules of the wire. */

import { describe, expect, test } from 'vitest'
import {
  added,
  call,
  completed,
  created,
  decodeFrames,
  deltasOf,
  encodeStream,
  framesOf,
  itemDone,
  partsOf,
  read,
  write,
} from '../../../../../../test/support/streams/responses.ts'
import type { JsonObject } from '../../../json/object.ts'
import { foldEvents } from '../../../model/fold-events.ts'

const textDelta = (delta: string, where: JsonObject = { output_index: 0, content_index: 0 }): JsonObject => ({
  type: 'response.output_text.delta',
  delta,
  ...where,
})

describe('texts and reasoning of a Responses stream', () => {
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
  }
  const isHello = { kind: 'text', text: 'Hello' }

  test.each<[string, JsonObject[]]>([
    ['deltas and nothing else', [textDelta('Hel'), textDelta('lo'), completed()]],
    ['the text only at the end', [completed(message)]],
    [
      'the text only in output_text.done',
      [{ type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Hello' }, completed()],
    ],
    [
      'no announcement of the part',
      [added({ ...message, content: [] }, 0), textDelta('Hello'), itemDone(message, 0), completed(message)],
    ],
    [
      'a content index that counts from one',
      [
        added({ ...message, content: [] }, 0),
        textDelta('Hello', { output_index: 0, content_index: 1 }),
        itemDone(message, 0),
        completed(message),
      ],
    ],
    [
      'an id that changes',
      [
        added({ ...message, content: [] }, 0),
        textDelta('Hello', { item_id: 'q', output_index: 0, content_index: 0 }),
        itemDone({ ...message, id: 'r' }, 0),
        completed({ ...message, id: 's' }),
      ],
    ],
    ['a message without a role', [itemDone({ type: 'message', content: 'Hello' }, 0), completed()]],
    ['no first event', [textDelta('Hello'), completed(message)]],
  ])('A text is read once and complete if the stream has %s.', (_, objects) => {
    const events = read(...objects)
    expect(partsOf(events)).toMatchObject([isHello])
    expect(partsOf(events)).toHaveLength(1)
    expect(deltasOf(events).join('')).toBe('Hello')
    expect(events[0]?.type).toBe('start')
    expect(events.at(-1)).toMatchObject({ type: 'finish', finish: { reason: 'stop' } })
  })

  test('Citations from events of their own are kept if the complete part never comes.', () => {
    const annotation = {
      type: 'url_citation',
      url: 'https://x.test',
      title: 't',
      start_index: 0,
      end_index: 1,
    }
    const added = {
      type: 'response.output_text.annotation.added',
      output_index: 0,
      content_index: 0,
      annotation,
    }
    expect(partsOf(read(created, textDelta('x'), added, completed()))).toMatchObject([
      { citations: [{ url: 'https://x.test', title: 't' }] },
    ])
  })

  test('Reasoning in the events of Open Responses gets the seal of the complete item.', () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'early' }
    const events = read(
      created,
      added(item, 0),
      { type: 'response.reasoning.delta', item_id: 'rs_1', output_index: 0, content_index: 0, delta: 'hm' },
      itemDone({ ...item, encrypted_content: 'late' }, 0),
      completed(),
    )
    expect(partsOf(events)).toMatchObject([{ kind: 'reasoning', text: ['hm'], seal: { value: 'late' } }])
    expect(events[1]).toMatchObject({ part: { summary: [], text: [] } })
    expect(events[1]).not.toHaveProperty('part.seal')
  })
})

describe('the end of a Responses stream', () => {
  test.each<[string, JsonObject[], JsonObject]>([
    ['an early end of the stream [field D15]', [], { kind: 'server' }],
    [
      'an error as the specification has it [field E07]',
      [{ type: 'error', error: { type: 'x', code: 'rate_limit_exceeded', message: 'slow' } }],
      { kind: 'rate_limit', message: 'slow' },
    ],
    [
      'an error as the official types have it [field E07]',
      [{ type: 'error', code: 'server_overloaded', message: 'busy', param: null }],
      { kind: 'overloaded', message: 'busy' },
    ],
    [
      'the event response.failed [field E07]',
      [
        {
          type: 'response.failed',
          response: { status: 'failed', error: { code: 'server_error', message: 'oops' } },
        },
      ],
      { kind: 'server', message: 'oops' },
    ],
    [
      'an error and then response.failed',
      [
        { type: 'error', error: { message: 'a' } },
        { type: 'response.failed', response: { error: { code: 'x', message: 'b' } } },
      ],
      { message: 'a' },
    ],
    [
      'a completed event with the status failed',
      [{ type: 'response.completed', response: { status: 'failed' } }],
      { kind: 'server' },
    ],
  ])('After %s, the open parts end and an error follows.', (_, objects, error) => {
    const events = read(
      created,
      textDelta('par'),
      added(call, 1),
      write('{"a', { item_id: 'fc_1', output_index: 1 }),
      ...objects,
    )
    expect(events.slice(-3)).toMatchObject([
      { type: 'part-end', part: { text: 'par' } },
      { type: 'part-end', part: { input: '{"a', status: 'incomplete' } },
      { type: 'error', error },
    ])
    const last = events.at(-1)
    expect(last?.type === 'error' && last.error.message).not.toBe('')
  })

  test('A frame that is not JSON fails the stream, and the error has the number of the frame.', () => {
    const { events } = decodeFrames([
      ...framesOf(created, textDelta('x')),
      { data: '{"type":' },
      ...framesOf(completed()),
    ])
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { kind: 'server' } })
    expect(JSON.stringify(events.at(-1))).toContain('Event 3')
  })

  test('A [DONE] without a terminal event is a failure; after one it is ignored.', () => {
    const last = { data: '[DONE]' }
    expect(decodeFrames([...framesOf(created, textDelta('x')), last]).events.at(-1)?.type).toBe('error')
    const { events } = decodeFrames([...framesOf(created, completed()), last, ...framesOf(textDelta('x'))])
    expect(events.map(({ type }) => type)).toEqual(['start', 'finish'])
  })

  test('The first id and the last usage count. [field D21]', () => {
    const usage = { input_tokens: 1, output_tokens: 2 }
    const events = read(
      created,
      { type: 'response.in_progress', response: { usage } },
      { type: 'response.completed', response: { id: 'other', status: 'in_progress', usage: null } },
    )
    expect(foldEvents(events)).toMatchObject({
      id: 'resp_1',
      usage: { input: 1, output: 2 },
      finish: { reason: 'stop' },
    })
  })

  test('Pings, comments and unknown events are ignored.', () => {
    const { events } = decodeFrames([
      ...framesOf(created, { type: 'keepalive', sequence_number: 1 }),
      { data: '' },
      { event: 'ping', data: 'x' },
      { data: 'null' },
      ...framesOf(
        { type: 'response.apply_patch_call_operation_diff.delta', delta: 'x' },
        { type: 'acme:x' },
        completed(),
      ),
    ])
    expect(events.map(({ type }) => type)).toEqual(['start', 'finish'])
  })

  test('The encoder closes what is open when a stream breaks off.', () => {
    const path = ['content', 0]
    const { text } = encodeStream([
      { type: 'part-start', index: 0, part: { kind: 'call', form: 'function', name: 'w', input: '', path } },
      { type: 'part-delta', index: 0, text: '{"a' },
      { type: 'error', error: { kind: 'server', message: 'gone' } },
      { type: 'finish', finish: { reason: 'stop' } },
    ])
    expect(text.split('\n\n').map(frame => frame.split('\n')[0])).toEqual([
      'event: response.created',
      'event: response.in_progress',
      'event: response.output_item.added',
      'event: response.function_call_arguments.delta',
      'event: response.output_item.done',
      'event: error',
      'event: response.failed',
      'data: [DONE]',
      '',
    ])
    expect(text).toContain('"status":"incomplete"')
  })
})

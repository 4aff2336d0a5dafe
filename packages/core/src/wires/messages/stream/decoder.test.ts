/** The events that the stream decoder emits, and how streams end. */

import { describe, expect, test } from 'vitest'
import {
  call,
  createDecoder,
  decode,
  delta,
  ends,
  head,
  last,
  says,
  start,
  stop,
  tail,
  use,
  writes,
} from '../../../../../../test/support/streams/messages.ts'

describe('the Messages stream decoder', () => {
  test('Every delta becomes one delta event.', () => {
    const { push } = createDecoder()
    expect(push(head)).toEqual([{ type: 'start', id: 'msg_1', model: 'm' }])
    expect(push(start(0, { type: 'text', text: '' }))).toEqual([
      { type: 'part-start', index: 0, part: { kind: 'text', path: ['content', 0], text: '' } },
    ])
    expect(push(says(0, 'Hel'))).toEqual([{ type: 'part-delta', index: 0, text: 'Hel' }])
    expect(push(says(0, 'lo'))).toEqual([{ type: 'part-delta', index: 0, text: 'lo' }])
    expect(push(stop(0))).toEqual([
      { type: 'part-end', index: 0, part: { kind: 'text', path: ['content', 0], text: 'Hello' } },
    ])
    expect(push(ends())).toEqual([])
    expect(push(last)).toMatchObject([{ type: 'finish', finish: { reason: 'stop', raw: 'end_turn' } }])
    expect(push(says(0, 'more'))).toEqual([])
  })

  test('The empty object that a call starts with is not part of its arguments. [field E13]', () => {
    const { events, parts } = decode([
      head,
      start(1, use('c')),
      writes(1, ''),
      writes(1, '{"a":1}'),
      stop(1),
      ends('tool_use'),
      last,
    ])
    expect(parts).toEqual([call('c', '{"a":1}')])
    expect(events.filter(({ type }) => type === 'part-delta')).toEqual([
      { type: 'part-delta', index: 0, text: '{"a":1}' },
    ])
  })

  test('A call without arguments has an empty object. [field D19]', () => {
    const { parts, answer } = decode([head, start(0, use('c')), stop(0), ends('tool_use'), last])
    expect(parts).toEqual([call('c', '{}')])
    expect(answer.finish.reason).toBe('calls')
  })

  test('A filled input in the start of a call counts only if no delta follows.', () => {
    const full = { ...use('c'), input: { a: 1 } }
    expect(decode([head, start(0, full), stop(0), ...tail]).parts).toEqual([call('c', '{"a":1}')])
    expect(decode([head, start(0, full), writes(0, '{"b":2}'), stop(0), ...tail]).parts).toEqual([
      call('c', '{"b":2}'),
    ])
  })

  test('Each field of usage has the last value that is not null.', () => {
    const message = {
      ...head.message,
      usage: { input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 2 },
    }
    const { answer } = decode([
      { ...head, message },
      start(0, { type: 'text', text: '' }),
      says(0, 'a'),
      stop(0),
      ends(null, { output_tokens: 2, input_tokens: null }),
      ends('end_turn', { output_tokens: 5, cache_read_input_tokens: 3 }),
      last,
    ])
    expect(answer).toMatchObject({
      finish: { reason: 'stop' },
      usage: { input: 10, output: 5, cacheRead: 3 },
    })
  })

  test('A signature replaces the one before.', () => {
    const { parts } = decode([
      head,
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, 'thinking_delta', 'thinking', 'hm'),
      delta(0, 'signature_delta', 'signature', 'A'),
      delta(0, 'signature_delta', 'signature', 'B'),
      stop(0),
      ...tail,
    ])
    expect(parts).toMatchObject([{ kind: 'reasoning', text: ['hm'], seal: { wire: 'messages', value: 'B' } }])
  })

  test('In an answer that was cut short, only the last call is incomplete. [field C05]', () => {
    const { parts, answer } = decode([
      head,
      start(0, use('c')),
      writes(0, '{"a":1}'),
      stop(0),
      start(1, use('d')),
      writes(1, '{"a":'),
      stop(1),
      ends('max_tokens'),
      last,
    ])
    expect(parts[0]).not.toHaveProperty('status')
    expect(parts[1]).toMatchObject({ input: '{"a":', status: 'incomplete' })
    expect(answer.finish).toEqual({ reason: 'length', raw: 'max_tokens' })
  })

  test('An answer with calls finishes in calls, whatever its stop reason. [field C03]', () => {
    const frames = [head, start(0, use('c')), writes(0, '{}'), stop(0), ...tail]
    expect(decode(frames).answer.finish).toEqual({ reason: 'calls', raw: 'end_turn' })
  })

  test('Many small pieces of arguments are decoded in linear time.', () => {
    const { push } = createDecoder()
    push(head)
    push(start(0, use('c')))
    push(writes(0, '{"a":"'))
    const frame = writes(0, 'x'.repeat(16))
    for (let i = 0; i < 150_000; i++) push(frame)
    push(writes(0, '"}'))
    push(stop(0))
    const events = [...push(ends('tool_use')), ...push(last)]
    const [ended] = events
    const length = ended?.type === 'part-end' && ended.part.kind === 'call' ? ended.part.input.length : 0
    expect(length).toBe(2_400_008)
  })
})

describe('the end of a Messages stream', () => {
  const text = [head, start(0, { type: 'text', text: '' }), says(0, 'Hel')]
  const halfCall = [head, start(0, use('c')), writes(0, '{"a":')]

  test('A source that ends without message_stop fails, and its parts are kept. [field D15]', () => {
    const { events, answer } = decode(text)
    expect(events.slice(-2)).toMatchObject([
      { type: 'part-end', part: { text: 'Hel' } },
      { type: 'error', error: { kind: 'server', message: expect.stringContaining('ended before') } },
    ])
    expect(answer.finish.reason).toBe('failed')
    expect(decode([...text, stop(0), ends()]).answer.finish.reason).toBe('failed')
    expect(decode([]).events.map(({ type }) => type)).toEqual(['start', 'error'])
  })

  test('A call in which the source broke off is incomplete. [field D15]', () => {
    expect(decode(halfCall).parts).toMatchObject([{ input: '{"a":', status: 'incomplete' }])
    expect(decode([...halfCall, stop(0)]).parts).toMatchObject([{ status: 'incomplete' }])
    expect(decode([...halfCall, writes(0, '1}'), stop(0)]).parts[0]).not.toHaveProperty('status')
  })

  test('An error within a stream keeps its kind. [field E15]', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const { events, answer } = decode([...text, error, says(0, 'lo'), stop(0), ...tail])
    expect(answer.error).toEqual({ kind: 'overloaded', message: 'Overloaded' })
    expect(events.at(-1)?.type).toBe('error')
  })

  test.each([
    [
      '{"error":{"type":"rate_limit_error","message":"Slow"}}',
      undefined,
      { kind: 'rate_limit', message: 'Slow' },
    ],
    ['{"type":"overloaded_error","message":"Busy"}', 'error', { kind: 'overloaded', message: 'Busy' }],
    ['upstream is gone', 'error', { kind: 'server', message: 'upstream is gone' }],
    ['{"error":"gone"}', undefined, { kind: 'server', message: 'gone' }],
  ])('The frame %s fails the stream.', (data, event, error) => {
    const { decoder } = createDecoder()
    expect(decoder.push({ data, ...(event && { event }) })).toEqual([
      { type: 'start' },
      { type: 'error', error },
    ])
    expect(decoder.end()).toEqual([])
  })

  test('Fields of an error that the model does not hold are reported.', () => {
    const error = { type: 'error', error: { type: 'api_error', message: 'm' }, request_id: 'req_1' }
    expect(decode([error]).diagnostics).toMatchObject([{ code: 'field_dropped', path: ['request_id'] }])
  })

  test('A frame that is not JSON fails the stream, and the error has the number of the frame.', () => {
    const { decoder, push } = createDecoder()
    for (const frame of text) push(frame)
    expect(decoder.push({ data: '{"type":' })).toMatchObject([
      { type: 'part-end', part: { text: 'Hel' } },
      { type: 'error', error: { kind: 'server', message: 'Event 4 of the stream is not JSON.' } },
    ])
    expect([...push(last), ...decoder.end()]).toEqual([])
  })

  test('A message_stop without a stop reason ends the answer if all parts are complete. [field D13]', () => {
    const { decoder, push } = createDecoder()
    for (const frame of [...halfCall, writes(0, '1}')]) push(frame)
    expect(decoder.push({ data: '[DONE]' })).toMatchObject([
      { type: 'part-end', part: { input: '{"a":1}' } },
      { type: 'finish', finish: { reason: 'calls' } },
    ])
    expect(decode([...text, stop(0), last]).answer.finish).toEqual({ reason: 'stop' })
    expect(decode([...halfCall, stop(0), last]).answer.finish.reason).toBe('failed')
    expect(decode([head, last]).answer.finish.reason).toBe('failed')
  })

  test('A stop reason of null is an unfinished answer.', () => {
    expect(decode([...text, stop(0), ends(null), last]).answer.finish).toEqual({ reason: 'unfinished' })
  })
})

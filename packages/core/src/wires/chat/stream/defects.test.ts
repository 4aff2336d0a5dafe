/** Ends, errors and contents that servers stream against the rules of the wire, and how they are decoded. */

import { describe, expect, test } from 'vitest'
import {
  chunk,
  decodeFrames,
  done,
  ended,
  json,
  more,
  pieces,
  tc,
} from '../../../../../../test/support/streams/chat.ts'
import type { CallPart } from '../../../model/conversation.ts'

describe('the end of a Chat stream', () => {
  test('The finish reason "stop" beside calls means calls. [field C03]', () => {
    expect(decodeFrames([pieces(tc(0, 'a', 'f', '{}')), ...ended('stop')]).answer.finish).toEqual({
      reason: 'calls',
      raw: 'stop',
    })
  })

  test('A second finish reason counts only if it means that the answer was cut short. [field E05]', () => {
    const call = pieces(tc(0, 'a', 'f', '{}'))
    const reasonOf = (...reasons: string[]) =>
      decodeFrames([call, ...reasons.map(reason => chunk({}, reason)), done]).answer.finish
    expect(reasonOf('tool_calls', 'stop')).toEqual({ reason: 'calls', raw: 'tool_calls' })
    expect(reasonOf('stop', 'length')).toEqual({ reason: 'length', raw: 'length' })
    expect(reasonOf('', 'stop')).toEqual({ reason: 'calls', raw: 'stop' })
  })

  test('In an answer that was cut short, the last call and unfinished ones beside it are incomplete. [field C05]', () => {
    const woven = decodeFrames([
      pieces(tc(0, 'a', 'f', '{"x":'), tc(1, 'b', 'f', '{}'), tc(2, 'c', 'f', '{"x":')),
      pieces(more(0, '1,')),
      ...ended('length'),
    ])
    expect(woven.parts.map(part => (part as CallPart).status)).toEqual([
      'incomplete',
      undefined,
      'incomplete',
    ])
    const whole = decodeFrames([pieces(tc(0, 'a', 'f', '{}')), ...ended('length')])
    expect((whole.parts[0] as CallPart).status).toBe('incomplete')
  })

  test('A [DONE] without a finish reason ends the answer if all arguments are complete. [field D13]', () => {
    expect(decodeFrames([pieces(tc(0, 'a', 'f', '{}'), tc(1, 'b', 'f', '')), done]).answer.finish).toEqual({
      reason: 'calls',
    })
    expect(decodeFrames([chunk({ content: 'hi' }), done]).answer.finish).toEqual({ reason: 'stop' })
  })

  test.each([
    ['arguments are incomplete', [pieces(tc(0, 'a', 'f', '{"x":'))]],
    ['a call has no name', [pieces({ index: 0, id: 'a', function: { arguments: '{}' } })]],
    ['the answer is empty', [chunk({ role: 'assistant', content: '' })]],
  ])('A [DONE] without a finish reason is a failure if %s. [field D13]', (_, frames) => {
    const { events } = decodeFrames([...frames, done])
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { kind: 'server' } })
  })

  test('A source that ends without a finish reason fails, and its parts are kept. [field D15]', () => {
    const { events, parts } = decodeFrames([chunk({ content: 'half' }), pieces(tc(0, 'a', 'f', '{}'))])
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('ended') },
    })
    expect(parts).toMatchObject([
      { kind: 'text', text: 'half' },
      { kind: 'call', status: 'incomplete' },
    ])
  })

  test('A source that ends after its finish reason needs no [DONE].', () => {
    expect(decodeFrames([chunk({ content: 'hi' }), chunk({}, 'stop')]).answer.finish.reason).toBe('stop')
  })

  test('An event that is not JSON fails the stream, and the error has the number of the event.', () => {
    const { events, parts } = decodeFrames([chunk({ content: 'a' }), { data: '{"id":' }, ...ended('stop')])
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { kind: 'server', message: 'Event 2 of the stream is not valid JSON.' },
    })
    expect(parts).toMatchObject([{ text: 'a' }])
  })

  test.each([
    [
      'an object',
      json({ error: { message: 'busy', type: 'overloaded_error', code: 'x' } }),
      'overloaded',
      'busy',
    ],
    ['a string', json({ error: 'busy' }), 'server', 'busy'],
    ['a status code', json({ error: { message: 'busy', code: 429 }, choices: [] }), 'rate_limit', 'busy'],
    ['a bare error object', json({ object: 'error', message: 'busy', code: 503 }), 'overloaded', 'busy'],
    ['an event', { event: 'error', data: '{"message":"busy"}' }, 'server', 'busy'],
    ['an event of plain text', { event: 'error', data: 'busy' }, 'server', 'busy'],
    ['a code without a message', json({ error: { code: 'x' } }), 'server', 'did not say why'],
    [
      'a field of the choice',
      json({ choices: [{ delta: {}, finish_reason: 'error', error: { code: 502, message: 'busy' } }] }),
      'server',
      'busy',
    ],
  ])(
    'An error within a stream ends it as an error if it comes as %s. [field E07]',
    (_, frame, kind, message) => {
      const { events, parts } = decodeFrames([chunk({ content: 'half' }), frame, ...ended('stop')])
      expect(events.at(-1)).toMatchObject({
        type: 'error',
        error: { kind, message: expect.stringContaining(message) },
      })
      expect(events.filter(({ type }) => type === 'finish' || type === 'error')).toHaveLength(1)
      expect(parts).toMatchObject([{ text: 'half' }])
    },
  )

  test('An error that is null or empty counts as absent.', () => {
    const frame = json({ id: 'c', error: null, choices: [{ delta: { content: 'a' }, error: {} }] })
    expect(decodeFrames([frame, ...ended('stop')]).answer.finish.reason).toBe('stop')
  })

  test('An error in the first chunk still follows a start event.', () => {
    expect(decodeFrames([json({ error: { message: 'no' } })]).events.map(({ type }) => type)).toEqual([
      'start',
      'error',
    ])
  })

  test('A finish reason that means failure is an error, also without an error object.', () => {
    expect(decodeFrames([chunk({ content: 'a' }), ...ended('error')]).events.at(-1)?.type).toBe('error')
  })
})

describe('the contents of a Chat stream', () => {
  test('The last usage counts, in whichever chunk it is.', () => {
    const usage = (n: number) => ({ prompt_tokens: n, completion_tokens: n, total_tokens: n + n })
    const { answer } = decodeFrames([
      json({ id: 'c', choices: [{ delta: { content: 'a' }, usage: usage(1) }] }),
      json({ id: 'c', choices: [{ delta: {}, finish_reason: 'stop' }], usage: usage(2) }),
      json({ id: 'c', choices: [], usage: usage(3) }),
      json({ id: 'c', choices: [], usage: null }),
      done,
    ])
    expect(answer.usage).toMatchObject({ input: 3, output: 3 })
  })

  test('A first chunk without an id does not start the answer.', () => {
    const filters = json({ id: '', model: '', created: 0, choices: [], prompt_filter_results: [1] })
    const { events, answer } = decodeFrames([filters, chunk({ content: 'a' }), ...ended('stop')])
    expect(events[0]).toEqual({ type: 'start', id: 'c', model: 'm', createdAt: 1 })
    expect(answer.residue?.entries).toEqual([[['prompt_filter_results'], [1]]])
  })

  test('Pings, blank events and JSON that is not a chunk are ignored.', () => {
    const noise = [
      '',
      ' ',
      'null',
      '1',
      '"x"',
      '[]',
      '{}',
      '{"type":"ping"}',
      '{"choices":{}}',
      '{"choices":[1]}',
    ]
    const frames = noise.map(data => ({ data }))
    const { parts, answer } = decodeFrames([...frames, chunk({ content: 'a' }), ...frames, ...ended('stop')])
    expect(parts).toMatchObject([{ text: 'a' }])
    expect(answer.finish.reason).toBe('stop')
  })

  test('Reasoning under both of its field names counts once.', () => {
    const { parts } = decodeFrames([
      chunk({ role: 'assistant', content: '', reasoning_content: 'a', reasoning: 'a' }),
      chunk({ content: null, reasoning_content: 'b', reasoning: 'b' }),
      chunk({ content: 'so' }),
      ...ended('stop'),
    ])
    expect(parts).toMatchObject([
      { kind: 'reasoning', text: ['ab'] },
      { kind: 'text', text: 'so' },
    ])
  })

  test('A text, a call and another text keep their order. [field C07]', () => {
    const { parts } = decodeFrames([
      chunk({ content: 'a' }),
      pieces(tc(0, 'a', 'f', '{}')),
      chunk({ content: 'b' }),
      ...ended(),
    ])
    expect(parts.map(({ kind }) => kind)).toEqual(['text', 'call', 'text'])
  })

  test('Content that is a list is split into parts.', () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }
    const { parts } = decodeFrames([
      chunk({ content: [{ type: 'text', text: 'a' }] }),
      chunk({ content: [{ type: 'text', text: 'b' }, image] }),
      ...ended('stop'),
    ])
    expect(parts).toMatchObject([{ kind: 'text', text: 'ab' }, { kind: 'image' }])
  })

  test('A complete message counts if no delta came before it.', () => {
    const message = { role: 'assistant', content: 'ab', tool_calls: [tc(0, 'a', 'f', '{}')] }
    const whole = json({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] })
    expect(decodeFrames([whole, done]).parts).toMatchObject([{ text: 'ab' }, { name: 'f' }])
    expect(decodeFrames([chunk({ content: 'ab' }), whole, done]).parts).toMatchObject([{ text: 'ab' }])
  })

  test('Further choices are dropped and reported once.', () => {
    const both = json({ id: 'c', choices: [0, 1].map(index => ({ index, delta: { content: `${index}` } })) })
    const { parts, diagnostics } = decodeFrames([both, both, ...ended('stop')])
    expect(parts).toMatchObject([{ text: '00' }])
    expect(diagnostics).toMatchObject([{ code: 'field_dropped', path: ['choices', 1] }])
  })

  test('Unknown fields become residue, joined over all chunks.', () => {
    const { answer } = decodeFrames([
      json({
        id: 'c',
        provider: 'flex',
        obfuscation: 'xx',
        choices: [{ delta: { reasoning_details: [1] } }],
      }),
      json({
        id: 'c',
        choices: [{ delta: { reasoning_details: [2], content: 'a' }, native_finish_reason: 'S' }],
      }),
      ...ended('stop'),
    ])
    expect(answer.residue?.entries).toEqual([
      [['provider'], 'flex'],
      [['choices', 0, 'native_finish_reason'], 'S'],
      [
        ['choices', 0, 'message', 'reasoning_details'],
        [1, 2],
      ],
    ])
  })
})

/** The judges of this folder are judged: whatever is spoiled in a good answer or a good stream, they find it. */
import { calls, says } from '@toolwire/core/testing'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'
import { checkResponse, responseKeys } from '../../support/open-responses/schema.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'

const tools = [{ type: 'function', name: 'f' }]
let frames: string[] = []
let response: Json = {}

beforeAll(async () => {
  const turn = { ...calls({ name: 'f', arguments: { a: 1 } }), ...says('Hello.', { reasoning: 'Hm.' }) }
  const { post } = openHarness('chat', [turn])
  const told = await post('/v1/responses', { model: 'm', input: 'hi', tools, stream: true })
  frames = told.text.split(/(?<=\n\n)/)
  response = eventsOf(told.text).at(-1)?.response as Json
})

/** The numbers set right again, so that only what was spoiled is wrong. */
function renumber(given: readonly string[]): string[] {
  let next = 0
  return given.map(frame => frame.replace(/"sequence_number":\d+/, () => `"sequence_number":${next++}`))
}

const nameOf = (frame: string): string => frame.split('\n')[0] ?? ''

describe('the judge of streams', () => {
  test('The check of streams finds nothing in a correct stream, in one write or in many.', () => {
    expect(checkStream(frames)).toEqual([])
    expect(checkStream([frames.join('')])).toEqual([])
    expect(frames.length).toBeGreaterThan(15)
  })

  test('The check of streams finds a missing event.', () => {
    for (const at of frames.keys()) {
      expect(checkStream(renumber(frames.toSpliced(at, 1))), frames[at]).not.toEqual([])
    }
  })

  test('The check of streams finds a repeated event.', () => {
    for (const [at, frame] of frames.entries()) {
      expect(checkStream(renumber(frames.toSpliced(at, 0, frame))), frame).not.toEqual([])
    }
  })

  test('The check of streams finds two events in the wrong order.', () => {
    for (let at = 0; at + 1 < frames.length; at++) {
      const [first = '', second = ''] = frames.slice(at, at + 2)
      // Two pieces of one text are both good once the numbers are set right, and items may overlap.
      const isSame = nameOf(first) === nameOf(second)
      const isOverlap = nameOf(first).endsWith('item.done') && nameOf(second).endsWith('item.added')
      const found = checkStream(renumber(frames.toSpliced(at, 2, second, first)))
      if (!isSame && !isOverlap) expect(found, `${first}${second}`).not.toEqual([])
    }
  })

  test('The check of streams finds numbers out of order, ids of events, other line ends and split events.', () => {
    const whole = frames.join('')
    expect(checkStream([whole.replace('"sequence_number":4', '"sequence_number":5')])).not.toEqual([])
    expect(checkStream([whole.replace('event: ', 'id: 1\nevent: ')])).not.toEqual([])
    expect(checkStream([whole.replaceAll('\n', '\r\n')])).not.toEqual([])
    expect(checkStream([whole.slice(0, -40), whole.slice(-40)])).not.toEqual([])
    expect(checkStream([whole.replace('event: response.created', 'event: created')])).not.toEqual([])
  })

  test('The check of streams finds a missing field in any event.', () => {
    for (const [at, frame] of frames.slice(0, -1).entries()) {
      const event = JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Json
      for (const key of Object.keys(event)) {
        const { [key]: _, ...rest } = event
        const spoiled = `event: ${event.type}\ndata: ${JSON.stringify(rest)}\n\n`
        expect(checkStream(frames.with(at, spoiled)), `${key} of ${frame}`).not.toEqual([])
      }
    }
  })
})

describe('the judge of responses', () => {
  const nullable = [
    'completed_at',
    'incomplete_details',
    'previous_response_id',
    'instructions',
    'error',
    'reasoning',
    'usage',
    'max_output_tokens',
    'max_tool_calls',
    'metadata',
    'safety_identifier',
    'prompt_cache_key',
  ]

  test('The check of responses finds nothing in a correct one.', () => {
    expect(checkResponse(response)).toEqual([])
  })

  test('The check of responses finds every missing key.', () => {
    for (const key of responseKeys) {
      const { [key]: _, ...rest } = response
      expect(checkResponse(rest), key).not.toEqual([])
    }
  })

  test('The check of responses finds null where none is allowed, and only there.', () => {
    for (const key of responseKeys) {
      // A completed response has a time of completion, whatever the schema lets be null.
      if (key === 'completed_at') continue
      const found = checkResponse({ ...response, [key]: null })
      expect(found.length === 0, key).toBe(nullable.includes(key))
    }
  })

  test.each([
    ['reasoning without keys', { reasoning: {} }],
    ['usage without details', { usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } }],
    ['an error without code', { status: 'failed', completed_at: null, error: { code: null, message: 'x' } }],
    [
      'a tool without strict',
      { tools: [{ type: 'function', name: 'f', description: null, parameters: null }] },
    ],
    ['a custom tool', { tools: [{ type: 'custom', name: 'f' }] }],
    ['completed without a time', { completed_at: null }],
    ['incomplete without a reason', { status: 'incomplete', completed_at: null }],
  ])('The check of responses finds %s.', (_, change) => {
    expect(checkResponse({ ...response, ...change })).not.toEqual([])
  })

  test('The check of responses finds what is missing or wrong in an item.', () => {
    const output = response.output as Json[]
    fc.assert(
      fc.property(fc.nat(output.length - 1), fc.nat(20), (at, nth) => {
        const item = output[at] ?? {}
        // Of reasoning, the envelope may be missing.
        const keys = Object.keys(item).filter(key => key !== 'encrypted_content')
        const key = keys[nth % keys.length] ?? ''
        const { [key]: _, ...rest } = item
        expect(checkResponse({ ...response, output: output.with(at, rest) }), key).not.toEqual([])
        const empty = { ...item, [key]: null }
        expect(checkResponse({ ...response, output: output.with(at, empty) }), key).not.toEqual([])
      }),
    )
  })
})

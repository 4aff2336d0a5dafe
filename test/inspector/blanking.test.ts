import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Blanking, blankings, cleaned } from '../../packages/inspector/src/logic/blanking.ts'
import { toHar, toJsonLines } from '../../packages/inspector/src/logic/exports.ts'
import { registerWires } from '../../packages/toolwire/src/gateway/wires.ts'
import { readTraced } from '../../packages/toolwire/src/reading/read-traced.ts'
import type { Trace, TraceView } from '../../packages/toolwire/src/telemetry/traces/trace-document.ts'

const said = {
  system: ['rule one of the house', 'rule two of the house'],
  user: ['What is the “colour”\nof the sky?', 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB'],
  results: ['grey, says the sensor', 'blue, says the camera'],
  answer: ['I think of looking', 'and then of asking', 'look_at_the_sky', 'It is a lovely day'],
} as const
type Kind = keyof typeof said
const kinds = Object.keys(said) as Kind[]
const { system, user, results, answer } = said

const bodies = {
  messages: {
    request: {
      model: 'm',
      system: system.map(text => ({ type: 'text', text })),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: user[0] },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: user[1] } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: answer[0], signature: 's' },
            { type: 'tool_use', id: 'c', name: 'see', input: { [answer[2]]: { why: answer[1] } } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c',
              content: results.map(text => ({ type: 'text', text })),
            },
          ],
        },
      ],
    },
    answer: { type: 'message', role: 'assistant', content: [{ type: 'text', text: answer[3] }] },
  },
  responses: {
    request: {
      model: 'm',
      instructions: system.join('\n'),
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: user[0] },
            { type: 'input_image', image_url: `data:image/png;base64,${user[1]}` },
          ],
        },
        {
          type: 'reasoning',
          summary: [
            { type: 'summary_text', text: answer[0] },
            { type: 'summary_text', text: answer[1] },
          ],
        },
        { type: 'function_call', call_id: 'c', name: 'see', arguments: JSON.stringify({ a: answer[2] }) },
        {
          type: 'function_call_output',
          call_id: 'c',
          output: results.map(text => ({ type: 'input_text', text })),
        },
      ],
    },
    answer: {
      object: 'response',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer[3] }] }],
    },
  },
} as const

/** What one says, another may quote. */
const traceOf = (wire: keyof typeof bodies, id: string, quoted: string): Trace => {
  const view = (text: string): TraceView => ({
    parts: [{ line: 'x', headers: { accept: 'everything' }, text, size: text.length, cut: false }],
    omitted: 0,
  })
  const request = JSON.stringify(bodies[wire].request)
  const first = view(request.replace('"m"', JSON.stringify(quoted)))
  const written = JSON.stringify(bodies[wire].answer)
  const stream = `data: ${written.replace(answer[3], JSON.stringify(`You said: ${quoted}!`).slice(1, -1))}\n\n`
  return {
    summary: {
      id,
      time: '2026-11-17T12:00:00.000Z',
      route: 'POST /v1/x',
      wire,
      upstream_wire: wire,
      model: 'm',
      prompt: user[0].replaceAll('\n', ' '),
      client_calls: 0,
      tool_runs: 0,
      tool_failures: 0,
      losses: 1,
      retries: 0,
      abandoned: false,
      state: 'ended',
    },
    failure: { code: 'x', message: `cannot read ${quoted}` },
    client_calls: [],
    tool_runs: [],
    losses: [
      { code: 'unknown_field', severity: 'warning', path: ['input', quoted], message: `lost ${quoted}` },
    ],
    views: {
      'client-request': view(request),
      // With several rounds the context has a body of its own.
      'upstream-request': { ...first, parts: [...first.parts, ...view(request).parts] },
      'upstream-answer': view(stream),
      'client-answer': view(written),
    },
  } as unknown as Trace
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)

test('Nothing that is chosen to be blanked remains anywhere in the file.', () => {
  const wires = registerWires()
  const find = { find: (name: string) => wires.get(name) }
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(bodies) as (keyof typeof bodies)[])),
      fc.subarray(kinds, { minLength: 1 }),
      fc.boolean(),
      fc.constantFrom(...kinds.flatMap(kind => said[kind])),
      (wire, chosen, isContinued, quoted) => {
        const trace = traceOf(wire, 'req_2', quoted)
        const earlier = traceOf(wire, 'req_1', quoted)
        const reading = readTraced({ trace }, find)
        const { history, answer: answered } = readTraced({ trace: earlier }, find).conversation
        const conversation = isContinued
          ? { ...reading.conversation, before: [...history, ...answered] }
          : reading.conversation
        const document = cleaned({ trace, reading: { ...reading, conversation } }, new Set<Blanking>(chosen))
        const file = toJsonLines([document]) + toHar([document], '1')
        for (const kind of chosen) {
          for (const text of said[kind]) {
            expect(file).not.toContain(escaped(text))
            expect(file).not.toContain(escaped(escaped(text)))
          }
        }
        if (!chosen.includes('user') && !isContinued) expect(file).toContain(escaped(user[0].slice(0, 8)))
      },
    ),
  )
})

test('Where nothing that was said is blanked, the bodies stay, and header values go where they are chosen.', () => {
  const wires = registerWires()
  const trace = traceOf('messages', 'req_1', 'x')
  const reading = readTraced({ trace }, { find: name => wires.get(name) })
  const document = cleaned({ trace, reading }, new Set(['headers']))
  expect(document.trace.views['client-request']?.parts[0]?.text).toContain(system[0])
  expect(JSON.stringify(document)).not.toContain('everything')
  expect(Object.keys(blankings)).toEqual(['headers', ...kinds])
})

/** Steps on the three wires with a scripted server, streamed and not: the requests have what they may have and no more. */
import { describe, expect, test } from 'vitest'
import { connectModel } from '../connect-model.ts'
import { isObject } from '../json/object.ts'
import type { ModelPort } from '../runtime/conversation/model-port.ts'
import type { ScriptedModel } from '../testing/scripted-model.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'
import type { ScriptedTurn } from '../testing/scripted-turn.ts'
import { calls, fails, says } from '../testing/scripted-turn.ts'
import { wireNames as wires } from '../wires/registry.ts'
import { defineStep } from './define-step.ts'
import { runStep } from './run-step.ts'

const config = {
  name: 'palette',
  description: 'Gives a palette.',
  outputSchema: {
    type: 'object',
    properties: {
      colors: { type: 'array', items: { type: 'string' } },
      confidence: { type: 'number', minimum: 0, maximum: 1 },
      note: { type: 'string' },
    },
    required: ['colors', 'confidence'],
  },
  instructions: 'You choose colours.',
  prompt: (brand: string) => `Colours for ${brand}`,
  sanitizeOutput: (output: Palette) => ({ ...output, colors: output.colors.map(color => color.trim()) }),
  audits: [
    {
      name: 'hex',
      audit: ({ colors }: Palette) =>
        colors
          .filter(color => !color.startsWith('#'))
          .map(color => ({ severity: 'high' as const, description: `"${color}" is no hex code.` })),
    },
  ],
} as const

interface Palette {
  colors: string[]
  confidence: number
  note?: string
}

const step = defineStep(config)
const red = { colors: ['red'], confidence: 0.5, note: null }
const hex = { colors: [' #ff0000'], confidence: 0.5, note: null }
const wanted = { colors: ['#ff0000'], confidence: 0.5 }
const gives = (args: object | string): ScriptedTurn => ({
  ...calls({ name: 'palette', arguments: args }),
  usage: { input: 10, output: 5 },
})
const ways = wires.flatMap(wire => [false, true].map(stream => ({ wire, stream })))

function connect(
  { wire, stream }: (typeof ways)[number],
  ...script: ScriptedTurn[]
): { model: ModelPort; server: ScriptedModel } {
  const server = createScriptedModel({ wire, script })
  const request = { model: 'm', ...(wire === 'messages' && { max_tokens: 1000, messages: [] }) }
  return { server, model: connectModel({ wire, stream, send: server.send, request }) }
}

describe.each(ways)('$wire, streamed: $stream', way => {
  test('An output that fails its audit is requested again, with call and issues in the history.', async () => {
    const { model, server } = connect(way, gives(red), gives(hex))
    const result = await runStep(step, 'Acme', { model })
    expect(result.error).toBeUndefined()
    expect(result.output).toEqual(wanted)
    expect(result.usage).toMatchObject({ input: 20, output: 10 })
    const [first, second] = server.requests
    expect(first).toMatchObject({
      toolNames: ['palette'],
      system: 'You choose colours.',
      user: 'Colours for Acme',
    })
    expect(JSON.stringify(first?.body.tool_choice)).toContain('"palette"')
    expect(second?.calls.map(call => [call.name, JSON.parse(call.arguments)])).toEqual([['palette', red]])
    expect(second?.results).toHaveLength(1)
    expect(second?.results[0]?.callId).toBe(second?.calls[0]?.id)
    expect(second?.results[0]?.text).toContain('1. [high] "red" is no hex code.')
    server.assertDone()
  })

  test('Text instead of a call, bad JSON and a wrong tool get feedback, and the history stays valid.', async () => {
    const { model, server } = connect(
      way,
      says('Red!'),
      gives('{"colors": ['),
      calls({ name: 'other', arguments: {} }),
      gives(hex),
    )
    const result = await runStep(step, 'Acme', { model })
    expect(result.output).toEqual(wanted)
    const codes = result.attempts.map(({ error }) => error?.code)
    expect(codes).toEqual([
      'no_call',
      expect.stringMatching(/^invalid_(json|output)$/),
      'wrong_tool',
      undefined,
    ])
    const last = server.requests.at(-1)
    for (const call of last?.calls ?? []) expect(isObject(JSON.parse(call.arguments))).toBe(true)
    expect(last?.results.map(({ callId }) => callId)).toEqual(last?.calls.map(({ id }) => id))
    expect(JSON.stringify(last?.body)).toContain('Attempt 1 was not accepted')
  })

  test.each<[string, ScriptedTurn]>([
    ['truncated_output', { ...gives('{"colors":["#fff"],"confidence":1}'), finish: 'length' }],
    ['truncated_output', says('Let me th', { finish: 'length' })],
    ['refused', { refusal: 'I cannot.' }],
    ['model_failed', fails(500, 'broken')],
  ])('The step ends at once after %s.', async (code, turn) => {
    const { model, server } = connect(way, turn)
    const result = await runStep(step, 'Acme', { model })
    expect(result).toMatchObject({ ok: false, error: { code } })
    server.assertDone()
  })

  test('The carrier "format" sends the schema to the model and returns the text.', async () => {
    const { model, server } = connect(way, says(JSON.stringify(red)), says(JSON.stringify(hex)))
    const result = await runStep(defineStep({ ...config, carrier: 'format' }), 'Acme', { model })
    expect(result.error).toBeUndefined()
    expect(result.output).toEqual(wanted)
    const [first, second] = server.requests
    expect(first?.toolNames).toEqual([])
    expect(JSON.stringify(first?.body)).toContain('"confidence"')
    // Messages refuses a range in a format, so it becomes part of the description.
    const hasRange = JSON.stringify(first?.body).includes('"maximum":1')
    expect(hasRange).toBe(way.wire !== 'messages')
    expect(second?.user).toContain('1. [high] "red" is no hex code.')
  })

  test('Stream events of the answer are emitted.', async () => {
    const types: string[] = []
    const { model } = connect(way, gives(hex))
    await runStep(step, 'Acme', {
      model,
      onEvent: e => void (e.type === 'answer' && types.push(e.event.type)),
    })
    expect(types[0]).toBe('start')
    expect(types.at(-1)).toBe('finish')
  })
})

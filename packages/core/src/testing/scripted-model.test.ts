import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkEventOrder } from '../../../../test/support/streams/event-order.ts'
import type { Answer } from '../model/answer.ts'
import { createReport } from '../model/diagnostic.ts'
import { foldEvents } from '../model/fold-events.ts'
import { createSseParser } from '../sse/sse-parser.ts'
import { createUtf8Decoder } from '../sse/utf8-decoder.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import { builtInConversations, wireNames as wires } from '../wires/registry.ts'
import type { Fault, Pieces, ScriptedTurn } from './index.ts'
import { calls, createScriptedModel, fails, ScriptError, ScriptedRefusal, says } from './index.ts'

const request = { model: 'any', stream: true, stream_options: { include_usage: true } }

const full: ScriptedTurn = {
  reasoning: { text: 'Let me think.', seal: 'signed' },
  text: 'I look it up: ✓ 🎉 Ålesund',
  calls: [
    { name: 'get_weather', arguments: { city: 'Ålesund 🎉', days: 3 } },
    { name: 'get_time', arguments: {} },
  ],
  usage: { input: 12, output: 34, cacheRead: 5 },
}

async function textOf(stream: unknown): Promise<string> {
  const decode = createUtf8Decoder()
  const pieces: string[] = []
  for await (const chunk of stream as AsyncIterable<string | Uint8Array>) pieces.push(decode(chunk))
  return pieces.join('') + decode(undefined)
}

function fold(wire: Wire, text: string): Answer {
  const parser = createSseParser()
  const decoder = builtInConversations[wire].createStreamDecoder(createReport().report)
  const frames = [...parser.push(text), ...parser.end()]
  return foldEvents([...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()])
}

const essence = ({ turns, finish, usage }: Answer): unknown => ({
  reason: finish.reason,
  counts: [usage?.input, usage?.output, usage?.cacheRead],
  parts: turns
    .flatMap(({ parts }) => parts)
    .map(part => {
      if (part.kind === 'call') return [part.name, part.id, JSON.parse(part.input)]
      return part.kind === 'reasoning'
        ? [part.summary, part.text, part.seal]
        : [part.kind, 'text' in part && part.text]
    }),
})

async function whole(wire: Wire, turn: ScriptedTurn): Promise<Answer> {
  const body = await createScriptedModel({ wire, script: [turn] }).send({ model: 'any' })
  return builtInConversations[wire].decodeAnswer(body as Record<string, unknown>, createReport().report)
}

describe.each(wires)('a scripted model on %s', wire => {
  const stream = (turn: ScriptedTurn, pieces: Pieces = {}): Promise<string> =>
    createScriptedModel({ wire, script: [turn], pieces })
      .send(request)
      .then(textOf)

  test('A streamed answer equals the one that is not streamed, in the event order of its wire.', async () => {
    for (const pieces of [
      {},
      { interleave: true },
      { text: 1, bytes: 1 },
      { text: 100, bytes: { seed: 7 } },
    ]) {
      const text = await stream(full, pieces)
      expect(checkEventOrder(wire, text)).toEqual([])
      expect(essence(fold(wire, text))).toEqual(essence(await whole(wire, full)))
    }
  })

  test('An answer has the content of its turn.', async () => {
    const { turns, finish, usage } = await whole(wire, full)
    const parts = turns.flatMap(turn => turn.parts)
    expect(parts.filter(part => part.kind === 'text').map(part => part.text)).toEqual([full.text])
    expect(
      parts.filter(part => part.kind === 'call').map(({ name, input }) => [name, JSON.parse(input)]),
    ).toEqual([
      ['get_weather', { city: 'Ålesund 🎉', days: 3 }],
      ['get_time', {}],
    ])
    expect(finish.reason).toBe('calls')
    expect(usage).toMatchObject({ input: 12, output: 34, cacheRead: 5 })
    expect((await whole(wire, says('Hello', { finish: 'length' }))).finish.reason).toBe('length')
    const refused = await whole(wire, { refusal: 'I will not.' })
    expect(JSON.stringify(refused.turns)).toContain('I will not.')
  })

  test('The same seed gives the same chunks, and all cuts give the same bytes.', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.integer(),
        fc.integer({ min: 1, max: 9 }),
        async (text, seed, size) => {
          const turn = { text, calls: [{ name: 'note', arguments: { text } }] }
          const plain = await stream(turn, { text: size })
          expect(await stream(turn, { text: size, bytes: { seed } })).toBe(plain)
          expect(await stream(turn, { text: size, bytes: size })).toBe(plain)
          expect(checkEventOrder(wire, plain)).toEqual([])
        },
      ),
      { numRuns: 30 },
    )
  })

  test('A delta never ends within a character.', async () => {
    const text = await stream(says('🎉🎈🎁'), { text: 1 })
    for (const character of '🎉🎈🎁') expect(text).toContain(`"${character}"`)
    expect(text).not.toContain('\\ud')
  })

  test('Invalid arguments are sent unchanged.', async () => {
    const text = await stream(calls({ name: 'get_weather', arguments: '{"city":' }))
    expect(fold(wire, text).turns.flatMap(turn => turn.parts)).toMatchObject([
      { name: 'get_weather', input: '{"city":' },
    ])
  })

  test('A recorded answer is repeated, streamed or not.', async () => {
    const body = (await createScriptedModel({ wire, script: [full] }).send({ model: 'any' })) as Record<
      string,
      unknown
    >
    expect(await createScriptedModel({ wire, script: [{ body }] }).send({})).toEqual(body)
    const recorded = builtInConversations[wire].decodeAnswer(body, createReport().report)
    expect(essence(fold(wire, await stream({ body })))).toEqual(essence(recorded))
  })

  test('A refusal has the format of its wire and the headers of the script.', async () => {
    const model = createScriptedModel({ wire, script: [fails(429, 'Slow down.', { 'retry-after': '7' })] })
    const refusal = await model.send(request).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(ScriptedRefusal)
    const { status, headers, error } = refusal as ScriptedRefusal
    expect([status, headers.get('Retry-After')]).toEqual([429, '7'])
    expect(
      builtInConversations[wire].decodeAnswer(error as Record<string, unknown>, createReport().report).error,
    ).toMatchObject({
      kind: 'rate_limit',
      message: 'Slow down.',
    })
    const overloaded = createScriptedModel({
      wire,
      script: [{ error: { kind: 'overloaded', message: 'Busy.' } }],
    })
    await expect(overloaded.send({})).rejects.toMatchObject({
      status: builtInConversations[wire].profile.overloadedStatus,
    })
    const page = createScriptedModel({ wire, script: [{ status: 502, body: '<html>' }] })
    await expect(page.send({})).rejects.toMatchObject({ status: 502, error: '<html>' })
  })
})

describe('Seen requests', () => {
  test('A seen request is the same on every wire.', async () => {
    const parameters = { type: 'object', properties: {} }
    const bodies = {
      chat: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'w', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'Rain' },
        ],
        tools: [{ type: 'function', function: { name: 'w', description: 'Tells', parameters } }],
      },
      responses: {
        instructions: 'Be brief.',
        input: [
          { role: 'user', content: 'Weather?' },
          { type: 'function_call', call_id: 'c1', name: 'w', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'Rain' },
        ],
        tools: [{ type: 'function', name: 'w', description: 'Tells', parameters, strict: false }],
      },
      messages: {
        system: 'Be brief.',
        messages: [
          { role: 'user', content: 'Weather?' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'w', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'Rain' }] },
        ],
        tools: [{ name: 'w', description: 'Tells', input_schema: parameters }],
      },
    }
    for (const wire of wires) {
      const model = createScriptedModel({ wire, script: [says('ok')] })
      await model.send({ model: 'm', ...bodies[wire] })
      expect(model.requests).toMatchObject([
        {
          index: 0,
          wire,
          model: 'm',
          isStreamed: false,
          toolNames: ['w'],
          tools: [{ kind: 'function', name: 'w', description: 'Tells', parameters }],
          system: 'Be brief.',
          user: 'Weather?',
          calls: [{ id: 'c1', name: 'w', arguments: '{}' }],
          results: [{ callId: 'c1', text: 'Rain', isError: false }],
          newResults: [{ callId: 'c1', text: 'Rain', isError: false }],
          unansweredCalls: [],
          orphanedResults: [],
        },
      ])
    }
  })

  test('A seen request lists unpaired calls and results, and the model can refuse them.', async () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'w', arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'c1', output: 'Rain' }
    const seen = async (body: object, pairing: 'refuse' | 'ignore'): Promise<unknown> => {
      const model = createScriptedModel({ wire: 'responses', script: [says('ok')], pairing })
      const failure = await model.send(body).then(
        () => undefined,
        (error: ScriptedRefusal) => error.message,
      )
      const { unansweredCalls, orphanedResults } = model.requests[0] ?? {}
      return [unansweredCalls, orphanedResults, failure]
    }
    expect(await seen({ input: [call] }, 'ignore')).toEqual([['c1'], [], undefined])
    expect(await seen({ input: [output] }, 'ignore')).toEqual([[], ['c1'], undefined])
    expect(await seen({ input: [call, output] }, 'refuse')).toEqual([[], [], undefined])
    expect(await seen({ input: [output], previous_response_id: 'r' }, 'refuse')).toEqual([[], [], undefined])
    expect(await seen({ input: [call, output, output] }, 'refuse')).toEqual([
      ['c1'],
      [],
      expect.stringContaining('400 {"error":{"message":"Calls without exactly one result: c1."'),
    ])
    expect(await seen({ input: [output] }, 'refuse')).toMatchObject({
      2: expect.stringContaining('Results without a call: c1.'),
    })
  })

  test('A seen request is a copy of the body.', async () => {
    const model = createScriptedModel({ wire: 'chat', script: [says('ok')] })
    const messages = [{ role: 'user', content: 'Hello', name: undefined }]
    await model.send({ messages })
    messages.push({ role: 'user', content: 'Later', name: undefined })
    expect(model.requests[0]?.body).toStrictEqual({ messages: [{ role: 'user', content: 'Hello' }] })
  })
})

describe('Scripts', () => {
  test('A script may be or contain functions of the request.', async () => {
    const model = createScriptedModel({
      wire: 'messages',
      script: ({ user }) => says(`You said ${user}`),
    })
    const body = await model.send({ messages: [{ role: 'user', content: 'hi' }] })
    expect(body).toMatchObject({ content: [{ type: 'text', text: 'You said hi' }] })
    const mixed = createScriptedModel({
      wire: 'chat',
      script: [async ({ index }) => says(`number ${index}`)],
    })
    expect(await mixed.send({})).toMatchObject({ choices: [{ message: { content: 'number 0' } }] })
  })

  test('A script that is too short reports the request, and assertDone throws.', async () => {
    const model = createScriptedModel({ wire: 'chat', script: [says('ok')] })
    await model.send({ messages: [{ role: 'user', content: 'one' }] })
    const again = model.send({
      messages: [{ role: 'tool', tool_call_id: 'call_9', content: 'Rain' }],
      tools: [{ type: 'function', function: { name: 'w' } }],
    })
    await expect(again).rejects.toThrow(
      'The script has only 1 turn, but the model got another request. Request 2 brought the results call_9: "Rain", with the tools w.',
    )
    expect(model.assertDone).toThrow(ScriptError)
  })

  test('A script with turns left is reported by assertDone.', async () => {
    const model = createScriptedModel({
      wire: 'chat',
      script: [says('a'), calls({ name: 'w', arguments: {} })],
    })
    await model.send({})
    expect(model.assertDone).toThrow(
      'The script has 2 turns, but only 1 were requested. Next is turn 2: calls of w.',
    )
    await model.send({})
    expect(model.assertDone).not.toThrow()
  })

  test('An invalid script is refused.', async () => {
    expect(() => createScriptedModel({ wire: 'soap' as 'chat', script: [] })).toThrow('"wire" must be one of')
    expect(() => createScriptedModel({ wire: 'chat', script: {} as [] })).toThrow('"script" must be an array')
    expect(() => createScriptedModel({ wire: 'chat', script: [], pieces: { bytes: 0 } })).toThrow(
      '"pieces.bytes"',
    )
    const nothing = createScriptedModel({ wire: 'chat', script: () => undefined as unknown as ScriptedTurn })
    await expect(nothing.send({})).rejects.toThrow('gave nothing for request 1')
    await expect(nothing.send([])).rejects.toThrow('must be an object; got a list')
    for (const fault of ['gone', { cutt: 1 }, { cut: -1 }] as unknown as Fault[]) {
      const spoiled = createScriptedModel({ wire: 'chat', script: [says('a', { fault })] })
      await expect(spoiled.send({})).rejects.toThrow('The fault of the turn for request 1 must be')
      expect(spoiled.assertDone).toThrow('The fault of the turn')
    }
  })
})

/** A conversation that stops can be kept as JSON and taken up again as if it had never stopped. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ConversationState } from '../../packages/core/src/client/state.ts'
import { runConversation } from '../../packages/core/src/run-conversation.ts'
import { defineTool } from '../../packages/core/src/runtime/tools/define-tool.ts'
import type { Said } from './native.ts'
import { asking, historyOf, resultsOf, speaker, wires } from './native.ts'

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  handler: ({ a }) => `${a + 1}`,
})
const mine = defineTool({ name: 'mine', description: 'The caller runs it.' })

const stored = (state: ConversationState): ConversationState => JSON.parse(JSON.stringify(state))
const toolOf = (wire: string, name: string): object =>
  wire === 'chat'
    ? { type: 'function', function: { name, parameters: { type: 'object' } } }
    : wire === 'responses'
      ? { type: 'function', name, parameters: { type: 'object' }, strict: false }
      : { name, input_schema: { type: 'object' } }

describe.each(wires)('pending calls on %s', wire => {
  const request = { ...asking(wire, 'Go.'), tools: [toolOf(wire, 'theirs')] }
  const calls = [
    { id: 'call_1', name: 'theirs', input: {} },
    { id: 'call_2', name: 'add', input: { a: 1 } },
    { id: 'call_3', name: 'mine', input: {} },
  ]
  const start = async (stream = false) => {
    const model = speaker(wire, [{ calls }])
    return runConversation({ wire, request, stream, tools: [add, mine], send: model.send })
  }

  test.each([false, true])(
    'Other calls of the turn are run before the caller answers the pending ones; streamed: %s.',
    async stream => {
      const stopped = await start(stream)
      expect(stopped.reason).toBe('pending')
      expect(stopped.pending.map(({ id, name }) => [id, name])).toEqual([
        ['call_1', 'theirs'],
        ['call_3', 'mine'],
      ])
      expect(resultsOf(stopped.state.request)).toEqual([{ id: 'call_2', text: '2', isError: false }])
      expect(stored(stopped.state)).toEqual(stopped.state)

      const model = speaker(wire, [{ text: 'Thank you.' }])
      const results = [
        { callId: 'call_3', content: 'three', isError: true },
        { callId: 'call_1', content: [{ kind: 'text', text: 'one', path: [] } as const] },
      ]
      const state = stored(stopped.state)
      const ended = await runConversation({ state, results, stream, tools: [add, mine], send: model.send })
      expect(ended).toMatchObject({ reason: 'answer', rounds: 2, text: 'Thank you.' })
      expect(resultsOf(model.asked[0] ?? {})).toEqual([
        { id: 'call_1', text: 'one', isError: false },
        { id: 'call_2', text: '2', isError: false },
        { id: 'call_3', text: 'three', isError: true },
      ])
    },
  )

  test('The error names results that are missing, unknown or repeated.', async () => {
    const { state } = await start()
    const send = (): never => {
      throw new Error('nothing is to be sent')
    }
    const result = (callId: string) => ({ callId, content: 'x' })
    await expect(runConversation({ state, results: [result('call_1')], send })).rejects.toThrow(
      'These calls wait for results: "call_3" (mine).',
    )
    await expect(runConversation({ state, send })).rejects.toThrow('"call_1" (theirs), "call_3" (mine)')
    await expect(
      runConversation({ state, results: ['call_1', 'call_3', 'call_2'].map(result), send }),
    ).rejects.toThrow('"results[2].callId" is "call_2"; no pending call has that id.')
    await expect(runConversation({ state, results: ['call_1', 'call_1'].map(result), send })).rejects.toThrow(
      'a second time',
    )
  })

  test('The error names a result with an empty part, and nothing is sent.', async () => {
    const { state } = await start()
    const send = (): never => {
      throw new Error('nothing is to be sent')
    }
    const odd = [
      { kind: 'text' },
      { kind: 'image' },
      { kind: 'file', source: 5 },
      { kind: 'image', source: { type: 'data', data: 'AAAA' } },
      { kind: 'image', source: { type: 'constructor' } },
      { kind: 'call', source: { type: 'url', url: 'https://example.org' } },
    ]
    for (const part of odd) {
      const results = ['call_1', 'call_3'].map(callId => ({ callId, content: [part] as never }))
      await expect(runConversation({ state, results, send })).rejects.toThrow('"results[0].content" must be')
    }
  })

  test('A name that both the request and the program declare is refused.', async () => {
    const theirs = defineTool({ name: 'theirs', description: 'x', handler: () => 'x' })
    await expect(runConversation({ wire, request, tools: [theirs], send: () => ({}) })).rejects.toThrow(
      'declares a tool "theirs"',
    )
  })
})

describe('the next user message', () => {
  test.each(wires)(
    'The next message follows the answer on %s, as a string or in the form of the wire.',
    async wire => {
      const first = speaker(wire, [{ text: 'Hello.' }])
      const { state } = await runConversation({ wire, request: asking(wire, 'Hi.'), send: first.send })
      await expect(runConversation({ state, send: first.send })).rejects.toThrow(
        'pass the next message in "input"',
      )
      for (const input of ['And now?', { role: 'user', content: 'And now?' }]) {
        const model = speaker(wire, [{ text: 'Now this.' }])
        const result = await runConversation({ state: stored(state), input, send: model.send })
        expect(result).toMatchObject({ reason: 'answer', rounds: 2, usage: { input: 20, output: 10 } })
        expect(historyOf(model.asked[0] ?? {}).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
        expect(historyOf(model.asked[0] ?? {}).at(-1)).toMatchObject({ role: 'user', content: 'And now?' })
      }
    },
  )

  test('Bad states and bad options give different errors.', async () => {
    const first = speaker('chat', [{ text: 'Hello.' }])
    const { state } = await runConversation({
      wire: 'chat',
      request: asking('chat', 'Hi.'),
      send: first.send,
    })
    const bad = async (change: object): Promise<unknown> =>
      runConversation({
        state: { ...state, ...change } as ConversationState,
        input: 'x',
        send: first.send,
      }).catch(error => (error as Error).message)
    expect(await bad({ version: 7 })).toContain('its version is 7, and this library reads version 1')
    expect(await bad({ wire: 'smtp' })).toContain('"state.wire" must be one of')
    expect(await bad({ request: [] })).toContain('its request is a list')
    expect(await bad({ fresh: -1 })).toContain('its fresh is -1')
    expect(await bad({ usage: {} })).toContain('usage')
    expect(await bad({ pending: [{}] })).toContain('pending')
    expect(await bad({ memory: 3 })).toContain('its memory is 3')
    const both = { state, wire: 'chat', send: first.send } as never
    await expect(runConversation(both)).rejects.toThrow('"state" holds the wire already')
    const early = { wire: 'chat', request: {}, input: 'x', send: first.send } as never
    await expect(runConversation(early)).rejects.toThrow('"input" goes with "state"')
    const odd = { wire: 'chat', request: {}, send: first.send, callTimeoutMs: -1 } as const
    await expect(runConversation(odd)).rejects.toThrow('timeoutMs')
    expect(first.asked).toHaveLength(1)
  })
})

test.each(wires)('On %s a request without any message can be continued.', async wire => {
  const { messages: _, input: __, ...head } = asking(wire, '') as Record<string, unknown>
  const empty = { ...head, ...(wire === 'responses' ? { input: [] } : { messages: [] }) }
  for (const request of [head, empty]) {
    const first = speaker(wire, [{ text: 'Hello.' }])
    const { state } = await runConversation({ wire, request, send: first.send })
    const model = speaker(wire, [{ text: 'Yes.' }])
    await runConversation({ state, input: 'Really?', send: model.send })
    expect(historyOf(model.asked[0] ?? {}).map(({ role }) => role)).toEqual(['assistant', 'user'])
  }
  await expect(
    runConversation({ wire, request: { messages: {}, input: {} }, send: () => ({}) }),
  ).rejects.toThrow('must be a list; got an object')
})

/** A conversation of a few rounds, with text, parallel calls, failures and calls that were cut off. */
const script = fc
  .array(
    fc.record({
      text: fc.option(fc.string({ minLength: 1, maxLength: 8 }), { nil: undefined }),
      names: fc.array(fc.constantFrom('add', 'unknown'), { minLength: 1, maxLength: 3 }),
      cut: fc.boolean(),
    }),
    { maxLength: 4 },
  )
  .map(rounds => [
    ...rounds.map(
      ({ text, names, cut }, n): Said => ({
        id: `id_${n}`,
        ...(text !== undefined && { text }),
        calls: names.map((name, i) => ({ id: `call_${n}_${i}`, name, input: { a: n } })),
        // Two cuts in a row end a conversation.
        ...(cut && n % 2 === 0 && { finish: 'length' }),
      }),
    ),
    { id: 'id_end', text: 'The end.' } satisfies Said,
  ])

test.each(wires)('A conversation on %s that is cut after any round and resumed is the same.', async wire => {
  await fc.assert(
    fc.asyncProperty(script, fc.boolean(), async (said, stream) => {
      const common = { stream, tools: [add] }
      const whole = await runConversation({
        ...common,
        wire,
        request: asking(wire, 'Go.'),
        send: speaker(wire, said).send,
      })
      const model = speaker(wire, said)
      let part = await runConversation({
        ...common,
        wire,
        request: asking(wire, 'Go.'),
        maxRounds: 1,
        send: model.send,
      })
      while (part.reason === 'max_rounds') {
        part = await runConversation({ ...common, state: stored(part.state), maxRounds: 1, send: model.send })
      }
      expect(part.reason).toBe('answer')
      expect(part.state).toEqual(whole.state)

      const answers = speaker(wire, said)
      let asked = 0
      const send = (body: object): unknown => {
        if (asked++ % 2 === 0) throw new Error('The line is down.')
        return answers.send(body)
      }
      let shaky = await runConversation({ ...common, wire, request: asking(wire, 'Go.'), send })
      while (shaky.reason === 'failed')
        shaky = await runConversation({ ...common, state: stored(shaky.state), send })
      expect(shaky.state).toEqual(whole.state)
    }),
    { numRuns: 40 },
  )
})

/** The one list of adaptations: its order, and that an adaptation with nothing to do returns its input. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { request as chatRequest } from '../../../../../test/support/arbitraries/chat.ts'
import { request as messagesRequest } from '../../../../../test/support/arbitraries/messages.ts'
import { request as responsesRequest } from '../../../../../test/support/arbitraries/responses.ts'
import { conversationFixtures } from '../../../../../test/support/fixtures/fixtures.ts'
import { pairs, wires } from '../../../../../test/support/wires.ts'
import type { Turn } from '../../model/conversation.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { createReport } from '../../model/diagnostic.ts'
import type { Origin } from '../../model/origin.ts'
import type { Request } from '../../model/request.ts'
import { strictPasses } from '../../schema/strict/passes.ts'
import { type BuiltInWire, builtInConversations } from '../../wires/registry.ts'
import type { ToolOptions } from '../shared/options.ts'
import type { ConversionContext } from './context.ts'
import { createAdaptContext, createConversionContext } from './context.ts'
import { traitsOf } from './history-traits.ts'
import { adaptRequest, requestAdaptations } from './request-adaptations.ts'

const steps = requestAdaptations.flat()
const all = steps.map(step => (typeof step === 'function' ? step : step.adapt))

test('The adaptations run in the documented order.', () => {
  expect(all.map(({ name }) => name)).toEqual([
    'addServerTools',
    'mergeAdditionalTools',
    'applyAllowedTools',
    'adaptHostedTools',
    'showDeferredTools',
    'adaptCustomTools',
    'flattenNamespaces',
    'mergeDuplicates',
    'adaptToolNames',
    'adaptParameters',
    'adaptStrict',
    'adaptToolChoice',
    'liftRefusedChoice',
    'omitEmptiedTools',
    'takeCompactionDemand',
    'openCompactions',
    'restoreServerCalls',
    'readServerCalls',
    'readHostedCalls',
    'settleAsyncCalls',
    'pairHistory',
    'adaptHistoryCalls',
    'applyUpdates',
    'adaptOutputLimit',
    'dropPenalties',
    'adaptFormat',
    'requestUsage',
    'requestSealed',
    'limitFunctions',
    'adaptEffort',
    'dropRefusedSettings',
    'shortenIdentifiers',
    'dropClearedTurns',
    'dropItemIds',
    'adaptCallIds',
    'replaceMedia',
    'adaptReasoning',
    'dropForeignParts',
    'groupTurns',
    'addMissingReasoning',
    'hoistResultMedia',
    'adaptRoles',
    'carryCacheBreakpoints',
    'addCacheBreakpoints',
  ])
})

/** The context of an exchange to the upstream `b`, with nothing to run and nothing recorded. */
function contextOf(to: BuiltInWire, from: BuiltInWire | undefined, options: ToolOptions = {}) {
  const source = from === undefined ? undefined : builtInConversations[from]
  return createConversionContext(
    { to: builtInConversations[to], upstream: 'b', ...(source && { from: source }) },
    { strictPasses, ...options },
    {
      pairing: 'repair',
      media: 'error',
      hostedCalls: source?.hostedCalls,
      serverCalls: source?.serverCalls,
      serverCallRecordFor: () => undefined,
      serverTools: [],
      compacts: false,
    },
  )
}

function decode(wire: BuiltInWire, body: object): Request {
  return builtInConversations[wire].decodeRequest({ ...body }, () => undefined)
}

/** Names of the adaptations that do not return what they are given. */
function changing(request: Request, conversion: ConversionContext): string[] {
  const { report, diagnostics } = createReport()
  const context = createAdaptContext(conversion, request, report)
  const names = all.filter(adapt => adapt(request, context) !== request).map(({ name }) => name)
  return [...names, ...diagnostics.map(({ code }) => code)]
}

/** Names of the adaptations that do something although the history lacks what they say they need. */
function changingWithoutNeed(request: Request, conversion: ConversionContext): string[] {
  const { report, diagnostics } = createReport()
  const context = createAdaptContext(conversion, request, report)
  const names: string[] = []
  let adapted = request
  for (const step of steps) {
    const adapt = typeof step === 'function' ? step : step.adapt
    const isStarted = typeof step === 'function' || traitsOf(adapted.turns).has(step.needs)
    const told = diagnostics.length
    const next = adapt(adapted, context)
    if (!isStarted && (next !== adapted || diagnostics.length > told)) names.push(adapt.name)
    adapted = next
  }
  return names
}

describe.each(conversationFixtures('requests'))('the request $wire/$story', ({ wire, story, body }) => {
  test(`Every adaptation returns the ${wire} request ${story} itself on its own wire.`, () => {
    expect(changing(decode(wire, body), contextOf(wire, wire))).toEqual([])
  })

  test.each(wires)(
    `What is not started for the ${wire} request ${story} on its way to %s has nothing to do.`,
    to => {
      expect(changingWithoutNeed(decode(wire, body), contextOf(to, wire))).toEqual([])
    },
  )

  test.each(wires)(`The ${wire} request ${story}, once adapted to %s, is not changed again.`, to => {
    const { report } = createReport()
    const once = adaptRequest(decode(wire, body), contextOf(to, wire), report)
    expect(changing(once, contextOf(to, to))).toEqual([])
  })

  test.each(wires.filter(to => to !== wire))(
    `No adaptation of turns or settings changes the ${wire} request ${story} twice on its way to %s.`,
    to => {
      const target = contextOf(to, wire)
      const { report } = createReport()
      const once = adaptRequest(decode(wire, body), target, report)
      const again = createReport()
      const twice = adaptRequest(once, target, again.report)
      expect(twice.turns).toEqual(once.turns)
      expect(twice.settings).toEqual(once.settings)
    },
  )
})

const requestOf: { readonly [W in BuiltInWire]: fc.Arbitrary<object> } = {
  chat: chatRequest,
  responses: responsesRequest,
  messages: messagesRequest,
}

test.each(pairs)('A generated request of %s, once adapted to %s, is not changed again.', (from, to) => {
  fc.assert(
    fc.property(requestOf[from], body => {
      const once = adaptRequest(decode(from, body), contextOf(to, from), createReport().report)
      expect(changing(once, contextOf(to, to))).toEqual([])
    }),
  )
})

test.each(pairs)('What is not started for a generated request of %s to %s has nothing to do.', (from, to) => {
  fc.assert(
    fc.property(requestOf[from], body => {
      expect(changingWithoutNeed(decode(from, body), contextOf(to, from))).toEqual([])
    }),
  )
})

test.each(wires)('Every adaptation returns a plain request of a program itself on %s.', wire => {
  const parameters = { type: 'object', properties: {} }
  const request: Request = {
    model: 'm',
    turns: [say('user', 'Hello.'), say('assistant', 'Hi.'), say('user', 'Go on.')],
    tools: { tools: [{ kind: 'function', name: 'f', parameters, root: [], path: [], parametersPath: [] }] },
    settings: { maxOutputTokens: { value: 100, path: [] } },
  }
  expect(changing(request, contextOf(wire, undefined))).toEqual([])
})

function say(role: Turn['role'], text: string, more: Partial<Turn> = {}): Turn {
  return { role, parts: [{ kind: 'text', text, path: [] }], root: [], plain: true, ...more }
}

describe('a request whose turns differ in origin', () => {
  const sealed = (value: string, origin?: Origin | null): Turn => ({
    role: 'assistant',
    parts: [
      {
        kind: 'reasoning',
        summary: [],
        text: ['Hm.'],
        seal: { wire: 'messages', value },
        path: [value],
      },
      { kind: 'text', text: `after ${value}`, path: [] },
    ],
    root: [],
    ...(origin !== undefined && { origin }),
  })
  const adapt = (
    turns: readonly Turn[],
    to: BuiltInWire,
    { from, ...options }: ToolOptions & { from?: BuiltInWire } = {},
  ): { turns: readonly Turn[]; diagnostics: readonly Diagnostic[] } => {
    const { report, diagnostics } = createReport()
    const settings = { maxOutputTokens: { value: 100, path: [] } }
    const adapted = adaptRequest({ turns, tools: {}, settings }, contextOf(to, from, options), report)
    return { turns: adapted.turns, diagnostics }
  }

  test('Sealed reasoning goes back to its upstream and to no other on the same wire.', () => {
    const turns = [
      say('user', 'Hello.'),
      sealed('of a', { wire: 'messages', upstream: 'a' }),
      say('user', 'And?'),
      sealed('of b', { wire: 'messages', upstream: 'b' }),
      say('user', 'And?'),
      sealed('of an unknown upstream', { wire: 'messages' }),
      say('user', 'And?'),
      sealed('of a program'),
    ]
    const { turns: sent, diagnostics } = adapt(turns, 'messages')
    const seals = sent.flatMap(({ parts }) =>
      parts.flatMap(part => (part.kind === 'reasoning' ? [part.seal?.value] : [])),
    )
    expect(seals).toEqual(['of b', 'of an unknown upstream'])
    expect(diagnostics.filter(({ code }) => code === 'reasoning_sealed').map(({ path }) => path)).toEqual([
      ['of a'],
      ['of a program'],
    ])
    expect(sent[3]).toBe(turns[3])
    expect(sent[5]).toBe(turns[5])
  })

  test('In a native request only the turns with another origin are adapted.', () => {
    const turns = [
      sealed('inherited'),
      sealed('of a', { wire: 'messages', upstream: 'a' }),
      sealed('made here', null),
      say('developer', 'Native.'),
      say('developer', 'Made here.', { origin: null }),
    ]
    const { turns: sent } = adapt(turns, 'messages', { from: 'messages' })
    expect(sent[0]).toBe(turns[0])
    // The two turns that are not native are joined, as Messages requires.
    expect(sent[1]?.parts).toMatchObject([
      { text: 'Hm.' },
      { text: 'after of a' },
      { text: 'Hm.' },
      { text: 'after made here' },
    ])
    expect(sent.slice(2).map(({ role }) => role)).toEqual(['developer', 'system'])
  })

  test('Item ids stay with a turn of the upstream and are removed from a turn of another.', () => {
    const item = (id: string, origin: Origin): Turn => ({
      ...say('assistant', id),
      origin,
      residue: { wire: origin.wire, at: [id], entries: [[['id'], id]] },
    })
    const turns = [
      item('own', { wire: 'responses', upstream: 'b' }),
      item('foreign', { wire: 'responses', upstream: 'a' }),
    ]
    const { turns: sent, diagnostics } = adapt(turns, 'responses')
    expect(sent[0]).toBe(turns[0])
    expect(JSON.stringify(sent[1]?.residue ?? null)).not.toContain('foreign')
    expect(diagnostics).toMatchObject([{ code: 'hint_dropped', path: ['foreign', 'id'] }])
    const { turns: without } = adapt(turns, 'responses', { profile: { itemIds: false } })
    expect(without.flatMap(({ residue }) => residue?.entries ?? [])).toEqual([])
  })

  const long = `call_${'x'.repeat(80)}`
  const call = (origin?: Origin): Turn => ({
    role: 'assistant',
    parts: [{ kind: 'call', form: 'function', id: long, name: 'f', input: '{}', path: [] }],
    root: [],
    ...(origin !== undefined && { origin }),
  })
  const result: Turn = {
    role: 'tool',
    parts: [
      {
        kind: 'result',
        form: 'function',
        callId: long,
        content: [{ kind: 'image', source: { type: 'url', url: 'https://example.org/a.png' }, path: [] }],
        path: [],
      },
    ],
    root: [],
  }
  const idsOf = (turns: readonly Turn[]): unknown[] =>
    turns.flatMap(({ parts }) =>
      parts.flatMap(part => (part.kind === 'call' ? part.id : part.kind === 'result' ? part.callId : [])),
    )

  test('The result of a program takes the id of its call, whatever the origin of the call.', () => {
    expect(idsOf(adapt([call({ wire: 'chat' }), result], 'chat').turns)).toEqual([long, long])
    const [renamed, sameAgain] = idsOf(adapt([call(), result], 'chat').turns)
    expect(renamed).not.toBe(long)
    expect(sameAgain).toBe(renamed)
  })

  test('The result of a program is grouped and fitted after a native call.', () => {
    const { turns: sent } = adapt([call({ wire: 'chat' }), result], 'chat')
    expect(sent.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
    expect(sent[2]?.parts).toMatchObject([{ kind: 'text' }, { kind: 'image' }])
    const messages = adapt([call({ wire: 'messages' }), result, say('user', 'Go on.')], 'messages').turns
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'user'])
  })
})

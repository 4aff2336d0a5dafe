/**
 * Recorded server tool calls are put back into the client's history: the upstream gets the history that it would have
 * if it had run every tool itself.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ServerCall, ServerCallRecord } from '../../packages/core/src/convert/shared/server-calls.ts'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import type { CallPart, Part, ReasoningPart, Turn } from '../../packages/core/src/model/conversation.ts'
import type { UpstreamAnswer } from './exchange-fixtures.ts'
import {
  answerFrom,
  answerTurns,
  begin,
  call,
  condense,
  pairs,
  requestOf,
  requestTurns,
  resultOf,
  resultTextFor,
  resultTurns,
  run,
  streamFrom,
  text,
  userTurn,
  wires,
  writeRequest,
} from './exchange-fixtures.ts'

const tools = [
  { name: 'lookup', parameters: { type: 'object', properties: {} } },
  { name: 'fetch.page', parameters: { type: 'object', properties: {} }, server: 'web' },
]

interface RoundContent {
  readonly words: string
  readonly thought: string
  /** Which of the calls are the client's. */
  readonly calls: readonly ('own' | 'lookup' | 'fetch.page')[]
}

const roundContent = (calls: fc.Arbitrary<RoundContent['calls']>): fc.Arbitrary<RoundContent> =>
  fc.record({
    words: fc.constantFrom('', 'One moment.', 'Nearly  there.\n'),
    thought: fc.constantFrom('', 'Hm.'),
    calls,
  })

const serverRound = roundContent(
  fc.array(fc.constantFrom('lookup' as const, 'fetch.page' as const), { minLength: 1, maxLength: 3 }),
)
const mixedRound = roundContent(
  fc
    .array(fc.constantFrom('own' as const, 'lookup' as const, 'fetch.page' as const), { maxLength: 4 })
    .map(calls => ['own' as const, ...calls])
    .chain(calls => fc.shuffledSubarray(calls, { minLength: calls.length })),
)

/** The names by which the upstream knows the tools. */
function namesOn(to: Wire, body: JsonObject): ReadonlyMap<string, string> {
  const list = body.tools as { name?: string; function?: { name: string } }[]
  const names = list.map(tool => tool.function?.name ?? tool.name ?? '')
  return new Map(['own', 'lookup', 'fetch.page'].map((name, i) => [name, names[i] ?? `${to} has none`]))
}

function upstreamAnswerOf(
  to: Wire,
  { words, thought, calls }: RoundContent,
  round: number,
  names: ReadonlyMap<string, string>,
): UpstreamAnswer {
  const reasoning: ReasoningPart = {
    kind: 'reasoning',
    summary: [],
    text: to === 'responses' ? [] : [thought],
    path: [],
    ...(to !== 'chat' && { seal: { wire: to, value: `seal ${round}` } }),
  }
  const parts: Part[] = [
    ...(thought === '' ? [] : [reasoning]),
    ...(words === '' ? [] : [text(words)]),
    ...calls.map((name, i) => call(`c${round}_${i}`, names.get(name) ?? name, { round, i })),
  ]
  return { parts, id: `r${round}` }
}

/** What the client is answered, and what is kept for later, after all rounds. */
function converse(
  from: Wire,
  to: Wire,
  rounds: readonly RoundContent[],
  isStreamed: boolean,
): { record: ServerCallRecord; answer: JsonObject; upstreamAnswer: UpstreamAnswer[] } {
  const exchange = begin(from, to, { tools })
  const names = namesOn(to, exchange.request(requestOf(from, ['own'])).value)
  const upstreamAnswer = rounds.map((round, i) => upstreamAnswerOf(to, round, i, names))
  const stream = exchange.stream()
  const exchangeAnswer = (
    one: UpstreamAnswer,
  ): { serverCalls: readonly ServerCall[]; value: JsonObject | undefined } => {
    if (!isStreamed) return exchange.response(answerFrom(to, one))
    stream.push(streamFrom(to, one))
    return { serverCalls: stream.serverCalls, value: stream.answer }
  }
  const last = upstreamAnswer.slice(1).reduce(
    ({ serverCalls }, one) => {
      exchange.next(run(serverCalls))
      return exchangeAnswer(one)
    },
    exchangeAnswer(upstreamAnswer[0] ?? { parts: [] }),
  )
  const record = JSON.parse(
    JSON.stringify(exchange.serverCallRecord(run(last.serverCalls)) ?? nothing),
  ) as ServerCallRecord
  return { record, answer: last.value ?? {}, upstreamAnswer }
}

const nothing: ServerCallRecord = { wire: 'chat', callIds: [], clientCalls: [], rounds: [] }

const isOwn = (part: Part): boolean => part.kind === 'call' && part.name === 'own'
const callsOf = (turns: readonly Turn[]): CallPart[] =>
  turns.flatMap(({ parts }) => parts.filter((part): part is CallPart => part.kind === 'call'))
const clientWords = (id: string): string => `the client's result of ${id}`

/** The history of a model whose tools were all run by one party, which speaks the model's wire. */
function fullHistory(to: Wire, upstreamAnswer: readonly UpstreamAnswer[]): unknown[] {
  const turns = upstreamAnswer.flatMap(one => {
    const assistantTurns = answerTurns(to, answerFrom(to, one))
    const results = callsOf(assistantTurns).map(part => {
      const id = part.id ?? ''
      return resultOf(id, isOwn(part) ? clientWords(id) : resultTextFor({ id }))
    })
    return [...assistantTurns, ...resultTurns(to, results)]
  })
  return condense(requestTurns(to, writeRequest(to, [userTurn, ...turns])))
}

/** The client's next request: what it was answered, and the results of its own calls. */
function nextRequest(from: Wire, answer: JsonObject, edit: (turn: Turn) => Turn = turn => turn): JsonObject {
  const turns = answerTurns(from, answer).map(edit)
  const results = callsOf(turns).map(({ id = '' }) => resultOf(id, clientWords(id)))
  return writeRequest(from, [userTurn, ...turns, ...resultTurns(from, results)], ['own'])
}

function askAgain(
  from: Wire,
  to: Wire,
  body: JsonObject,
  record: ServerCallRecord,
): { condensed: unknown[]; codes: string[] } {
  const recordFor = (id: string): ServerCallRecord | undefined =>
    record.callIds.includes(id) ? record : undefined
  const { value, diagnostics } = begin(from, to, { tools, serverCallRecordFor: recordFor }).request(body)
  const codes = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)
  return { condensed: condense(requestTurns(to, value)), codes }
}

describe.each(pairs)('a client on %s, an upstream on %s', (from, to) => {
  test('The restored history is that of an upstream that ran all tools itself.', () =>
    fc.assert(
      fc.property(
        fc.array(serverRound, { maxLength: 2 }),
        mixedRound,
        fc.boolean(),
        (before, last, isStreamed) => {
          fc.pre(before.length > 0 || last.calls.some(name => name !== 'own'))
          const { record, answer, upstreamAnswer } = converse(from, to, [...before, last], isStreamed)
          const { condensed, codes } = askAgain(from, to, nextRequest(from, answer), record)
          expect(codes).toEqual([])
          expect(condensed).toEqual(fullHistory(to, upstreamAnswer))
        },
      ),
    ))

  test('A client that changed its history keeps the change, and every call still has a result.', () =>
    fc.assert(
      fc.property(fc.array(serverRound, { maxLength: 2 }), mixedRound, (before, last) => {
        const { record, answer, upstreamAnswer } = converse(from, to, [...before, last], false)
        const edit = ({ role, root, parts }: Turn): Turn => ({
          role,
          root,
          parts: [text('Changed.'), ...parts],
        })
        const { condensed, codes } = askAgain(from, to, nextRequest(from, answer, edit), record)
        expect(codes).toEqual([])
        expect(JSON.stringify(condensed)).toContain('Changed.')
        expect(answeredIds(condensed)).toEqual(answeredIds(condensed, 'call'))
        const everyId = upstreamAnswer.flatMap(({ parts }) =>
          parts.flatMap(part => (part.kind === 'call' ? [part.id] : [])),
        )
        const known = answeredIds(condensed).length
        // Calls that the client was shown come back under the ids of what it was shown.
        expect(known).toBe(everyId.length)
      }),
    ))

  test('An upstream on another wire gets the recorded calls too.', () => {
    const other = wires.find(wire => wire !== to) ?? to
    const rounds = [
      { words: 'Hm.', thought: '', calls: ['lookup'] },
      { words: '', thought: '', calls: ['lookup', 'own'] },
    ] as const
    const { record, answer } = converse(from, to, rounds, false)
    const { condensed, codes } = askAgain(from, other, nextRequest(from, answer), record)
    expect(codes).toEqual([])
    expect(answeredIds(condensed, 'call')).toEqual(['c0_0', 'c1_0', 'c1_1'])
    expect(answeredIds(condensed)).toEqual(['c0_0', 'c1_0', 'c1_1'])
  })
})

function answeredIds(condensed: readonly unknown[], kind = 'result'): unknown[] {
  const parts = condensed as [string, string, string][]
  return parts
    .filter(([what]) => what === kind)
    .map(([, first, second]) => (kind === 'call' ? second : first))
}

test('Arguments that the client changed stay changed.', () => {
  const { record, answer } = converse(
    'messages',
    'chat',
    [{ words: '', thought: '', calls: ['lookup', 'own'] }],
    false,
  )
  const edit = (turn: Turn): Turn => ({
    ...turn,
    parts: turn.parts.map(part => (part.kind === 'call' ? { ...part, input: '{"edited":true}' } : part)),
  })
  const { condensed } = askAgain('messages', 'chat', nextRequest('messages', answer, edit), record)
  expect(condensed).toContainEqual(['call', 'function', 'c0_1', 'own', { edited: true }])
  expect(condensed).toContainEqual(['call', 'function', 'c0_0', 'lookup', { round: 0, i: 0 }])
})

test('A call that the client removed stays removed, and a record in another form is ignored.', () => {
  const { record, answer } = converse(
    'responses',
    'chat',
    [{ words: '', thought: '', calls: ['own', 'lookup', 'own'] }],
    false,
  )
  const output = (answer.output as { call_id?: string }[]).filter(({ call_id }) => call_id !== 'c0_2')
  const { condensed, codes } = askAgain(
    'responses',
    'chat',
    nextRequest('responses', { ...answer, output }),
    record,
  )
  expect(codes).toEqual([])
  expect(answeredIds(condensed)).toEqual(['c0_0', 'c0_1'])
  const odd = { callIds: ['c0_0'], rounds: [{ turns: 3 }] } as unknown as ServerCallRecord
  expect(askAgain('responses', 'chat', nextRequest('responses', answer), odd).codes).toEqual([])
})

test('Calls and outputs may alternate in the client’s history.', () => {
  const { record, upstreamAnswer } = converse(
    'responses',
    'chat',
    [{ words: '', thought: '', calls: ['own', 'lookup', 'own'] }],
    false,
  )
  const item = (id: string): JsonObject[] => [
    { type: 'function_call', call_id: id, name: 'own', arguments: `{"round":0,"i":${id.at(-1)}}` },
    { type: 'function_call_output', call_id: id, output: clientWords(id) },
  ]
  const body = requestOf('responses', ['own'], {
    input: [{ role: 'user', content: 'go' }, ...item('c0_0'), ...item('c0_2')],
  })
  const { condensed, codes } = askAgain('responses', 'chat', body, record)
  expect(codes).toEqual([])
  expect(condensed).toEqual(fullHistory('chat', upstreamAnswer))
})

test('A recorded answer goes back exactly to its own upstream, and as plain calls to another.', () => {
  const seal = { wire: 'messages', value: 'signed' }
  const parts: Part[] = [
    { kind: 'reasoning', summary: [], text: ['Hm.'], seal, path: [] },
    call('c1', 'lookup'),
    call('c2', 'own'),
  ]
  const exchange = begin('chat', 'messages', { tools, upstream: 'a' })
  exchange.request(requestOf('chat', ['own']))
  const { serverCalls, value } = exchange.response(answerFrom('messages', { parts }))
  const record = exchange.serverCallRecord(run(serverCalls))
  expect(record).toMatchObject({ wire: 'messages', upstream: 'a' })
  const sent = (upstream?: string): { value: JsonObject; codes: string[] } => {
    const options = { tools, serverCallRecordFor: () => record, ...(upstream !== undefined && { upstream }) }
    const next = begin('chat', 'messages', options).request(nextRequest('chat', value))
    return { value: next.value, codes: next.diagnostics.map(({ code }) => code) }
  }
  for (const upstream of ['a', undefined]) expect(JSON.stringify(sent(upstream).value)).toContain('signed')
  const other = sent('b')
  expect(JSON.stringify(other.value)).not.toContain('signed')
  expect(condense(requestTurns('messages', other.value)).map(part => (part as unknown[])[1])).toEqual(
    expect.arrayContaining(['c1', 'c2']),
  )
})

test('An image in a recorded result follows the results, as it did in the first exchange.', () => {
  const image = {
    kind: 'image',
    source: { type: 'url', url: 'https://example.org/a.png' },
    path: [],
  } as const
  const exchange = begin('chat', 'chat', { tools })
  exchange.request(requestOf('chat', ['own']))
  const { value } = exchange.response(
    answerFrom('chat', { parts: [call('c1', 'lookup'), call('c2', 'own')] }),
  )
  const record = exchange.serverCallRecord([{ callId: 'c1', content: [text('Look:'), image] }])
  const next = begin('chat', 'chat', { tools, serverCallRecordFor: () => record })
  const messages = next.request(nextRequest('chat', value)).value.messages as JsonObject[]
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
  expect(JSON.stringify(messages.slice(2, 4))).not.toContain('example.org')
  expect(JSON.stringify(messages[4])).toContain('example.org')
})

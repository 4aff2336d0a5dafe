/**
 * Puts recorded server tool calls back into the client's history, which does not contain them. A call of the client
 * identifies the recorded answer. The upstream then finds all its calls and results in their original order.
 */

import { compact, isSame } from '../../../json/object.ts'
import { parseJson } from '../../../json/text.ts'
import {
  type Part,
  type ResultPart,
  resultPart,
  type TextPart,
  type Turn,
} from '../../../model/conversation.ts'
import type { Origin } from '../../../model/origin.ts'
import { isNative } from '../../../model/origin.ts'
import type { Request } from '../../../model/request.ts'
import { callIdOf } from '../../shared/client-calls.ts'
import type {
  FindServerCallRecord,
  RecordedCall,
  RecordedRound,
  ServerCallRecord,
} from '../../shared/server-calls.ts'
import { isServerCallRecord } from '../../shared/server-calls.ts'
import type { AdaptContext } from '../context.ts'
import { withTurns } from '../context.ts'

export function restoreServerCalls(request: Request, context: AdaptContext): Request {
  const find = context.client?.serverCallRecordFor
  if (find === undefined) return request
  // From the last to the first, so that earlier indexes stay valid.
  const turns = findOccurrences(request.turns, find)
    .sort((a, b) => b.first - a.first)
    .reduce((list, hit) => restoreOne(list, hit, context), request.turns)
  return withTurns(request, turns)
}

interface Occurrence {
  readonly record: ServerCallRecord
  readonly first: number
  last: number
}

function findOccurrences(turns: readonly Turn[], serverCallRecordFor: FindServerCallRecord): Occurrence[] {
  const hits = new Map<string, Occurrence>()
  for (const [at, turn] of turns.entries()) {
    if (turn.role !== 'assistant') continue
    for (const part of turn.parts) {
      const id = callIdOf(part)
      const record = id === undefined ? undefined : serverCallRecordFor(id)
      if (!isServerCallRecord(record)) continue
      const key = JSON.stringify(record.callIds)
      const known = hits.get(key)
      if (known === undefined) hits.set(key, { record, first: at, last: at })
      else known.last = at
    }
  }
  return [...hits.values()]
}

function restoreOne(
  list: readonly Turn[],
  { record, first, last }: Occurrence,
  context: AdaptContext,
): Turn[] {
  const isAssistant = (at: number): boolean => list[at]?.role === 'assistant'
  let [start, end] = [first, last]
  while (isAssistant(start - 1)) start--
  while (isAssistant(end + 1)) end++
  const segment = list.slice(start, end + 1)
  const assistantTurns = segment.filter(({ role }) => role === 'assistant')
  const between = resultTurns(segment.filter(({ role }) => role !== 'assistant'))
  const { answered: following, host, rest } = takeFollowing(list.slice(end + 1))
  const origin = compact({ wire: record.wire, upstream: record.upstream })
  const recorded = record.rounds.flatMap(({ turns }) => turns)
  const isExact =
    isNative(origin, context.target) && comparableText(assistantTurns) === comparableText(recorded)
  const { earlier, turns, calls } = isExact
    ? exactTurns(record, assistantTurns, origin, context)
    : {
        earlier: [],
        turns: flatTurns(record, assistantTurns),
        calls: record.rounds.flatMap(callsUnknownToClient),
      }
  const results = [...calls.map(resultTurn), ...between, ...following]
  return [
    ...list.slice(0, start),
    ...earlier,
    ...turns,
    ...placeResults(sortByCalls(matchForms(results, turns), turns), host, context),
    ...rest,
  ]
}

/** The text of turns without white space, which wires and clients change. */
function comparableText(turns: readonly Turn[]): string {
  const texts = turns.flatMap(({ parts }) => parts.filter((part): part is TextPart => part.kind === 'text'))
  return texts.map(({ text }) => text.replace(/\s+/g, '')).join('')
}

interface Restored {
  /** The rounds before the last one, each with its results. */
  readonly earlier: readonly Turn[]
  readonly turns: readonly Turn[]
  readonly calls: readonly RecordedCall[]
}

/** The answer as the upstream sent it, except for the client's calls that the client changed or removed. */
function exactTurns(
  record: ServerCallRecord,
  assistantTurns: readonly Turn[],
  origin: Origin,
  context: AdaptContext,
): Restored {
  const sentArguments = new Map(record.clientCalls.map(call => [call.id, call.arguments]))
  const clientParts = new Map(
    assistantTurns.flatMap(({ parts }) => parts.map(part => [callIdOf(part), part] as const)),
  )
  const last = record.rounds.at(-1) ?? { turns: [], calls: [] }
  const restore = (part: Part): Part[] => {
    const id = callIdOf(part)
    const sent = id === undefined ? undefined : sentArguments.get(id)
    if (id === undefined || sent === undefined) return [part]
    const clientPart = clientParts.get(id)
    if (clientPart === undefined) return []
    // A hosted item of the client stays as it is, because its result may refer to it.
    return [clientPart.kind === 'call' && isSameArguments(clientPart.input, sent) ? part : clientPart]
  }
  return {
    earlier: record.rounds
      .slice(0, -1)
      .flatMap(({ turns, calls }) => [
        ...turns.map(turn => ({ ...turn, origin })),
        ...placeResults(calls.map(resultTurn), undefined, context),
      ]),
    turns: last.turns.flatMap(turn => {
      const parts = turn.parts.flatMap(restore)
      return parts.length === 0 && turn.parts.length > 0 ? [] : [{ ...turn, parts, origin }]
    }),
    calls: last.calls,
  }
}

/** Compares as JSON: on wires whose arguments are objects, the text changes on the way. */
function isSameArguments(text: string, other: string): boolean {
  const value = parseJson(text)
  return text === other || (value !== undefined && isSame(value, parseJson(other)))
}

/** For a changed history or another upstream: the calls are added as plain calls before the client's first call. */
function flatTurns(record: ServerCallRecord, assistantTurns: readonly Turn[]): Turn[] {
  const clientIds = new Set(record.callIds)
  const calls = record.rounds.flatMap(callsUnknownToClient)
  let isPlaced = false
  return assistantTurns.map(turn => {
    const at = turn.parts.findIndex(part => clientIds.has(callIdOf(part) ?? ''))
    const clientCall = turn.parts[at]
    if (isPlaced || clientCall === undefined) return turn
    isPlaced = true
    const serverCalls = calls.map<Part>(({ id, name, namespace, arguments: input }) => ({
      kind: 'call',
      form: 'function',
      id,
      name,
      ...(namespace !== undefined && { namespace }),
      input,
      path: clientCall.path,
    }))
    return { ...turn, parts: [...turn.parts.slice(0, at), ...serverCalls, ...turn.parts.slice(at)] }
  })
}

/** Calls that the client was sent as items are in its history already. */
function callsUnknownToClient({ calls }: RecordedRound): RecordedCall[] {
  return calls.filter(({ inClientHistory }) => !inClientHistory)
}

/** Made here and not by the client, so it is adapted even if the client's own turns need not be. */
function resultTurn({ id, content, isError }: RecordedCall): Turn {
  return { role: 'tool', parts: [resultPart(id, content, isError)], root: [], origin: null }
}

/** Splits turns with several results into one turn per result. */
function resultTurns(turns: readonly Turn[]): Turn[] {
  return turns.flatMap(turn => {
    if (turn.parts.length < 2) return [turn]
    return turn.parts.map(part => ({ role: turn.role, parts: [part], root: turn.root }))
  })
}

interface Following {
  readonly answered: readonly Turn[]
  /** The user turn that contained results and other parts, without the results. */
  readonly host?: Turn
  readonly rest: readonly Turn[]
}

/** Takes the results that follow: tool turns, or results inside the next user turn. */
function takeFollowing(turns: readonly Turn[]): Following {
  let at = 0
  while (turns[at]?.role === 'tool') at++
  const following = resultTurns(turns.slice(0, at))
  const next = turns[at]
  const results = next?.parts.filter(part => part.kind === 'result') ?? []
  if (next === undefined || results.length === 0) return { answered: following, rest: turns.slice(at) }
  const others = next.parts.filter(part => part.kind !== 'result')
  const asTurns = results.map<Turn>(part => ({ role: 'tool', parts: [part], root: next.root }))
  return {
    answered: [...following, ...asTurns],
    host: { ...next, parts: others },
    rest: turns.slice(at + 1),
  }
}

/** Gives each result the form of its call, which may differ on the client's wire. */
function matchForms(results: readonly Turn[], turns: readonly Turn[]): Turn[] {
  const forms = new Map<string | undefined, ResultPart['form']>()
  for (const part of turns.flatMap(({ parts }) => parts)) {
    if (part.kind === 'call') forms.set(part.id, part.form)
  }
  const fit = (part: Part): Part =>
    part.kind === 'result' ? { ...part, form: forms.get(part.callId) ?? part.form } : part
  return results.map(turn => ({ ...turn, parts: turn.parts.map(fit) }))
}

/** Sorts results by the order of their calls; results of other calls come last. */
function sortByCalls(results: readonly Turn[], turns: readonly Turn[]): Turn[] {
  const ids = turns.flatMap(({ parts }) => parts.map(callIdOf)).filter(id => id !== undefined)
  const positions = new Map(ids.map((id, position) => [id, position]))
  const positionOf = ({ parts: [part] }: Turn): number => {
    const id =
      part?.kind === 'result' ? part.callId : part?.kind === 'hosted' ? part.value.call_id : undefined
    return (typeof id === 'string' ? positions.get(id) : undefined) ?? ids.length
  }
  return results.toSorted((a, b) => positionOf(a) - positionOf(b))
}

function placeResults(results: readonly Turn[], host: Turn | undefined, { source }: AdaptContext): Turn[] {
  if (host === undefined && source.results !== 'with the user') return [...results]
  const { parts: others = [], ...turn } = host ?? { role: 'user', root: [] }
  const parts = [...results.flatMap(result => result.parts), ...others]
  return parts.length === 0 ? [] : [{ ...turn, parts }]
}

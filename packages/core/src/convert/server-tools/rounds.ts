/**
 * An answer in several rounds: the upstream calls server tools, gets their results, and continues. Each next request
 * is the previous one with the upstream's answer and the results appended.
 */

import type { JsonObject } from '../../json/object.ts'
import type { Turn } from '../../model/conversation.ts'
import type { Diagnostic, Report } from '../../model/diagnostic.ts'
import { createReport } from '../../model/diagnostic.ts'
import type { Origin } from '../../model/origin.ts'
import type { Request } from '../../model/request.ts'
import type { WireConversation } from '../../wires/define-wire.ts'
import type { ConversionContext } from '../adapt/context.ts'
import { adaptTurns } from '../adapt/request-adaptations.ts'
import { forbidCalls, liftForcedChoice } from '../adapt/tools/forced-choice.ts'
import type {
  RecordedCall,
  RecordedRound,
  ServerCall,
  ServerCallRecord,
  ServerCallResult,
} from '../shared/server-calls.ts'
import { serializableTurns } from '../shared/server-calls.ts'
import type { ServerRound } from './server-round.ts'
import { resultParts } from './server-round.ts'

export interface Rounds {
  /** Sets the round of the upstream's finished answer; `undefined` if there are no server tools. */
  setCurrent(round: ServerRound | undefined): void
  current(): ServerRound | undefined
  /** Returns the upstream's next request. In the `last` one the model may not call any tools. */
  next(results: readonly ServerCallResult[], last: boolean): { value: JsonObject; diagnostics: Diagnostic[] }
  /** `undefined` if there were no server tool calls, or no client call to store them under. */
  record(results: readonly ServerCallResult[]): ServerCallRecord | undefined
}

export interface RoundsParts {
  readonly upstream: WireConversation
  readonly conversion: ConversionContext
  readonly request: Request
  /** Diagnostics of the first request, which are not repeated. */
  readonly reported: readonly Diagnostic[]
}

export function createRounds({ upstream, conversion, request: first, reported }: RoundsParts): Rounds {
  const earlierRounds: RecordedRound[] = []
  let request = first
  let current: ServerRound | undefined
  let reportedKeys: ReadonlySet<string> | undefined

  return {
    setCurrent(round) {
      current = round
    },
    current: () => current,
    next(results, last) {
      const { report, diagnostics } = createReport()
      const round = current
      if (round === undefined || round.serverCalls.length === 0) {
        throw new Error('"next" needs an answer with server tool calls; this one has none.')
      }
      current = undefined
      round.results = resultParts(round, results, call => reportMissing(call, report))
      const resultTurn: Turn = { role: 'tool', parts: round.results, root: [], origin: null }
      const turns = adaptTurns([...ownTurns(round, conversion.target), resultTurn], conversion, report)
      earlierRounds.push(recordRound(round))
      request = {
        ...request,
        turns: [...request.turns, ...turns],
        tools: last ? forbidCalls(request.tools) : liftForcedChoice(request.tools),
      }
      const value = upstream.encodeRequest(request, report)
      reportedKeys ??= new Set(reported.map(keyOf))
      const known = reportedKeys
      return { value, diagnostics: diagnostics.filter(diagnostic => !known.has(keyOf(diagnostic))) }
    },
    record(results) {
      const round = current
      if (round === undefined || round.clientCalls.length === 0) return undefined
      if (round.serverCalls.length === 0 && earlierRounds.length === 0) return undefined
      round.results = resultParts(round, results, () => undefined)
      return {
        ...conversion.target,
        callIds: round.clientCalls.map(({ id }) => id),
        clientCalls: round.clientCalls,
        rounds: [...earlierRounds, recordRound(round)],
      }
    },
  }
}

function keyOf({ code, path }: Diagnostic): string {
  return JSON.stringify([code, path])
}

function reportMissing({ id, name }: ServerCall, report: Report): void {
  const message = `No result was given for the call "${id}" to "${name}"; a placeholder was sent instead.`
  report('result_repaired', [], message)
}

/** The upstream's own turns, which go back to it unchanged except for what its profile refuses. */
function ownTurns(round: ServerRound, origin: Origin): Turn[] {
  const turns = round.history().filter(({ parts }) => parts.length > 0)
  return turns.map(turn => ({ ...turn, role: 'assistant', origin }))
}

function recordRound(round: ServerRound): RecordedRound {
  const results = new Map((round.results ?? []).map(result => [result.callId, result]))
  return {
    turns: serializableTurns(round.history()),
    calls: round.serverCalls.map((call): RecordedCall => {
      const { id, name, namespace, arguments: input } = call
      const { content = [], isError } = results.get(id) ?? {}
      return {
        id,
        name,
        ...(namespace !== undefined && { namespace }),
        arguments: input,
        content: content.filter(
          part => part.kind === 'text' || part.kind === 'image' || part.kind === 'file',
        ),
        ...(isError && { isError }),
        ...(round.hostedItems.has(id) && { inClientHistory: true }),
      }
    }),
  }
}

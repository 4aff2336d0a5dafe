/**
 * An answer in several rounds: the upstream calls server tools, gets their results, and continues. Each next request
 * is the previous one with the upstream's answer and the results appended.
 */

import type { JsonObject } from '../../json/object.ts'
import type { Turn } from '../../model/conversation.ts'
import { createReport, type Diagnostic } from '../../model/diagnostic.ts'
import type { Origin } from '../../model/origin.ts'
import type { Request } from '../../model/request.ts'
import { filterResidue } from '../../model/residue.ts'
import type { WireConversation } from '../../wires/define-wire.ts'
import type { ConversionContext } from '../adapt/context.ts'
import { adaptTurns } from '../adapt/request-adaptations.ts'
import { forbidCalls, liftForcedChoice } from '../adapt/tools/forced-choice.ts'
import type {
  RecordedCall,
  RecordedRound,
  ServerCallRecord,
  ServerCallResult,
} from '../shared/server-calls.ts'
import { serializableTurns } from '../shared/server-calls.ts'
import type { ServerRound } from './server-round.ts'
import { resultParts } from './server-round.ts'

export interface RoundsParts {
  readonly upstream: WireConversation
  readonly conversion: ConversionContext
  readonly request: Request
  /** Diagnostics of the first request, which are not repeated. */
  readonly reported: readonly Diagnostic[]
}

export class Rounds {
  /** The round of the upstream's finished answer; `undefined` if there are no server tools. */
  current: ServerRound | undefined
  readonly #parts: RoundsParts
  readonly #earlier: RecordedRound[] = []
  #request: Request
  #reportedKeys: ReadonlySet<string> | undefined

  constructor(parts: RoundsParts) {
    this.#parts = parts
    this.#request = parts.request
  }

  /** Returns the upstream's next request. In the `last` one the model may not call any tools. */
  next(
    results: readonly ServerCallResult[],
    last: boolean,
  ): { value: JsonObject; diagnostics: Diagnostic[] } {
    const { upstream, conversion, reported } = this.#parts
    const { report, diagnostics } = createReport()
    const round = this.current
    if (round === undefined || round.serverCalls.length === 0) {
      throw new Error('"next" needs an answer with server tool calls; this one has none.')
    }
    this.current = undefined
    round.results = resultParts(round, results, ({ id, name }) => {
      const message = `No result was given for the call "${id}" to "${name}"; a placeholder was sent instead.`
      report('result_repaired', [], message)
    })
    const resultTurn: Turn = { role: 'tool', parts: round.results, root: [], origin: null }
    const added = adaptTurns([...ownTurns(round, conversion.target), resultTurn], conversion, report)
    this.#earlier.push(recordRound(round))
    const { turns, tools } = this.#request
    this.#request = {
      ...withoutUnreadHistory(this.#request, upstream),
      turns: [...turns, ...added],
      tools: last ? forbidCalls(tools) : liftForcedChoice(tools),
    }
    const value = upstream.encodeRequest(this.#request, report)
    this.#reportedKeys ??= new Set(reported.map(keyOf))
    const known = this.#reportedKeys
    return { value, diagnostics: diagnostics.filter(diagnostic => !known.has(keyOf(diagnostic))) }
  }

  /** `undefined` if there were no server tool calls, or no client call to store them under. */
  record(results: readonly ServerCallResult[]): ServerCallRecord | undefined {
    const round = this.current
    if (round === undefined || round.clientCalls.length === 0) return undefined
    if (round.serverCalls.length === 0 && this.#earlier.length === 0) return undefined
    round.results = resultParts(round, results, () => undefined)
    return {
      ...this.#parts.conversion.target,
      callIds: round.clientCalls.map(({ id }) => id),
      clientCalls: round.clientCalls,
      rounds: [...this.#earlier, recordRound(round)],
    }
  }
}

/** A history that was empty, or no list, is written back as it was; but now there is one. */
function withoutUnreadHistory(request: Request, { habits }: WireConversation): Request {
  const { residue } = request
  if (residue === undefined) return request
  return {
    ...request,
    residue: filterResidue(residue, ([path]) => path.length !== 1 || path[0] !== habits.history),
  }
}

function keyOf({ code, path }: Diagnostic): string {
  return JSON.stringify([code, path])
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

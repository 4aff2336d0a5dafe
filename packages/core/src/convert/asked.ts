/** What is known once a request has been made: how it went to the upstream, and how its answer is to be read. */
import type { AnswerContext, Codec } from '../codecs/codec.ts'
import type { Answer } from '../model/answer.ts'
import type { Diagnostic, Report } from '../model/diagnostic.ts'
import type { JsonObject } from '../model/json.ts'
import type { Request } from '../model/request.ts'
import { adaptRequest } from './adapt/adapt-request.ts'
import type { CallRules } from './call-rules.ts'
import { createCallRules } from './call-rules.ts'
import { createCallUndo } from './call-undo.ts'
import { adaptContext } from './convert-tools.ts'
import type { ExchangeOptions, Source } from './exchange.ts'
import type { HeldResult, RegisteredTool } from './held-call.ts'
import type { HeldRound, RoundFacts } from './held-round.ts'
import type { MergedAnswer } from './merged-answer.ts'
import { createMergedAnswer } from './merged-answer.ts'
import { mergeProfile } from './options-check.ts'
import type { Restorer } from './restore-call-part.ts'
import type { Rounds } from './rounds.ts'
import { createRounds } from './rounds.ts'
import { isSame } from './same-json.ts'

/** Both ends of an exchange, and what stands between them. */
export interface Sides {
  readonly client: Codec
  readonly upstream: Codec
  readonly source: Source
  readonly options: ExchangeOptions
  readonly registered: readonly RegisteredTool[]
}

export interface Asked {
  /** What was sent to the upstream first. */
  readonly value: JsonObject
  readonly answerContext: AnswerContext
  readonly restorer: Restorer
  /** What becomes of calls; absent when all of them go to the client. */
  readonly rules: CallRules | undefined
  readonly rounds: Rounds
  /** For answers that come whole: the rounds so far. */
  readonly merged: MergedAnswer
  /** Ids of calls in earlier rounds. */
  readonly takenIds: readonly string[]
  /** One wire on both sides, and nothing to change in answers. */
  readonly isPlain: boolean
  isUntouched(): boolean
  factsOf(rules: CallRules): RoundFacts
  /** An answer has come whole, with calls that are held. */
  hold(answer: Answer, round: HeldRound | undefined): void
  next(results: readonly HeldResult[], last: boolean): { value: JsonObject; diagnostics: Diagnostic[] }
}

/** An answer may be read without a request; then there is nothing to undo. */
export function askNothing(sides: Sides): Asked {
  const request: Request = { turns: [], tools: {}, settings: {} }
  return createAsked({ sides, given: request, request, value: {}, reported: [] })
}

export function askRequest(
  body: JsonObject,
  asked: JsonObject,
  sides: Sides,
  { report, diagnostics }: { readonly report: Report; readonly diagnostics: Diagnostic[] },
): Asked {
  const { client, upstream, options, registered } = sides
  const given = client.decodeRequest(body, report)
  const source = {
    pairing: options.pairing ?? 'error',
    hostedCalls: client.hostedCalls,
    runCalls: client.runCalls,
    recall: options.recall,
    registered,
  }
  const request = adaptRequest(given, source, adaptContext(options, report))
  const value = upstream.encodeRequest(request, report)
  return createAsked({ sides, given, request, value, asked, body, reported: diagnostics })
}

interface AskedParts {
  readonly sides: Sides
  readonly given: Request
  readonly request: Request
  readonly value: JsonObject
  readonly asked?: JsonObject
  readonly body?: JsonObject
  readonly reported: readonly Diagnostic[]
}

function createAsked({ sides, given, request, value, asked, body, reported }: AskedParts): Asked {
  const { client, upstream, options, source } = sides
  const { newId, now } = source
  const undo = createCallUndo(request.tools.tools ?? [])
  let rules = createCallRules(given.tools, request.tools)
  const isPlain = client === upstream && !undo.adapts && rules === undefined && options.answerId === undefined
  const merged = createMergedAnswer()
  const takenIds: string[] = []
  let pending: { readonly answer: Answer; readonly round: HeldRound } | undefined
  const rounds = createRounds({
    upstream,
    request,
    reported,
    context: {
      target: upstream.wire,
      profile: mergeProfile(upstream.profile, upstream, options.profile),
      source: upstream.profile,
      options,
      sameWire: true,
    },
  })
  return {
    value,
    answerContext: {
      newId,
      now,
      ...(asked !== undefined && { request: asked, restated: asked !== body, kept: {} }),
    },
    restorer: {
      undo,
      newId,
      verbatim: client === upstream,
      ...(client.hostedCalls !== undefined && { hostedCalls: client.hostedCalls }),
    },
    get rules() {
      return rules
    },
    rounds,
    merged,
    takenIds,
    isPlain,
    isUntouched: () => isPlain && body !== undefined && isSame(body, value),
    factsOf: current => ({ rules: current, undo, runCalls: client.runCalls, newId }),
    hold(answer, round) {
      pending = round && { answer, round }
      rounds.hold(round)
    },
    next(results, last) {
      const round = rounds.held
      const next = rounds.next(results, last)
      if (round !== undefined) takenIds.push(...round.ids)
      if (pending !== undefined && pending.round === round) merged.add(pending.answer, pending.round)
      if (last) rules = createCallRules({ ...given.tools, choice: { mode: 'none', path: [] } }, request.tools)
      return next
    },
  }
}

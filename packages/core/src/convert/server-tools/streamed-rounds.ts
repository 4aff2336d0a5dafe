/**
 * The rounds of one streamed answer. The client gets one stream: the parts of all rounds in order, server tool calls as
 * items of the client's wire if it has such items, and only the end of the last round.
 */

import type { JsonObject } from '../../json/object.ts'
import { compact } from '../../json/object.ts'
import type { Answer, Usage } from '../../model/answer.ts'
import { answerEvents, partEvents } from '../../model/answer-events.ts'
import type { Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { FinishEvent, StreamEvent } from '../../model/stream-event.ts'
import { addUsage } from '../../model/usage.ts'
import type { ServerToolItem, WireConversation } from '../../wires/define-wire.ts'
import { mapShared } from '../shared/shared-lists.ts'
import type { CallDecider, MultiRoundTracker, RoutedPart } from '../undo/call-tracker.ts'
import { createMultiRoundTracker, createRoutingTracker } from '../undo/call-tracker.ts'
import { historyOf, historyParts } from '../undo/partition-calls.ts'
import type { UndoContext } from '../undo/restore-call-part.ts'
import type { StreamTransform } from '../undo/stream-undo.ts'
import { StreamUndo } from '../undo/stream-undo.ts'
import type { CallRules } from './call-rules.ts'
import type { Rounds } from './rounds.ts'
import type { RoundFacts, ServerRound } from './server-round.ts'
import { createServerRound } from './server-round.ts'

export interface StreamRounds {
  /** What turns the upstream's events of this round into the client's, in order. */
  readonly transforms: readonly StreamTransform[]
  /** Set while server tool calls are being run: the end that the client gets if no further round follows. */
  readonly waiting: FinishEvent | undefined
  readonly round: ServerRound | undefined
  readonly usage: Usage | undefined
  /** Starts the next round after the results are known; returns the client's events for them. */
  next(): StreamEvent[]
}

/** What the rounds need to know of the request. */
export interface RoundRequest {
  readonly undoContext: UndoContext
  /** Absent when every call goes to the client. */
  readonly rules: CallRules | undefined
  readonly rounds: Pick<Rounds, 'current'>
  /** Earlier rounds that were answered whole, and the ids of their calls. */
  readonly answeredSoFar: Answer | undefined
  readonly usedCallIds: readonly string[]
  factsOf(rules: CallRules): RoundFacts
}

export interface RoundSource {
  readonly upstream: WireConversation
  readonly prepared: RoundRequest
  readonly report: Report
  /** The complete answer of this round, if the upstream repeats it at the end of the stream. */
  fullAnswer(): JsonObject | undefined
}

export function createStreamRounds(source: RoundSource): StreamRounds {
  const { undoContext, rules } = source.prepared
  return rules === undefined
    ? new SingleRound(new StreamUndo(undoContext, source.report))
    : new SeveralRounds(source, rules)
}

class SeveralRounds implements StreamRounds, StreamTransform {
  waiting: FinishEvent | undefined
  round: ServerRound | undefined
  usage: Usage | undefined
  readonly #source: RoundSource
  readonly #rules: CallRules
  readonly #shared: MultiRoundTracker
  readonly #indexes = new Map<ServerToolItem, number>()
  /** What the client has not been sent yet of earlier rounds. */
  #opening: readonly StreamEvent[] = []
  #round: OpenRound
  #isFirst = true

  constructor(source: RoundSource, rules: CallRules) {
    const { undoContext, usedCallIds, answeredSoFar } = source.prepared
    this.#source = source
    this.#rules = rules
    this.#shared = createMultiRoundTracker(source.report, undoContext.newId, usedCallIds)
    if (answeredSoFar !== undefined) this.#continue(answeredSoFar)
    this.#round = openRound(source, rules, this.#shared)
  }

  get transforms(): readonly StreamTransform[] {
    return [this.#round.undo, this]
  }

  /** The client gets the start of the first round and the end of the last one. */
  transform(events: readonly StreamEvent[]): readonly StreamEvent[] {
    const opening = this.#opening
    const list = mapShared(events, event => {
      if (event.type === 'finish') return this.#finish(event)
      return event.type === 'start' && !this.#isFirst ? [] : event
    })
    if (opening.length === 0) return list
    this.#opening = []
    return [...opening, ...list]
  }

  next(): StreamEvent[] {
    const { hostedItems = new Map<string, ServerToolItem>(), results = [] } = this.round ?? {}
    const events = [...hostedItems].flatMap(([id, call]) => this.#end(call, results, id))
    this.waiting = undefined
    this.round = undefined
    this.#isFirst = false
    this.#round = openRound(this.#source, this.#source.prepared.rules ?? this.#rules, this.#shared)
    return events
  }

  /** Rounds that were answered whole come first, in the same stream. */
  #continue(answer: Answer): void {
    this.#opening = [...answerEvents(answer)].filter(({ type }) => type !== 'finish')
    for (const { type } of this.#opening) if (type === 'part-start') this.#shared.nextIndex()
    this.#isFirst = false
    this.usage = answer.usage
  }

  #finish(event: FinishEvent): StreamEvent[] {
    this.usage = addUsage(this.usage, event.usage)
    const finish = this.#round.decider.finish(event.finish)
    const decided = { ...event, finish, ...compact({ usage: this.usage }) }
    const round = this.#round.finish(decided)
    this.round = round
    this.#source.prepared.rounds.current = round
    const finishEvent = { ...decided, finish: round?.finish ?? decided.finish }
    if (round?.isWaiting !== true) return [finishEvent]
    this.waiting = finishEvent
    return [...round.hostedItems.values()].flatMap(call => this.#begin(call))
  }

  #begin(call: ServerToolItem): StreamEvent[] {
    const index = this.#shared.nextIndex()
    if (call.apart) return [...partEvents(call.begun, index)]
    this.#indexes.set(call, index)
    return [{ type: 'part-start', index, part: call.begun }]
  }

  #end(call: ServerToolItem, results: NonNullable<ServerRound['results']>, id: string): StreamEvent[] {
    const result = results.find(({ callId }) => callId === id)
    if (result === undefined) return []
    const part = call.ended(result)
    const index = this.#indexes.get(call)
    return index === undefined
      ? [...partEvents(part, this.#shared.nextIndex())]
      : [{ type: 'part-end', index, part }]
  }
}

/** Without rules there is one round, and only the adaptations are undone. */
class SingleRound implements StreamRounds {
  readonly waiting = undefined
  readonly round = undefined
  readonly usage = undefined
  readonly transforms: readonly StreamTransform[]

  constructor(undo: StreamTransform) {
    this.transforms = [undo]
  }

  next(): StreamEvent[] {
    return []
  }
}

interface OpenRound {
  readonly decider: CallDecider
  readonly undo: StreamTransform
  finish(event: FinishEvent): ServerRound | undefined
}

function openRound(source: RoundSource, rules: CallRules, shared: MultiRoundTracker): OpenRound {
  const { prepared, report } = source
  const { undoContext } = prepared
  const decider = rules.createDecider(report)
  const tracker = createRoutingTracker(shared, decider)
  return {
    decider,
    undo: new StreamUndo(undoContext, report, tracker),
    finish(event) {
      if (!rules.hasServerTools) return undefined
      const routed = tracker.routed()
      const fullAnswer = source.fullAnswer()
      const history = lazily(() => historyFrom(fullAnswer, routed, source.upstream))
      return createServerRound(routed, event.finish, history, prepared.factsOf(rules))
    },
  }
}

/** Prefers the complete answer at the end of the stream, which has more ids than the single events. */
function historyFrom(
  fullAnswer: JsonObject | undefined,
  routed: readonly (readonly RoutedPart[])[],
  upstream: WireConversation,
): Turn[] {
  const finishEvent =
    fullAnswer && historyOf(upstream.decodeAnswer(fullAnswer, () => undefined).turns, routed)
  if (finishEvent !== undefined && finishEvent.length > 0) return finishEvent
  const parts = routed.flatMap(historyParts)
  // Wires whose results may be anywhere have one item per part; the others have one message for all parts.
  if (upstream.profile.results !== 'anywhere') return [{ role: 'assistant', parts, root: [] }]
  return parts.map(part => ({ role: 'assistant', parts: [part], root: part.path }))
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * The rounds of one streamed answer. To the client it is one stream: what the upstream says in each round follows what
 * it said before, calls that are run here are shown as its wire shows such calls, and only the last end is an end.
 */

import type { JsonObject } from '../../json/object.ts'
import { compact } from '../../json/object.ts'
import type { Usage } from '../../model/answer.ts'
import type { Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { FinishEvent, PartDeltaEvent, StreamEvent } from '../../model/stream-event.ts'
import { addUsage } from '../../model/usage.ts'
import type { ServerToolItem, WireConversation } from '../../wires/define-wire.ts'
import type { PreparedRequest } from '../prepared-request.ts'
import { partEvents } from '../stream/answer-events.ts'
import type { MultiRoundTracker, RoutedPart } from '../undo/call-tracker.ts'
import { createMultiRoundTracker, createRoutingTracker } from '../undo/call-tracker.ts'
import { historyOf, historyParts } from '../undo/partition-calls.ts'
import type { StreamUndo } from '../undo/stream-undo.ts'
import { createStreamUndo } from '../undo/stream-undo.ts'
import type { CallDecider, CallRules } from './call-rules.ts'
import type { ServerRound } from './server-round.ts'
import { createServerRound } from './server-round.ts'

export interface StreamRounds {
  /** The upstream's events, as the client is to hear them. */
  take(event: StreamEvent): StreamEvent[]
  /** The same for what nearly every event is: it becomes one, or none. */
  takeDelta(event: PartDeltaEvent): PartDeltaEvent | undefined
  /** Set while the calls of a round are being run: the end that the client would otherwise be told. */
  readonly waiting: FinishEvent | undefined
  readonly serverCalls: ServerRound | undefined
  readonly usage: Usage | undefined
  /** The results are there: what is told of them, before the next round begins. */
  next(): StreamEvent[]
}

export interface RoundSource {
  readonly upstream: WireConversation
  readonly prepared: PreparedRequest
  readonly report: Report
  /** The whole answer that the upstream has given in this round, if it gave it. */
  whole(): JsonObject | undefined
}

export function createStreamRounds(source: RoundSource): StreamRounds {
  const { restorer, rules } = source.prepared
  return rules === undefined
    ? createSingleRound(createStreamUndo(restorer, source.report))
    : new SeveralRounds(source, rules)
}

class SeveralRounds implements StreamRounds {
  waiting: FinishEvent | undefined
  serverCalls: ServerRound | undefined
  usage: Usage | undefined
  readonly #source: RoundSource
  readonly #rules: CallRules
  readonly #shared: MultiRoundTracker
  readonly #places = new Map<ServerToolItem, number>()
  #round: OpenRound
  #isFirst = true

  constructor(source: RoundSource, rules: CallRules) {
    this.#source = source
    this.#rules = rules
    this.#shared = createMultiRoundTracker(source.report, source.prepared.restorer.newId)
    this.#round = openRound(source, rules, this.#shared)
  }

  take(event: StreamEvent): StreamEvent[] {
    if (event.type === 'finish') return this.#finish(event)
    if (event.type === 'start' && !this.#isFirst) return []
    return this.#round.undo.restore(event)
  }

  takeDelta(event: PartDeltaEvent): PartDeltaEvent | undefined {
    return this.#round.undo.restoreDelta(event)
  }

  next(): StreamEvent[] {
    const { hostedItems: shown = new Map<string, ServerToolItem>(), results = [] } = this.serverCalls ?? {}
    const events = [...shown].flatMap(([id, call]) => this.#end(call, results, id))
    this.waiting = undefined
    this.serverCalls = undefined
    this.#isFirst = false
    this.#round = openRound(this.#source, this.#source.prepared.rules ?? this.#rules, this.#shared)
    return events
  }

  #finish(event: FinishEvent): StreamEvent[] {
    this.usage = addUsage(this.usage, event.usage)
    const finish = this.#round.judge.finish(event.finish)
    const judged = { ...event, finish, ...compact({ usage: this.usage }) }
    const held = this.#round.hold(judged)
    this.serverCalls = held
    this.#source.prepared.rounds.setCurrent(held)
    const told = { ...judged, finish: held?.finish ?? judged.finish }
    if (held?.isWaiting !== true) return [told]
    this.waiting = told
    return [...held.hostedItems.values()].flatMap(call => this.#begin(call))
  }

  #begin(call: ServerToolItem): StreamEvent[] {
    const index = this.#shared.nextIndex()
    if (call.apart) return [...partEvents(call.begun, index)]
    this.#places.set(call, index)
    return [{ type: 'part-start', index, part: call.begun }]
  }

  #end(call: ServerToolItem, results: NonNullable<ServerRound['results']>, id: string): StreamEvent[] {
    const result = results.find(({ callId }) => callId === id)
    if (result === undefined) return []
    const part = call.ended(result)
    const index = this.#places.get(call)
    return index === undefined
      ? [...partEvents(part, this.#shared.nextIndex())]
      : [{ type: 'part-end', index, part }]
  }
}

/** Without rules there is one round, and nothing is looked at twice. */
function createSingleRound(undo: StreamUndo): StreamRounds {
  return {
    waiting: undefined,
    serverCalls: undefined,
    usage: undefined,
    take: event => undo.restore(event),
    takeDelta: event => undo.restoreDelta(event),
    next: () => [],
  }
}

interface OpenRound {
  readonly judge: CallDecider
  readonly undo: StreamUndo
  hold(event: FinishEvent): ServerRound | undefined
}

function openRound(source: RoundSource, rules: CallRules, shared: MultiRoundTracker): OpenRound {
  const { prepared: asked, report } = source
  const { restorer } = asked
  const judge = rules.createDecider(report)
  const lane = createRoutingTracker(shared, judge)
  return {
    judge,
    undo: createStreamUndo(restorer, report, lane),
    hold(event) {
      if (!rules.hasServerTools) return undefined
      const kept = lane.routed()
      const whole = source.whole()
      const history = lazily(() => historyFrom(whole, kept, source.upstream))
      return createServerRound(kept, event.finish, history, asked.factsOf(rules))
    },
  }
}

/** The answer as the upstream repeats it in the end has more names than its pieces had. */
function historyFrom(
  whole: JsonObject | undefined,
  kept: readonly (readonly RoutedPart[])[],
  upstream: WireConversation,
): Turn[] {
  const told = whole && historyOf(upstream.decodeAnswer(whole, () => undefined).turns, kept)
  if (told !== undefined && told.length > 0) return told
  const parts = kept.flatMap(historyParts)
  // Where results stand anywhere every part is an item of its own; elsewhere one message holds them all.
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

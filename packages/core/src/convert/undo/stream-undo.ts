/** Turns the events of adapted tools back into events of the tools that the client declared, while they stream. */

import { partEvents } from '../../model/answer-events.ts'
import type { CallPart } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { PartDeltaEvent, PartEndEvent, PartStartEvent, StreamEvent } from '../../model/stream-event.ts'
import { asRead, readAnswerPart } from '../adapt/turns/foreign-parts.ts'
import { isList } from '../shared/shared-lists.ts'
import type { CallRoute, CallTracker } from './call-tracker.ts'
import { createClientTracker } from './call-tracker.ts'
import { InputUnwrapper } from './input-unwrapper.ts'
import { expandParallelWrapper, isParallelWrapper } from './parallel-wrapper.ts'
import type { UndoContext } from './restore-call-part.ts'
import { becomesHosted, restoreCallPart } from './restore-call-part.ts'

interface OpenCall {
  /** The index that the client knows it by; -1 while its start is withheld. */
  readonly index: number
  /** The id it was announced with. */
  readonly id?: string
  /** Decodes the input of a wrapped free-text tool. */
  readonly unwrap?: InputUnwrapper
  /** The input can only be known at the end. */
  readonly holdsInput: boolean
  /** The start is withheld too: until the wrapper is expanded, or until the route or the hosted call is known. */
  readonly withheld?: 'wrapper' | CallRoute
  /** How many characters of the input were emitted. */
  sent: number
}

/** One step between the events of the upstream and those of the client. */
export interface StreamTransform {
  /** Returns the same list if nothing changes. */
  transform(events: readonly StreamEvent[]): readonly StreamEvent[]
}

export class StreamUndo implements StreamTransform {
  readonly #undoContext: UndoContext
  readonly #report: Report
  readonly #tracker: CallTracker
  /** The client's index of each part that is not withheld. */
  readonly #indexes = new Map<number, number>()
  readonly #calls = new Map<number, OpenCall>()
  /** Parts that only the upstream's wire has. They have no deltas, and are read when they are complete. */
  readonly #foreign = new Set<number>()

  constructor(undoContext: UndoContext, report: Report, tracker: CallTracker = createClientTracker(report)) {
    this.#undoContext = undoContext
    this.#report = report
    this.#tracker = tracker
  }

  transform(events: readonly StreamEvent[]): readonly StreamEvent[] {
    // A loop of its own: nearly all events are deltas that stay as they are, and this is their path.
    let restored: StreamEvent[] | undefined
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as StreamEvent
      const mapped = this.#restore(event)
      if (mapped !== event) restored ??= events.slice(0, i)
      if (restored === undefined) continue
      if (isList(mapped)) for (const one of mapped) restored.push(one)
      else restored.push(mapped)
    }
    return restored ?? events
  }

  #restore(event: StreamEvent): StreamEvent | readonly StreamEvent[] {
    switch (event.type) {
      case 'part-delta':
        return this.#delta(event)
      case 'part-start':
        return this.#start(event)
      case 'part-end':
        return this.#end(event)
      default:
        return event
    }
  }

  #delta(event: PartDeltaEvent): StreamEvent | readonly StreamEvent[] {
    const call = this.#calls.get(event.index)
    if (call === undefined) return this.#reindexed(event)
    if (call.holdsInput) return []
    if (call.unwrap === undefined && call.index === event.index) {
      call.sent += event.text.length
      return event.text === '' ? [] : event
    }
    const text = call.unwrap === undefined ? event.text : call.unwrap.push(event.text)
    call.sent += text.length
    return text === '' ? [] : { type: 'part-delta', index: call.index, text }
  }

  #start(event: PartStartEvent): StreamEvent | readonly StreamEvent[] {
    const { part } = event
    if (part.kind === 'call') return this.#startCall(event, part)
    if (part.kind === 'opaque' && !this.#undoContext.verbatim) {
      this.#foreign.add(event.index)
      return []
    }
    const index = this.#nextIndex(event)
    return index === event.index ? event : { ...event, index }
  }

  #startCall(event: PartStartEvent, part: CallPart): StreamEvent | readonly StreamEvent[] {
    const { undo } = this.#undoContext
    if (isParallelWrapper(part, undo.declared)) {
      this.#calls.set(event.index, { index: -1, holdsInput: true, withheld: 'wrapper', sent: 0 })
      return []
    }
    const named = this.#tracker.withUniqueId(part)
    const route = this.#tracker.route(named)
    const id = named.id === undefined ? {} : { id: named.id }
    if (route !== 'client' || becomesHosted(part, this.#undoContext)) {
      this.#calls.set(event.index, { index: -1, holdsInput: true, withheld: route, sent: 0, ...id })
      return []
    }
    const index = this.#nextIndex(event)
    const restored = restoreCallPart(named, this.#undoContext, this.#report)
    if (restored.kind !== 'call') return { ...event, index, part: restored }
    const isWrapped = restored.form !== part.form
    this.#calls.set(event.index, {
      index,
      holdsInput: !isWrapped && undo.rewritesArguments(part),
      sent: 0,
      ...id,
      ...(isWrapped && { unwrap: new InputUnwrapper() }),
    })
    return { ...event, index, part: { ...restored, input: '' } }
  }

  #end(event: PartEndEvent): StreamEvent | readonly StreamEvent[] {
    const call = this.#calls.get(event.index)
    if (call === undefined || event.part.kind !== 'call') {
      this.#tracker.record(event.index, [{ part: event.part }])
      if (this.#foreign.delete(event.index)) return this.#endForeign(event)
      return this.#reindexed(event)
    }
    this.#calls.delete(event.index)
    if (call.withheld === 'wrapper') return this.#endWrapper(event.index, event.part)
    const isNamed = call.id === undefined || call.id === event.part.id
    const named = isNamed ? event.part : { ...event.part, id: call.id }
    const route = call.withheld ?? 'client'
    this.#tracker.record(event.index, [{ part: named, route }])
    if (route !== 'client') return []
    return call.withheld === undefined ? this.#endCall(call, named) : this.#completeEvents(named)
  }

  /** A part that the client's wire has no form for: the client gets what it says. */
  #endForeign({ part }: PartEndEvent): StreamEvent[] {
    const readable = part.kind === 'opaque' ? readAnswerPart(part) : undefined
    const parts = part.kind === 'opaque' && readable ? asRead(part, readable, this.#report) : [part]
    return parts.flatMap(said => [...partEvents(said, this.#tracker.nextIndex())])
  }

  #endCall({ index, sent }: OpenCall, named: CallPart): StreamEvent[] {
    const part = restoreCallPart(named, this.#undoContext, this.#report)
    const end: PartEndEvent = { type: 'part-end', index, part }
    const missing = part.kind === 'call' ? part.input.slice(sent) : ''
    return missing === '' ? [end] : [{ type: 'part-delta', index, text: missing }, end]
  }

  #endWrapper(index: number, part: CallPart): StreamEvent[] {
    const expanded = expandParallelWrapper(part, this.#undoContext.undo.declared) ?? [part]
    const calls = expanded.map(call => {
      const named = this.#tracker.withUniqueId(call)
      return { part: named, route: this.#tracker.route(named) }
    })
    this.#tracker.record(index, calls)
    return calls.flatMap(({ part: call, route }) => (route === 'client' ? this.#completeEvents(call) : []))
  }

  /** A call that is known only when it is complete. */
  #completeEvents(part: CallPart): StreamEvent[] {
    return [...partEvents(restoreCallPart(part, this.#undoContext, this.#report), this.#tracker.nextIndex())]
  }

  #nextIndex({ index }: PartStartEvent): number {
    const next = this.#tracker.nextIndex()
    this.#indexes.set(index, next)
    return next
  }

  #reindexed<Event extends PartDeltaEvent | PartEndEvent>(event: Event): Event {
    const index = this.#indexes.get(event.index) ?? event.index
    return index === event.index ? event : { ...event, index }
  }
}

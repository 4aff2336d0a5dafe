/** Turns the events of adapted tools back into events of the tools that the client declared, while they stream. */
import type { CallPart } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { PartDeltaEvent, PartEndEvent, PartStartEvent, StreamEvent } from '../../model/stream-event.ts'
import type { CallRoute } from '../server-tools/call-rules.ts'
import { partEvents } from '../stream/answer-events.ts'
import type { CallTracker } from './call-tracker.ts'
import { createClientTracker } from './call-tracker.ts'
import type { InputUnwrapper } from './input-unwrapper.ts'
import { createInputUnwrapper } from './input-unwrapper.ts'
import { expandParallelWrapper, isParallelWrapper } from './parallel-wrapper.ts'
import type { Restorer } from './restore-call-part.ts'
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

export interface StreamUndo {
  /** The events that the client gets for this event. */
  restore(event: StreamEvent): StreamEvent[]
  /** The same for a delta, as nearly every event is: it becomes one delta or none. */
  restoreDelta(event: PartDeltaEvent): PartDeltaEvent | undefined
}

export function createStreamUndo(
  restorer: Restorer,
  report: Report,
  tracker: CallTracker = createClientTracker(report),
): StreamUndo {
  return new EventRestorer(restorer, tracker)
}

class EventRestorer implements StreamUndo {
  readonly #restorer: Restorer
  readonly #tracker: CallTracker
  /** The client's index of each part that is not withheld. */
  readonly #indexes = new Map<number, number>()
  readonly #calls = new Map<number, OpenCall>()

  constructor(restorer: Restorer, tracker: CallTracker) {
    this.#restorer = restorer
    this.#tracker = tracker
  }

  restore(event: StreamEvent): StreamEvent[] {
    switch (event.type) {
      case 'part-start':
        return this.#start(event)
      case 'part-delta': {
        const restored = this.restoreDelta(event)
        return restored === undefined ? [] : [restored]
      }
      case 'part-end':
        return this.#end(event)
      default:
        return [event]
    }
  }

  restoreDelta(event: PartDeltaEvent): PartDeltaEvent | undefined {
    const call = this.#calls.get(event.index)
    if (call === undefined) return this.#reindexed(event)
    if (call.holdsInput) return undefined
    if (call.unwrap === undefined && call.index === event.index) {
      call.sent += event.text.length
      return event.text === '' ? undefined : event
    }
    const text = call.unwrap === undefined ? event.text : call.unwrap.push(event.text)
    call.sent += text.length
    return text === '' ? undefined : { type: 'part-delta', index: call.index, text }
  }

  #start(event: PartStartEvent): StreamEvent[] {
    const { part } = event
    if (part.kind === 'call') return this.#startCall(event, part)
    const index = this.#nextIndex(event)
    return [index === event.index ? event : { ...event, index }]
  }

  #startCall(event: PartStartEvent, part: CallPart): StreamEvent[] {
    const { undo } = this.#restorer
    if (isParallelWrapper(part, undo.declared)) {
      this.#calls.set(event.index, { index: -1, holdsInput: true, withheld: 'wrapper', sent: 0 })
      return []
    }
    const named = this.#tracker.name(part)
    const route = this.#tracker.route(named)
    const id = named.id === undefined ? {} : { id: named.id }
    if (route !== 'pass' || becomesHosted(part, this.#restorer)) {
      this.#calls.set(event.index, { index: -1, holdsInput: true, withheld: route, sent: 0, ...id })
      return []
    }
    const index = this.#nextIndex(event)
    const restored = restoreCallPart(named, this.#restorer)
    if (restored.kind !== 'call') return [{ ...event, index, part: restored }]
    const isWrapped = restored.form !== part.form
    this.#calls.set(event.index, {
      index,
      holdsInput: !isWrapped && undo.rewritesArguments(part),
      sent: 0,
      ...id,
      ...(isWrapped && { unwrap: createInputUnwrapper() }),
    })
    return [{ ...event, index, part: { ...restored, input: '' } }]
  }

  #end(event: PartEndEvent): StreamEvent[] {
    const call = this.#calls.get(event.index)
    if (call === undefined || event.part.kind !== 'call') {
      this.#tracker.record(event.index, [{ part: event.part }])
      return [this.#reindexed(event)]
    }
    this.#calls.delete(event.index)
    if (call.withheld === 'wrapper') return this.#endWrapper(event.index, event.part)
    const isNamed = call.id === undefined || call.id === event.part.id
    const named = isNamed ? event.part : { ...event.part, id: call.id }
    const route = call.withheld ?? 'pass'
    this.#tracker.record(event.index, [{ part: named, route }])
    if (route !== 'pass') return []
    return call.withheld === undefined ? this.#endCall(call, named) : this.#completeEvents(named)
  }

  #endCall({ index, sent }: OpenCall, named: CallPart): StreamEvent[] {
    const part = restoreCallPart(named, this.#restorer)
    const end: PartEndEvent = { type: 'part-end', index, part }
    const missing = part.kind === 'call' ? part.input.slice(sent) : ''
    return missing === '' ? [end] : [{ type: 'part-delta', index, text: missing }, end]
  }

  #endWrapper(index: number, part: CallPart): StreamEvent[] {
    const expanded = expandParallelWrapper(part, this.#restorer.undo.declared) ?? [part]
    const calls = expanded.map(call => {
      const named = this.#tracker.name(call)
      return { part: named, route: this.#tracker.route(named) }
    })
    this.#tracker.record(index, calls)
    return calls.flatMap(({ part: call, route }) => (route === 'pass' ? this.#completeEvents(call) : []))
  }

  /** A call that is known only when it is complete. */
  #completeEvents(part: CallPart): StreamEvent[] {
    return [...partEvents(restoreCallPart(part, this.#restorer), this.#tracker.nextIndex())]
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

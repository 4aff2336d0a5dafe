/** Turns the events of adapted tools back into those of the tools the client declared, while they stream. */
import type { CallPart } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { PartDeltaEvent, PartEndEvent, PartStartEvent, StreamEvent } from '../../model/stream-event.ts'
import { partEvents } from '../shared/answer-events.ts'
import type { CallRoute, CallTracker, RoutedPart } from './call-tracker.ts'
import { createClientTracker } from './call-tracker.ts'
import type { InputUnwrapper } from './input-unwrapper.ts'
import { createInputUnwrapper } from './input-unwrapper.ts'
import { expandParallelWrapper, isParallelWrapper } from './parallel-wrapper.ts'
import type { UndoContext } from './restore-call-part.ts'
import { becomesHosted, restoreCallPart } from './restore-call-part.ts'

interface OpenCall {
  readonly index: number
  /** The id it was announced with. */
  readonly id?: string
  /** Decodes the input of a wrapped free-text tool. */
  readonly unwrap?: InputUnwrapper
  /** The text can only be known at the end. */
  readonly buffered: boolean
  /** Nothing has been said of the call yet, not even that it began. */
  readonly unannounced?: 'bundle' | CallRoute
  sent: number
}

export interface StreamUndo {
  /** What the client is told of the event. */
  restore(event: StreamEvent): StreamEvent[]
  /** The same for what nearly every event is: it becomes one, or none. */
  restoreDelta(event: PartDeltaEvent): PartDeltaEvent | undefined
}

export function createStreamUndo(
  undoContext: UndoContext,
  report: Report,
  tracker: CallTracker = createClientTracker(report),
): StreamUndo {
  const { undo } = undoContext
  const indexes = new Map<number, number>()
  const calls = new Map<number, OpenCall>()

  const start = (event: PartStartEvent): StreamEvent[] => {
    const { part, index } = event
    if (part.kind !== 'call') {
      const at = tracker.nextIndex()
      indexes.set(index, at)
      return [index === at ? event : { ...event, index: at }]
    }
    return startCall(event, part)
  }

  const startCall = (event: PartStartEvent, part: CallPart): StreamEvent[] => {
    const { index } = event
    if (isParallelWrapper(part, undo.declared)) {
      calls.set(index, { index: -1, buffered: true, unannounced: 'bundle', sent: 0 })
      return []
    }
    const named = tracker.withUniqueId(part)
    const route = tracker.route(named)
    const id = named.id === undefined ? {} : { id: named.id }
    if (route !== 'client' || becomesHosted(part, undoContext)) {
      calls.set(index, { index: -1, buffered: true, unannounced: route, sent: 0, ...id })
      return []
    }
    const at = tracker.nextIndex()
    indexes.set(index, at)
    const restored = restoreCallPart(named, undoContext)
    if (restored.kind !== 'call') return [{ ...event, index: at, part: restored }]
    const wrapped = restored.form !== part.form
    calls.set(index, {
      index: at,
      buffered: !wrapped && undo.rewritesArguments(part),
      sent: 0,
      ...id,
      ...(wrapped && { unwrap: createInputUnwrapper() }),
    })
    return [{ ...event, index: at, part: { ...restored, input: '' } }]
  }

  const delta = (event: PartDeltaEvent): PartDeltaEvent | undefined => {
    const call = calls.get(event.index)
    if (call === undefined) return moved(event)
    if (call.buffered) return undefined
    if (call.unwrap === undefined && call.index === event.index) {
      call.sent += event.text.length
      return event.text === '' ? undefined : event
    }
    const text = call.unwrap === undefined ? event.text : call.unwrap.push(event.text)
    call.sent += text.length
    return text === '' ? undefined : { type: 'part-delta', index: call.index, text }
  }

  const moved = <Event extends PartDeltaEvent | PartEndEvent>(event: Event): Event => {
    const index = indexes.get(event.index) ?? event.index
    return index === event.index ? event : { ...event, index }
  }

  const end = (event: PartEndEvent): StreamEvent[] => {
    const call = calls.get(event.index)
    if (call === undefined || event.part.kind !== 'call') {
      tracker.record(event.index, [{ part: event.part }])
      return [moved(event)]
    }
    calls.delete(event.index)
    if (call.unannounced === 'bundle') return endBundle(event.index, event.part)
    const isNamed = call.id === undefined || call.id === event.part.id
    const named = isNamed ? event.part : { ...event.part, id: call.id }
    const route = call.unannounced ?? 'client'
    tracker.record(event.index, [{ part: named, route }])
    if (route !== 'client') return []
    if (call.unannounced !== undefined) return whole(named)
    const part = restoreCallPart(named, undoContext)
    if (part.kind !== 'call') return [{ type: 'part-end', index: call.index, part }]
    const ended: PartEndEvent = { type: 'part-end', index: call.index, part }
    const missing = part.input.slice(call.sent)
    return missing === '' ? [ended] : [{ type: 'part-delta', index: call.index, text: missing }, ended]
  }

  const endBundle = (index: number, part: CallPart): StreamEvent[] => {
    const bundle = (expandParallelWrapper(part, undo.declared) ?? [part]).map(call => {
      const named = tracker.withUniqueId(call)
      return { part: named, route: tracker.route(named) } satisfies RoutedPart
    })
    tracker.record(index, bundle)
    return bundle.flatMap(({ part: call, route }) => (route === 'client' ? whole(call) : []))
  }

  /** A call that is known only when it is complete. */
  const whole = (part: CallPart): StreamEvent[] => [
    ...partEvents(restoreCallPart(part, undoContext), tracker.nextIndex()),
  ]

  return {
    restoreDelta: delta,
    restore(event) {
      switch (event.type) {
        case 'part-start':
          return start(event)
        case 'part-delta': {
          const restored = delta(event)
          return restored === undefined ? [] : [restored]
        }
        case 'part-end':
          return end(event)
        default:
          return [event]
      }
    },
  }
}

/** Undo for streams: turns the events of adapted tools into those of the tools that the client declared. */
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
  /** The id in its `part-start` event. */
  readonly id?: string
  /** Decodes the input of a wrapped custom tool. */
  readonly unwrap?: InputUnwrapper
  /** The arguments can be sent only when they are complete. */
  readonly buffered: boolean
  /** No event of the call has been sent yet; a bundle is routed when it ends. */
  readonly unannounced?: 'bundle' | CallRoute
  sent: number
}

export interface StreamUndo {
  /** Returns the events for the client. */
  restore(event: StreamEvent): StreamEvent[]
  /** The same for deltas, which are nearly all events, without allocating a list. */
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

  /** All events of a call that was held back until it was complete. */
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

/** Turns the events of adapted tools back into those of the tools the client declared, while they stream. */
import type { CallPart } from '../model/conversation.ts'
import type { Report } from '../model/diagnostic.ts'
import type { PartDeltaEvent, PartEndEvent, PartStartEvent, StreamEvent } from '../model/stream-event.ts'
import type { InputUnwrapper } from './input-unwrapper.ts'
import { createInputUnwrapper } from './input-unwrapper.ts'
import { expandParallelWrapper, isParallelWrapper } from './parallel-wrapper.ts'
import type { Restorer } from './restore-call-part.ts'
import { becomesHosted, restoreCallPart } from './restore-call-part.ts'
import { createUniqueIds } from './unique-ids.ts'

interface OpenCall {
  readonly index: number
  /** The id it was announced with. */
  readonly id?: string
  /** Decodes the input of a wrapped free-text tool. */
  readonly unwrap?: InputUnwrapper
  /** The text can only be known at the end. */
  readonly held: boolean
  /** Nothing has been said of the call yet, not even that it began. */
  readonly bundled: boolean
  sent: number
}

export function createStreamUndo(restorer: Restorer, report: Report): (event: StreamEvent) => StreamEvent[] {
  const { undo } = restorer
  const unique = createUniqueIds(report)
  const indexes = new Map<number, number>()
  const calls = new Map<number, OpenCall>()
  let next = 0

  const start = (event: PartStartEvent): StreamEvent[] => {
    const { part, index } = event
    if (part.kind === 'call' && (isParallelWrapper(part, undo.declared) || becomesHosted(part, restorer))) {
      calls.set(index, { index: -1, held: true, bundled: true, sent: 0 })
      return []
    }
    const at = next++
    indexes.set(index, at)
    if (part.kind !== 'call') return [{ ...event, index: at }]
    const named = unique(part)
    const restored = restoreCallPart(named, restorer)
    if (restored.kind !== 'call') return [{ ...event, index: at, part: restored }]
    const wrapped = restored.form !== part.form
    calls.set(index, {
      index: at,
      held: !wrapped && undo.rewritesArguments(part),
      bundled: false,
      sent: 0,
      ...(named.id !== undefined && { id: named.id }),
      ...(wrapped && { unwrap: createInputUnwrapper() }),
    })
    return [{ ...event, index: at, part: { ...restored, input: '' } }]
  }

  const delta = (event: PartDeltaEvent): StreamEvent[] => {
    const call = calls.get(event.index)
    if (call === undefined) return [{ ...event, index: indexes.get(event.index) ?? event.index }]
    if (call.held) return []
    const text = call.unwrap === undefined ? event.text : call.unwrap.push(event.text)
    call.sent += text.length
    return text === '' ? [] : [{ type: 'part-delta', index: call.index, text }]
  }

  const end = (event: PartEndEvent): StreamEvent[] => {
    const call = calls.get(event.index)
    if (call === undefined || event.part.kind !== 'call') {
      return [{ ...event, index: indexes.get(event.index) ?? event.index }]
    }
    calls.delete(event.index)
    if (call.bundled) {
      const bundle = isParallelWrapper(event.part, undo.declared)
        ? expandParallelWrapper(event.part, undo.declared)
        : undefined
      return (bundle ?? [event.part]).flatMap(whole)
    }
    const named = call.id === undefined ? event.part : { ...event.part, id: call.id }
    const part = restoreCallPart(named, restorer)
    if (part.kind !== 'call') return [{ type: 'part-end', index: call.index, part }]
    const missing = part.input.slice(call.sent)
    const rest: StreamEvent[] =
      missing === '' ? [] : [{ type: 'part-delta', index: call.index, text: missing }]
    return [...rest, { type: 'part-end', index: call.index, part }]
  }

  /** A call that is known only when it is complete. */
  const whole = (part: CallPart): StreamEvent[] => {
    const restored = restoreCallPart(unique(part), restorer)
    const index = next++
    if (restored.kind !== 'call') {
      return [
        { type: 'part-start', index, part: restored },
        { type: 'part-end', index, part: restored },
      ]
    }
    return [
      { type: 'part-start', index, part: { ...restored, input: '' } },
      ...(restored.input === '' ? [] : [{ type: 'part-delta', index, text: restored.input } as const]),
      { type: 'part-end', index, part: restored },
    ]
  }

  return event => {
    switch (event.type) {
      case 'part-start':
        return start(event)
      case 'part-delta':
        return delta(event)
      case 'part-end':
        return end(event)
      default:
        return [event]
    }
  }
}

/** What an answer means for the loop: which calls can run, which the caller must answer, and whether it continues. */
import type { Answer, FinishReason } from '../../model/answer.ts'
import { type CallPart, isCall, type Part } from '../../model/conversation.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import type { ToolCall } from '../calls/outcome.ts'
import type { RoundsEnd } from '../rounds.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import { ModelError } from './model-port.ts'
import type { ConversationEvent, PendingCall, RestoredCall, Session, StopReason } from './types.ts'

export interface AnswerCall {
  readonly part: CallPart
  readonly call: ToolCall
  /** Set when the caller must answer it. */
  readonly pending?: PendingCall
}

/** With these finish reasons a call may be cut off, unless the wire marks it as completed. */
const truncatingReasons: ReadonlySet<FinishReason> = new Set(['length', 'filter', 'refusal', 'unfinished'])

export function partsOf(answer: Answer): Part[] {
  return answer.turns.flatMap(({ parts }) => parts)
}

export function textOf(answer: Answer): string {
  return partsOf(answer)
    .map(part => (part.kind === 'text' ? part.text : ''))
    .join('')
}

/** The words of a refusal that has a part of its own; on a wire without one they are the text. */
export function refusalOf(answer: Answer): string | undefined {
  const refusals = partsOf(answer).filter(part => part.kind === 'refusal')
  if (refusals.length > 0) return refusals.map(({ text }) => text).join('')
  return answer.finish.reason === 'refusal' ? textOf(answer) || undefined : undefined
}

/** The error of an answer that failed, was cancelled, or is still in progress on its server. */
export function failureOf({ error, finish }: Answer): ModelError | undefined {
  const { reason, raw } = finish
  if (error !== undefined) return new ModelError(error.message, error)
  if (reason === 'failed' || reason === 'cancelled')
    return new ModelError(`The answer was ${reason}.`, { kind: 'server' })
  // Some servers never give a reason.
  if (reason !== 'unfinished' || raw === undefined) return undefined
  return new ModelError(`The answer is not finished: it ends with "${raw}".`, { kind: 'server' })
}

/** Looks at the parts only: servers report "stop" although there are calls, or "tool_calls" without any. */
export function callsOf(answer: Answer, session: Session): AnswerCall[] {
  const cut = truncatingReasons.has(answer.finish.reason)
  const tools = new Map(session.tools.map(tool => [tool.name, tool]))
  return partsOf(answer)
    .filter(isCall)
    .map(part => {
      const restored = session.restore(part)
      const { name, namespace, arguments: text } = restored
      const target = namespace === undefined ? { name } : { name, namespace }
      const truncated = part.status === 'incomplete' || (cut && part.status !== 'completed')
      const id = part.id ?? ''
      const call = { id, ...target, arguments: text, ...(truncated && { truncated }) }
      if (truncated || !isPending(restored, tools, session)) return { part, call }
      return { part, call, pending: { id, ...target, arguments: text, form: restored.form } }
    })
}

function isPending(
  { name, namespace, form }: RestoredCall,
  tools: ReadonlyMap<string, ToolSpec>,
  session: Session,
): boolean {
  const tool = namespace === undefined ? tools.get(name) : undefined
  if (tool !== undefined) return tool.handler === undefined
  return form === 'custom' || session.declares(name)
}

/** Calls of tools that the provider defines but the caller runs; the caller answers with an item of the wire. */
export function hostedPending(answer: Answer, session: Session): PendingCall[] {
  return session.pendingItems(answer).map(({ type, value }) => {
    const { call_id, id } = value
    const callId = typeof call_id === 'string' ? call_id : id
    return {
      id: typeof callId === 'string' ? callId : '',
      name: type,
      arguments: JSON.stringify(value),
      form: 'hosted',
    }
  })
}

/** Why a conversation stopped, if not by its own steps: how its rounds ended, and how the last answer did. */
export function reasonOf(end: RoundsEnd, finish: FinishReason | undefined): StopReason {
  if (end === 'pending') return 'pending'
  if (end === 'limit') return 'max_rounds'
  if (finish === 'length' || finish === 'filter' || finish === 'refusal') return finish
  return end === 'cut' ? 'length' : 'answer'
}

export type Emit = (event: ConversationEvent) => void

/** Translates the stream events of an answer into the delta events of a conversation. */
export function emitDeltas(round: number, emit: Emit): (event: StreamEvent) => void {
  const parts = new Map<number, Part>()
  return event => {
    if (event.type === 'part-start') parts.set(event.index, event.part)
    if (event.type !== 'part-delta') return
    const part = parts.get(event.index)
    const { text } = event
    if (part?.kind === 'text') emit({ type: 'text-delta', round, text })
    if (part?.kind === 'reasoning') emit({ type: 'reasoning-delta', round, text })
    if (part?.kind !== 'call') return
    const { name, id } = part
    emit({ type: 'call-delta', round, name, ...(id !== undefined && { callId: id }), text })
  }
}

/** What an answer means for the loop: which calls may run, which wait for the caller, and whether it goes on. */
import type { Answer, FinishReason } from '../../model/answer.ts'
import type { CallPart, Part } from '../../model/conversation.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import type { ToolCall } from '../calls/outcome.ts'
import type { ToolSpec } from '../tools/tool-spec.ts'
import { ModelError } from './model-port.ts'
import type { ConversationEvent, PendingCall, RestoredCall, Session, StopReason } from './types.ts'

export interface AnswerCall {
  readonly part: CallPart
  readonly call: ToolCall
  /** Set when the caller must answer it. */
  readonly pending?: PendingCall
}

/** Ways to end in which a call may have been cut off, unless its wire says that it is complete. */
const truncatingReasons: ReadonlySet<FinishReason> = new Set(['length', 'filter', 'refusal', 'unfinished'])

export function partsOf(answer: Answer): Part[] {
  return answer.turns.flatMap(({ parts }) => parts)
}

export function textOf(answer: Answer): string {
  return partsOf(answer)
    .map(part => (part.kind === 'text' ? part.text : ''))
    .join('')
}

/** Why the answer is none: it failed, was cancelled, or its server is still at it. */
export function failureOf({ error, finish }: Answer): ModelError | undefined {
  const { reason, raw } = finish
  if (error !== undefined) return new ModelError(error.message, error)
  if (reason === 'failed' || reason === 'cancelled')
    return new ModelError(`The answer was ${reason}.`, { kind: 'server' })
  if (reason !== 'unfinished' || raw === undefined) return undefined
  return new ModelError(`The answer is not finished: its status is "${raw}".`, { kind: 'server' })
}

/** Never by the word it ended with: servers say "stop" and call, or say that they call and do not. */
export function callsOf(answer: Answer, dialogue: Session): AnswerCall[] {
  const cut = truncatingReasons.has(answer.finish.reason)
  const tools = new Map(dialogue.tools.map(tool => [tool.name, tool]))
  return partsOf(answer)
    .filter(part => part.kind === 'call')
    .map(part => {
      const restored = dialogue.restore(part)
      const { name, namespace, arguments: text } = restored
      const where = namespace === undefined ? { name } : { name, namespace }
      const truncated = part.status === 'incomplete' || (cut && part.status !== 'completed')
      const id = part.id ?? ''
      const call = { id, ...where, arguments: text, ...(truncated && { truncated }) }
      if (truncated || !isPending(restored, tools, dialogue)) return { part, call }
      return { part, call, pending: { id, ...where, arguments: text, form: restored.form } }
    })
}

function isPending(
  { name, namespace, form }: RestoredCall,
  tools: ReadonlyMap<string, ToolSpec>,
  dialogue: Session,
): boolean {
  const tool = namespace === undefined ? tools.get(name) : undefined
  if (tool !== undefined) return tool.handler === undefined
  return form === 'custom' || dialogue.declares(name)
}

/** Items of tools the provider only defines: the caller runs them and answers in the wire's own words. */
export function hostedPending(answer: Answer, dialogue: Session): PendingCall[] {
  return dialogue.awaited(answer).map(({ type, value }) => {
    const { call_id, id } = value
    const known = typeof call_id === 'string' ? call_id : id
    return {
      id: typeof known === 'string' ? known : '',
      name: type,
      arguments: JSON.stringify(value),
      form: 'hosted',
    }
  })
}

/** How a conversation stops on an answer without calls; `undefined` when the model wants to be asked again. */
export function reasonWithoutCalls(reason: FinishReason): StopReason | undefined {
  switch (reason) {
    case 'pause':
      return undefined
    case 'length':
    case 'filter':
    case 'refusal':
      return reason
    default:
      return 'answer'
  }
}

export type Emit = (event: ConversationEvent) => void

export function emitDeltas(round: number, tell: Emit): (event: StreamEvent) => void {
  const parts = new Map<number, Part>()
  return event => {
    if (event.type === 'part-start') parts.set(event.index, event.part)
    if (event.type !== 'part-delta') return
    const part = parts.get(event.index)
    const { text } = event
    if (part?.kind === 'text') tell({ type: 'text-delta', round, text })
    if (part?.kind === 'reasoning') tell({ type: 'reasoning-delta', round, text })
    if (part?.kind !== 'call') return
    const { name, id } = part
    tell({ type: 'call-delta', round, name, ...(id !== undefined && { callId: id }), text })
  }
}

import type { CallPart, HostedPart } from '../../model/conversation.ts'
import type { HostedCalls } from '../../wires/define-wire.ts'
import type { CallUndo } from './call-undo.ts'
import { customCall, functionCall } from './call-undo.ts'

export interface Restorer {
  readonly undo: CallUndo
  /** How the client's wire writes calls of hosted tools that the client runs. */
  readonly hostedCalls?: HostedCalls
  readonly newId: (prefix: string) => string
  /** The client speaks the upstream's wire, so that nothing needs to be spelled for it. */
  readonly verbatim: boolean
}

/** A call to an adapted tool, as a call to the tool the client declared. */
export function restoreCallPart(part: CallPart, restorer: Restorer): CallPart | HostedPart {
  const { undo, hostedCalls, newId, verbatim } = restorer
  const { name, namespace, form, input } = part
  const call = undo.restoreCall(
    form === 'custom' ? customCall(name, namespace, input) : functionCall(name, namespace, input),
  )
  if (call.kind === 'hosted' && !call.handled && part.status !== 'incomplete') {
    const hosted = hostedCalls?.encode(call.type, part, newId)
    if (hosted !== undefined) return hosted
  }
  const text = call.kind === 'custom' ? call.input : call.arguments
  // A call without arguments is complete, and clients parse what they get.
  const empty = call.kind !== 'custom' && !verbatim && part.status !== 'incomplete' && text.trim() === ''
  const isSame = call.kind === form && call.name === name && call.namespace === namespace && text === input
  if (isSame && !empty) return part
  const { namespace: _, ...rest } = part
  return {
    ...rest,
    name: call.name,
    ...(call.namespace !== undefined && { namespace: call.namespace }),
    form: call.kind === 'custom' ? 'custom' : 'function',
    input: empty ? '{}' : text,
  }
}

/** Whether the call becomes an item whose fields are known only when its arguments are complete. */
export function becomesHosted(part: CallPart, { undo, hostedCalls, newId }: Restorer): boolean {
  const { name, namespace, form } = part
  if (form === 'custom' || hostedCalls === undefined) return false
  const call = undo.restoreCall(functionCall(name, namespace, '{}'))
  return (
    call.kind === 'hosted' &&
    !call.handled &&
    hostedCalls.encode(call.type, { ...part, input: '{}' }, () => newId('')) !== undefined
  )
}

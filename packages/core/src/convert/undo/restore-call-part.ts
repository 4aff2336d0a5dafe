/** Undo for one call part of an answer. */
import type { CallPart, HostedPart } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { HostedCalls } from '../../wires/define-wire.ts'
import type { CallUndo, CustomCall, FunctionCall } from './call-undo.ts'
import { customCall, functionCall } from './call-undo.ts'

export interface UndoContext {
  readonly undo: CallUndo
  /** Encodes calls of hosted tools that the client runs, if the client's wire has items for them. */
  readonly hostedCalls?: HostedCalls
  readonly newId: (prefix: string) => string
  /** Both wires are the same, so empty arguments need not be normalized for the client. */
  readonly verbatim: boolean
}

/** The call of a part, as the undo takes it. */
export function callOf({ form, name, namespace, input }: CallPart): FunctionCall | CustomCall {
  return form === 'custom' ? customCall(name, namespace, input) : functionCall(name, namespace, input)
}

/** Turns a call to an adapted tool into a call to the tool that the client declared. */
export function restoreCallPart(part: CallPart, context: UndoContext, report: Report): CallPart | HostedPart {
  const { undo, hostedCalls, newId, verbatim } = context
  const { name, namespace, form, input } = part
  const call = undo.restoreCall(callOf(part))
  if (call.kind === 'hosted' && !call.handled && part.status !== 'incomplete') {
    const hosted = hostedCalls?.encode(call.type, part, newId)
    if (hosted !== undefined) return hosted
  }
  if (call.kind === 'custom' && call.oddity !== undefined && part.status !== 'incomplete')
    reportOddity(part, call.oddity, report)
  const text = call.kind === 'custom' ? call.input : call.arguments
  // Empty arguments are valid for the upstream, but clients parse them as JSON.
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
    ...(call.kind === 'custom' && call.isCut && { status: 'incomplete' as const }),
  }
}

/** The arguments of a free-text call are not in the form that the model was asked for. */
function reportOddity({ name, path }: CallPart, oddity: string, report: Report): void {
  report(
    'input_unwrapped',
    path,
    `The free text of the call to "${name}" was to be in an object with one string, "input"; the model wrote ${oddity}.`,
  )
}

/** True if the call becomes a hosted item, which can be written only when its arguments are complete. */
export function becomesHosted(part: CallPart, { undo, hostedCalls, newId }: UndoContext): boolean {
  const { name, namespace, form } = part
  if (form === 'custom' || hostedCalls === undefined) return false
  const call = undo.restoreCall(functionCall(name, namespace, '{}'))
  return (
    call.kind === 'hosted' &&
    !call.handled &&
    hostedCalls.encode(call.type, { ...part, input: '{}' }, () => newId('')) !== undefined
  )
}

/** Asks whoever approves whether a call may run. Only a plain yes is one. */
import type { Run } from './batch.ts'
import type { Scope } from './call-scope.ts'
import { endedEarly } from './check-arguments.ts'
import { denied, type Failure, threw } from './failure.ts'
import type { PreparedCall } from './prepare-call.ts'

/** Nothing when the call may run. */
export async function requestApproval(
  { call, tool }: PreparedCall,
  args: unknown,
  scope: Scope,
  { settings: { approve } }: Run,
): Promise<Failure | undefined> {
  const subject = `The call of the tool "${tool.name}"`
  if (approve === undefined)
    return denied(`${subject} needs someone's approval, and nobody can be asked here. Go on without it.`)
  const settled = await scope.settle(() => approve({ call, tool, args, signal: scope.signal }))
  if (settled.type === 'ended') return endedEarly(settled.end, tool.name)
  if (settled.type === 'threw') {
    const failure = threw(settled.thrown)
    if (failure.fatal === true) return failure
    const message = `${subject} was not approved, because asking for approval failed. Go on without it.`
    return denied(message, settled.thrown)
  }
  const answer: unknown = settled.value
  const { approved, reason } = Object(answer) as { readonly approved?: unknown; readonly reason?: unknown }
  if (answer === true || approved === true) return undefined
  const why = typeof reason === 'string' && reason !== '' ? `: ${reason}.` : '.'
  return denied(
    `${subject} was not approved${why.replace(/\.\.$/, '.')} Do not repeat it unless you are asked to.`,
  )
}

/** Whether the arguments of a call fit its tool. What does not fit is told the model, all of it at once. */

import { describeThrown } from '../describe-error.ts'
import { checkBySchema, listIssues, readStandardResult } from '../tools/check-value.ts'
import type { End, Scope } from './call-scope.ts'
import { checkTimedOut, type Failure, failed, notStarted } from './failure.ts'
import { nothingRan, type PreparedCall } from './prepare-call.ts'

/** The arguments as the handler gets them, or why it does not. */
export type Ready = { readonly args: unknown } | { readonly failure: Failure }

/** A schema library's own check may be asynchronous, may throw, and may never end. */
export async function checkArguments(
  { tool, readArguments }: PreparedCall,
  scope: Scope,
  whenEnded: (end: End) => Failure = end => endedEarly(end, tool.name),
): Promise<Ready> {
  const settled = await scope.settle(async () => {
    const args = readArguments()
    return tool.validateArguments === undefined
      ? checkBySchema(tool.parameters, args)
      : readStandardResult(await tool.validateArguments(args))
  })
  if (settled.type === 'ended') return { failure: whenEnded(settled.end) }
  if (settled.type === 'threw') {
    const { message } = describeThrown(settled.thrown)
    const said = `The arguments for the tool "${tool.name}" could not be checked: ${message} ${nothingRan}`
    return { failure: failed('invalid_arguments', said, settled.thrown) }
  }
  const checked = settled.value
  if (checked.ok) return { args: checked.value }
  const said = `The arguments do not fit the tool "${tool.name}". ${nothingRan}${listIssues(checked.issues)}`
  return { failure: failed('invalid_arguments', said) }
}

/** For a call whose handler has not started; only the check of the arguments has a deadline before that. */
export function endedEarly(end: End, name: string): Failure {
  return end.by === 'deadline' ? checkTimedOut(name, end.milliseconds) : notStarted(end)
}

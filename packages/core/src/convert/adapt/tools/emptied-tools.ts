/** Removes an empty list of tools, because servers refuse it. Sent empty, it stays on its own wire, as does a program's. */
import type { Request } from '../../../model/request.ts'
import type { AdaptContext } from '../context.ts'
import { withToolParams } from '../context.ts'
import { declaresTools } from './tool-choice.ts'

export function omitEmptiedTools(request: Request, context: AdaptContext): Request {
  const staysEmpty = context.isNative || context.origin === undefined
  if (request.tools.tools?.length !== 0 || (staysEmpty && !declaresTools(context))) return request
  const { tools: _, ...others } = request.tools
  if (others.additionalTools !== undefined) return withToolParams(request, others)
  const { parallel, ...rest } = others
  if (parallel !== undefined) {
    const path = others.parallelPath ?? ['parallel_tool_calls']
    context.report(
      'parallel_tool_calls_dropped',
      path,
      'There are no calls that could be parallel; the setting was left out.',
    )
  }
  return withToolParams(request, rest)
}

/**
 * Adapts the tools of a request to a target's profile, one adaptation after the other. Adapted tools carry their
 * origin, which the undo uses to turn calls back.
 */
import type { Tool, ToolParams } from '../../../model/tool.ts'
import type { AdaptContext } from '../context.ts'
import { applyAllowedTools } from './allowed-tools.ts'
import { adaptCustomTools } from './custom-tools.ts'
import { adaptHostedTools } from './hosted-tools.ts'
import { flattenNamespaces } from './namespaces.ts'
import { adaptParameters } from './parameters.ts'
import { adaptStrict } from './strict.ts'
import { adaptToolChoice } from './tool-choice.ts'
import { adaptToolNames } from './tool-names.ts'

const toolAdaptations: readonly ((tools: readonly Tool[], context: AdaptContext) => readonly Tool[])[] = [
  adaptHostedTools,
  adaptCustomTools,
  flattenNamespaces,
  adaptToolNames,
  adaptParameters,
  adaptStrict,
]

export function adaptToolParams(declared: ToolParams, context: AdaptContext): ToolParams {
  const params = applyAllowedTools(mergeAdditionalTools(declared, context), context)
  if (params.tools === undefined) return adaptToolChoice(params, [], context)
  const tools = toolAdaptations.reduce<readonly Tool[]>((list, step) => step(list, context), params.tools)
  const adapted = tools === params.tools ? params : { ...params, tools }
  return omitEmptied(adaptToolChoice(adapted, params.tools, context), params.tools, context)
}

/** Tools declared inside the input stay there on their own wire and are moved to the list of tools on any other. */
function mergeAdditionalTools(
  params: ToolParams,
  { profile, options, report, sameWire }: AdaptContext,
): ToolParams {
  if (params.additionalTools === undefined) return params
  const { additionalTools, ...rest } = params
  const items = new Map(
    additionalTools.map(({ root }) => [JSON.stringify(root.slice(0, -2)), root.slice(0, -2)]),
  )
  if (sameWire && profile.additionalTools) {
    const { strict, hostedTools, profile: facts } = options
    if (strict === undefined && hostedTools === undefined && facts === undefined) return params
    for (const item of items.values()) {
      report(
        'additional_tools_unchanged',
        item,
        'Tools declared inside the input are not reached by these options.',
      )
    }
    return params
  }
  for (const item of items.values()) {
    report(
      'additional_tools_merged',
      [...item, 'type'],
      'Tools declared inside the input were moved to the list of tools.',
    )
  }
  return { ...rest, tools: [...(rest.tools ?? []), ...additionalTools] }
}

/** Removes a list of tools that the adaptations emptied, because servers refuse it. A list sent empty stays. */
function omitEmptied(params: ToolParams, declared: readonly Tool[], { report }: AdaptContext): ToolParams {
  if (declared.length === 0 || params.tools === undefined || params.tools.length > 0) return params
  const { tools, ...others } = params
  if (params.additionalTools !== undefined) return others
  const { parallel, ...rest } = others
  if (parallel !== undefined) {
    const path = params.parallelPath ?? ['parallel_tool_calls']
    report(
      'parallel_tool_calls_dropped',
      path,
      'There are no calls that could be parallel; the setting was left out.',
    )
  }
  return rest
}

/**
 * Fits the tool part of a request to a target's profile, one named step after the other, and keeps what is
 * needed to turn the model's calls back into the client's own.
 */
import type { Tool, ToolParams } from '../../model/tool.ts'
import { applyAllowedTools } from './allowed-tools.ts'
import type { AdaptContext } from './context.ts'
import { adaptCustomTools } from './custom-tools.ts'
import { adaptHostedTools } from './hosted-tools.ts'
import { flattenNamespaces } from './namespaces.ts'
import { adaptParameters } from './parameters.ts'
import { adaptStrict } from './strict.ts'
import { adaptToolChoice } from './tool-choice.ts'
import { adaptToolNames } from './tool-names.ts'

const steps: readonly ((tools: readonly Tool[], context: AdaptContext) => Tool[])[] = [
  adaptHostedTools,
  adaptCustomTools,
  flattenNamespaces,
  adaptToolNames,
  adaptParameters,
  adaptStrict,
]

export function adaptToolParams(given: ToolParams, context: AdaptContext): ToolParams {
  const params = applyAllowedTools(mergeAdditionalTools(given, context), context)
  if (params.tools === undefined) return adaptToolChoice(params, [], context)
  const tools = steps.reduce<readonly Tool[]>((list, step) => step(list, context), params.tools)
  return adaptToolChoice({ ...params, tools }, params.tools, context)
}

function mergeAdditionalTools(params: ToolParams, { profile, report }: AdaptContext): ToolParams {
  const { additionalTools, ...rest } = params
  if (additionalTools === undefined || profile.additionalTools) return params
  for (const tool of additionalTools) {
    const item = tool.root.slice(0, -2)
    report(
      'additional_tools_merged',
      [...item, 'type'],
      'Tools declared inside the input were moved to the list of tools.',
    )
  }
  return { ...rest, tools: [...(rest.tools ?? []), ...additionalTools] }
}

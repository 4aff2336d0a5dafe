/** The few things a server demands of a parameters schema before it looks inside. */
import type { JsonObject } from '../../model/json.ts'
import { isObject, omit, own } from '../../model/json.ts'
import type { FunctionTool, Tool } from '../../model/tool.ts'
import type { AdaptContext } from './context.ts'
import { mapFunctions } from './context.ts'

const noParameters: JsonObject = { type: 'object', properties: {} }

export function adaptParameters(tools: readonly Tool[], context: AdaptContext): Tool[] {
  if (context.sameWire) return [...tools]
  return mapFunctions(tools, tool => completeRoot(removeMisplacedStrict(tool), context))
}

/** A boolean `strict` among the schema's own keywords is no keyword; a property of that name is left alone. */
function removeMisplacedStrict(tool: FunctionTool): FunctionTool {
  const { parameters } = tool
  if (!isObject(parameters) || typeof own(parameters, 'strict') !== 'boolean') return tool
  return { ...tool, parameters: omit(parameters, ['strict']) }
}

function completeRoot(tool: FunctionTool, { profile, report }: AdaptContext): FunctionTool {
  const { parameters, parametersPath } = tool
  if (parameters === undefined && !profile.parametersRequired) return tool
  if (parameters === undefined || (isObject(parameters) && Object.keys(parameters).length === 0)) {
    report(
      'parameters_defaulted',
      parametersPath,
      'The tool has no parameters; the target was told so in full.',
    )
    return { ...tool, parameters: noParameters }
  }
  if (!isObject(parameters)) {
    report('parameters_not_object', parametersPath, 'Parameters must be a JSON Schema object.')
    return tool
  }
  const type = own(parameters, 'type')
  const objectAmongTypes = Array.isArray(type) && type.includes('object')
  if (type !== undefined && type !== 'object' && !objectAmongTypes) {
    report(
      'parameters_not_object',
      [...parametersPath, 'type'],
      'The root of the parameters must be of type "object".',
    )
    return tool
  }
  if (type === 'object' || !profile.rootTypeRequired) return tool
  report(
    'parameters_root_typed',
    [...parametersPath, 'type'],
    'The target wants the root to say `type: "object"`; it does now.',
  )
  return { ...tool, parameters: { type: 'object', ...omit(parameters, ['type']) } }
}

/** Adapts the root of a parameters schema, which servers check before anything inside it. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import type { Request } from '../../../model/request.ts'
import type { FunctionTool } from '../../../model/tool.ts'
import type { AdaptContext } from '../context.ts'
import { mapFunctions } from '../context.ts'

/** A new object each time, because the caller gets it and may change it. */
const noParameters = (): JsonObject => ({ type: 'object', properties: {} })

export function adaptParameters(request: Request, context: AdaptContext): Request {
  return mapFunctions(request, tool => completeRoot(removeMisplacedStrict(tool, context), context))
}

/** A boolean `strict` inside the schema is misplaced. A property named `strict` is not touched. */
function removeMisplacedStrict(tool: FunctionTool, { isNative, options }: AdaptContext): FunctionTool {
  const { parameters } = tool
  if (isNative && options.misplacedStrict !== 'honour') return tool
  if (!isObject(parameters) || typeof own(parameters, 'strict') !== 'boolean') return tool
  return { ...tool, parameters: omit(parameters, ['strict']) }
}

function completeRoot(tool: FunctionTool, { profile, report, isNative }: AdaptContext): FunctionTool {
  const { parameters, parametersPath } = tool
  const empty = isObject(parameters) && Object.keys(parameters).length === 0
  if ((parameters === undefined || (empty && isNative)) && !profile.parametersRequired) return tool
  if (parameters === undefined || empty) {
    report(
      'parameters_defaulted',
      parametersPath,
      'The tool has no parameters; an empty object schema was sent.',
    )
    return { ...tool, parameters: noParameters() }
  }
  const type = isObject(parameters) ? own(parameters, 'type') : undefined
  const objectAmongTypes = Array.isArray(type) && type.includes('object')
  if (!isObject(parameters) || (type !== undefined && type !== 'object' && !objectAmongTypes)) {
    const at = isObject(parameters) ? [...parametersPath, 'type'] : parametersPath
    if (!isNative)
      report('parameters_not_object', at, 'Parameters must be a JSON Schema whose root is of type "object".')
    return tool
  }
  if (type === 'object' || !profile.rootTypeRequired) return tool
  report(
    'parameters_root_typed',
    [...parametersPath, 'type'],
    'The target requires `type: "object"` at the root; it was added.',
  )
  return { ...tool, parameters: { type: 'object', ...omit(parameters, ['type']) } }
}

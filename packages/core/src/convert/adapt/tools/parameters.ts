/** Rewrites what the target would refuse in the schema of a tool's parameters. Every change is reported. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import type { FunctionTool } from '../../../model/tool.ts'
import { normalizeMeasured } from '../../../schema/dialects/normalize.ts'
import { fitItems, fitRoot } from '../../../schema/dialects/object-root.ts'
import { findOddForms, isInvalidValue } from '../../../schema/dialects/odd-forms.ts'
import { typeList } from '../../../schema/equal.ts'
import { isWithinLimits, walk } from '../../../schema/walk.ts'
import type { AdaptContext } from '../context.ts'
import { mapFunctions } from '../context.ts'

/** A new object each time, because the caller gets it and may change it. A strict tool must stay one. */
function noParameters(strict: FunctionTool['strict']): JsonObject {
  const empty = { type: 'object', properties: {} }
  return strict === true ? { ...empty, required: [], additionalProperties: false } : empty
}

export function adaptParameters(request: Request, context: AdaptContext): Request {
  return mapFunctions(request, tool => fitParameters(removeMisplacedStrict(tool, context), context))
}

/** A boolean `strict` inside the schema is misplaced. A property named `strict` is not touched. */
function removeMisplacedStrict(tool: FunctionTool, { isNative, options }: AdaptContext): FunctionTool {
  const { parameters } = tool
  if (isNative && options.misplacedStrict !== 'honour') return tool
  if (!isObject(parameters) || typeof own(parameters, 'strict') !== 'boolean') return tool
  return { ...tool, parameters: omit(parameters, ['strict']) }
}

function fitParameters(tool: FunctionTool, { profile, report, isNative }: AdaptContext): FunctionTool {
  const { parameters, parametersPath } = tool
  const { parametersRequired, soundSchemas, arrayItems } = profile
  const allowsAll = parameters === true && soundSchemas
  const isEmpty = allowsAll || (isObject(parameters) && Object.keys(parameters).length === 0)
  if ((parameters === undefined || (isEmpty && isNative)) && !parametersRequired) return tool
  if (parameters === undefined || isEmpty) {
    const message = 'The tool has no parameters; an empty object schema was sent.'
    report('parameters_defaulted', parametersPath, message)
    return { ...tool, parameters: noParameters(tool.strict) }
  }
  if (!isObject(parameters)) {
    if (!isNative) reportNotObject(parametersPath, report)
    return tool
  }
  const sound = soundSchemas ? repair(parameters, tool, arrayItems, report) : parameters
  const { schema, wrappedIn } = fitRoot(sound, profile, parametersPath, report)
  const types = typeList(own(schema, 'type'))
  if (types !== undefined && !types.includes('object') && !isNative)
    reportNotObject([...parametersPath, 'type'], report)
  if (schema === parameters) return tool
  return wrappedIn === undefined
    ? { ...tool, parameters: schema }
    : { ...tool, parameters: schema, wrappedIn }
}

function reportNotObject(path: Path, report: Report): void {
  const message = 'Parameters must be a JSON Schema whose root is of type "object".'
  report('parameters_not_object', path, message)
}

/** Forms that are not JSON Schema, and arrays without items, which not every target takes. */
function repair(
  schema: JsonObject,
  { parametersPath }: FunctionTool,
  needsItems: boolean,
  report: Report,
): JsonObject {
  const { odd, bareArrays, invalid } = findOddForms(schema)
  const isRepaired = odd || (bareArrays && needsItems)
  if (!(isRepaired || invalid) || !isWithinLimits(schema, parametersPath, report)) return schema
  if (invalid) reportInvalid(schema, parametersPath, report)
  if (!isRepaired) return schema
  const normal = odd ? normalizeMeasured(schema, parametersPath, report) : schema
  if (!isObject(normal)) return schema
  return fitItems(normal, parametersPath, needsItems, report)
}

/** It stays, because nobody can tell what it means. */
function reportInvalid(schema: JsonObject, path: Path, report: Report): void {
  walk(schema, path, (node, at) => {
    for (const keyword of Object.keys(node)) {
      if (!isInvalidValue(keyword, node[keyword])) continue
      const message = `"${keyword}" is not valid in a JSON Schema; the target will refuse it.`
      report('schema_keyword_invalid', [...at, keyword], message)
    }
  })
}

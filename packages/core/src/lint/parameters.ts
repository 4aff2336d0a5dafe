/** What providers demand of the root of a function's parameters, and the rules for the schema below it. */

import type { JsonObject } from '../json/object.ts'
import { isObject, own } from '../json/object.ts'
import type { Path } from '../model/diagnostic.ts'
import type { FunctionTool } from '../model/tool.ts'
import { type LintContext, quote, valueAt } from './context.ts'
import type { LintFix } from './finding.ts'
import { lintSchema } from './schema.ts'
import { lintStrictSchema } from './strict.ts'

const noParameters: JsonObject = { type: 'object', properties: {} }

export function lintParameters(tool: FunctionTool, context: LintContext, inNamespace: boolean): void {
  const { parameters } = tool
  if (parameters === undefined) {
    if (context.asIs) lintAbsence(tool, context, inNamespace)
    return
  }
  if (!isObject(parameters)) {
    if (context.asIs) reportNotObject(tool, context)
    return
  }
  if (Object.keys(parameters).length === 0) {
    if (context.asIs) reportEmpty(tool, context)
    return
  }
  const reported: Path[] = []
  const recording: LintContext = {
    ...context,
    add: (code, path, ...rest) => {
      reported.push(path)
      context.add(code, path, ...rest)
    },
  }
  // A conversion gives the schema the root that the target demands.
  if (context.asIs) lintRootType(tool, parameters, recording)
  lintRootKeywords(tool, parameters, recording)
  if (lintSchema(parameters, tool.parametersPath, recording)) lintStrictSchema(tool, reported, context)
}

function defaultFix({ parametersPath }: FunctionTool): LintFix {
  return { title: 'Say that there are none', edits: [{ path: parametersPath, value: noParameters }] }
}

function lintAbsence(tool: FunctionTool, context: LintContext, inNamespace: boolean): void {
  const { source, profile, limits, add } = context
  const isNull = valueAt(source, tool.parametersPath) === null
  if (isNull && !limits.nullFields) reportNotObject(tool, context, defaultFix(tool))
  if (isNull || inNamespace || !profile.parametersRequired) return
  add(
    'missing_parameters',
    tool.parametersPath,
    `${quote(tool.name)} does not say what its arguments are.`,
    'Give a schema, also when there are no arguments.',
    defaultFix(tool),
  )
}

function reportNotObject(tool: FunctionTool, { add }: LintContext, fix?: LintFix): void {
  const message = 'Parameters must be a JSON Schema object.'
  const path = tool.parametersPath
  const example = { path, value: noParameters }
  add('parameters_not_object', path, message, 'Write a schema of type "object".', fix, example)
}

function reportEmpty(tool: FunctionTool, { add }: LintContext): void {
  add(
    'missing_root_type',
    tool.parametersPath,
    'An empty schema does not say that the arguments are an object.',
    'Write {"type": "object", "properties": {}}.',
    defaultFix(tool),
  )
}

function lintRootType(tool: FunctionTool, parameters: JsonObject, context: LintContext): void {
  const { profile, add } = context
  const path = [...tool.parametersPath, 'type']
  const type = own(parameters, 'type')
  const addType: LintFix = { title: 'Say "type": "object"', edits: [{ path, value: 'object' }] }
  if (type === undefined) {
    const plain = !['$ref', ...profile.rootRefused].some(keyword => Object.hasOwn(parameters, keyword))
    const message = 'The root of the parameters does not say its type.'
    const fix = plain ? addType : undefined
    add('missing_root_type', path, message, 'Add "type": "object".', fix, { path, value: 'object' })
  } else if (type !== 'object') {
    const message = 'The root of the parameters must be of type "object".'
    const certain = Array.isArray(type) && type.includes('object')
    const remedy = 'Wrap the value in an object with one property.'
    if (certain) add('parameters_not_object', path, message, 'Leave only "object".', addType)
    else {
      const value = { type: 'object', properties: { value: parameters }, required: ['value'] }
      const example = { path: tool.parametersPath, value }
      add('parameters_not_object', path, message, remedy, undefined, example)
    }
    return
  }
  if (!profile.rootProperties || own(parameters, 'properties') !== undefined) return
  const propertiesPath = [...tool.parametersPath, 'properties']
  add(
    'missing_properties',
    propertiesPath,
    'The root of the parameters does not list its properties.',
    'Add "properties": {} when there are none.',
    { title: 'Add "properties": {}', edits: [{ path: propertiesPath, value: {} }] },
  )
}

function lintRootKeywords(tool: FunctionTool, parameters: JsonObject, context: LintContext): void {
  const { asIs, limits, profile, add } = context
  for (const keyword of asIs ? profile.rootRefused : []) {
    if (!Object.hasOwn(parameters, keyword)) continue
    add(
      'root_keyword_refused',
      [...tool.parametersPath, keyword],
      `${quote(keyword)} is refused at the root of the parameters.`,
      'Move it into a property, or describe the rule in words.',
      undefined,
      {
        path: tool.parametersPath,
        value: { type: 'object', properties: { value: { [keyword]: parameters[keyword] } } },
      },
    )
  }
  const properties = own(parameters, 'properties')
  if (limits.propertyName === null || !isObject(properties)) return
  for (const name of Object.keys(properties)) {
    if (limits.propertyName.test(name)) continue
    const legal = name.replace(/[^\w.-]/g, '_').slice(0, 64) || 'value'
    add(
      'property_name_refused',
      [...tool.parametersPath, 'properties', name],
      `The property name ${quote(name)} is refused: 1 to 64 letters, digits, "_", "." and "-" are allowed.`,
      'Rename the property, and translate it back where the tool runs.',
      undefined,
      { path: [...tool.parametersPath, 'properties', legal], value: properties[name] },
    )
  }
}

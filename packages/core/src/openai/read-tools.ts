/**
 * Reads mixed lists of tools: nested tools as on Chat, everything else as on Responses. The rules for invalid tools
 * are here, for both target wires.
 */

import { isObject, own } from '../json/object.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import type { DiagnosticCode } from '../model/diagnostic-codes.ts'
import type { ResidueEntry } from '../model/residue.ts'
import type { Tool } from '../model/tool.ts'
import { jsonTypes, typeList } from '../schema/equal.ts'
import { createValidator } from '../schema/validate/validate.ts'
import { builtInTools } from '../wires/registry.ts'
import { InvalidToolError } from './errors.ts'

/** The fixed text of each rule, by the diagnostic that reports a violation. */
const rules = {
  invalid_tool: 'Tool type must be "function"',
  unknown_type: 'Tool type must be "function"',
  missing_name: 'Tool must have function.name',
  missing_description: 'Tool must have function.description',
  parameters_not_object: 'Tool must have valid function.parameters',
  schema_keyword_invalid: 'Tool must have valid function.parameters',
  schema_type_unknown: 'Tool must have valid function.parameters',
} as const satisfies { [C in DiagnosticCode]?: string }

type RuleCode = keyof typeof rules

export interface ReadTools {
  readonly tools: Tool[]
  /** The error for the first tool that breaks a rule: it was dropped, or its schema is invalid. */
  readonly failure?: InvalidToolError
}

export interface ReadOptions {
  readonly requireDescription: boolean
  /** Drop functions whose parameters are not a schema; otherwise they stay unchanged. */
  readonly requireSchema?: boolean
  /** Keep tools of unknown types unchanged; otherwise they are dropped. */
  readonly passUnknown?: boolean
  /** The path of the list in the caller's input. */
  readonly path?: Path
}

export function readTools(list: unknown, options: ReadOptions, report: Report): ReadTools {
  const { path = [] } = options
  if (!Array.isArray(list)) {
    if (list !== undefined && list !== null) report('not_a_list', path, 'Tools must be given as a list.')
    return { tools: [] }
  }
  const tools: Tool[] = []
  let failure: InvalidToolError | undefined
  // By index, because iteration methods skip the holes of a sparse array.
  for (let index = 0; index < list.length; index++) {
    const at = [...path, index]
    const read = readTool(list[index], at, options, report)
    if (typeof read !== 'string') {
      tools.push(read)
      const code = checkSchema(read, report)
      if (code !== undefined) failure ??= new InvalidToolError(rules[code], code, index)
      continue
    }
    report('tool_dropped', at, `The tool was left out. ${rules[read]}.`)
    failure ??= new InvalidToolError(rules[read], read, index)
  }
  return failure === undefined ? { tools } : { tools, failure }
}

/** Returns the tool, or the code of the rule that it breaks, which has then been reported. */
function readTool(value: unknown, path: Path, options: ReadOptions, report: Report): Tool | RuleCode {
  if (isObject(value) && own(value, 'type') === undefined) {
    report('unknown_type', [...path, 'type'], 'The tool does not say its type.')
    return 'unknown_type'
  }
  let rule = 'invalid_tool' as RuleCode
  const watch: Report = (code, at, message) => {
    if (isRuleCode(code)) rule = code
    report(code, at, message)
  }
  const codec = isNested(value) ? builtInTools.chat : builtInTools.responses
  const tool = withoutUnsetFields(codec.decodeTool(value, path, watch))
  if (tool.kind === 'opaque') return options.passUnknown && rule === 'unknown_type' ? tool : rule
  if (tool.kind !== 'function') return tool
  if (options.requireDescription && !tool.description) {
    report('missing_description', [...tool.path, 'description'], 'The function has no description.')
    return 'missing_description'
  }
  if (options.requireSchema && tool.parameters !== undefined && !isObject(tool.parameters)) {
    report('parameters_not_object', tool.parametersPath, 'Parameters must be a JSON Schema object.')
    return 'parameters_not_object'
  }
  return tool
}

/** Servers refuse the whole request over an invalid schema. It stays, because nobody can tell what it means. */
function checkSchema(tool: Tool, report: Report): RuleCode | undefined {
  if (tool.kind !== 'function' || !isObject(tool.parameters)) return undefined
  let rule: RuleCode | undefined
  const { parameters, parametersPath } = tool
  for (const found of createValidator(parameters, { path: parametersPath }).diagnostics) {
    const { path } = found
    // Types of programming languages can be read, but no server takes them.
    const isForeign =
      found.code === 'schema_normalized' && isForeignType(parameters, path.slice(parametersPath.length))
    const code = isForeign ? 'schema_type_unknown' : found.code
    if (code !== 'schema_keyword_invalid' && code !== 'schema_type_unknown') continue
    rule ??= code
    report(code, path, `"${String(path.at(-1))}" is not valid in a JSON Schema; the server will refuse it.`)
  }
  return rule
}

function isForeignType(schema: unknown, path: Path): boolean {
  if (path.at(-1) !== 'type') return false
  const type = path.reduce<unknown>(
    (value, key) => (value as { [key: string]: unknown } | undefined)?.[key],
    schema,
  )
  return typeList(type)?.some(name => !jsonTypes.has(name.toLowerCase())) ?? false
}

function isRuleCode(code: DiagnosticCode): code is RuleCode {
  return Object.hasOwn(rules, code)
}

function isNested(value: unknown): boolean {
  return isObject(value) && (isObject(own(value, 'function')) || isObject(own(value, 'custom')))
}

/**
 * In a program's own list, a function whose `strict` is absent or `null` is not strict, in whatever shape it is
 * written. Empty fields and a misplaced `strict` are removed from the residue, or they would be restored if the
 * target is the wire that they were decoded from.
 */
function withoutUnsetFields(tool: Tool): Tool {
  if (tool.kind !== 'function') return tool
  const { strict, residue, ...rest } = tool
  return {
    ...rest,
    ...(typeof strict === 'boolean' && { strict }),
    ...(residue && { residue: { ...residue, entries: residue.entries.filter(hasValue), defaults: [] } }),
  }
}

function hasValue([, value]: ResidueEntry): boolean {
  return value !== null && value !== undefined
}

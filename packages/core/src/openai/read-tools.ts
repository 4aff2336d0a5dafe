/**
 * Reads the mixed lists that programs keep: nested tools as Chat writes them, everything else as Responses
 * does. What counts as invalid is decided here, once for both target wires.
 */

import { isObject, own } from '../json/json.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import type { DiagnosticCode } from '../model/diagnostic-codes.ts'
import type { ResidueEntry } from '../model/residue.ts'
import type { Tool } from '../model/tool.ts'
import { builtInTools } from '../wires/registry.ts'
import { InvalidToolError } from './invalid-tool-error.ts'

/** The fixed texts of the rules, by the diagnostic that reports a breach. */
const rules = {
  invalid_tool: 'Tool type must be "function"',
  unknown_type: 'Tool type must be "function"',
  missing_name: 'Tool must have function.name',
  missing_description: 'Tool must have function.description',
  parameters_not_object: 'Tool must have valid function.parameters',
} as const satisfies { [C in DiagnosticCode]?: string }

type Breach = keyof typeof rules

export interface ReadTools {
  readonly tools: Tool[]
  /** The first tool that was left out for breaking a rule. */
  readonly failure?: InvalidToolError
}

export interface ReadOptions {
  readonly requireDescription: boolean
  /** Whether a function whose parameters are no schema is left out; otherwise they pass as they are. */
  readonly requireSchema?: boolean
  /** Whether a tool of a type this library does not know passes as it is; otherwise it is left out. */
  readonly passUnknown?: boolean
  /** Where the list stands in the caller's input. */
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
  // By index, since a hole in the list is a missing tool too.
  for (let index = 0; index < list.length; index++) {
    const at = [...path, index]
    const read = readTool(list[index], at, options, report)
    if (typeof read !== 'string') {
      tools.push(read)
      continue
    }
    report('tool_dropped', at, `The tool was left out. ${rules[read]}.`)
    failure ??= new InvalidToolError(rules[read], read, index)
  }
  return failure === undefined ? { tools } : { tools, failure }
}

/** The tool, or the rule it breaks; the breach has then been reported. */
function readTool(value: unknown, path: Path, options: ReadOptions, report: Report): Tool | Breach {
  if (isObject(value) && own(value, 'type') === undefined) {
    report('unknown_type', [...path, 'type'], 'The tool does not say its type.')
    return 'unknown_type'
  }
  let breach = 'invalid_tool' as Breach
  const watch: Report = (code, at, message) => {
    if (isBreach(code)) breach = code
    report(code, at, message)
  }
  const codec = isNested(value) ? builtInTools.chat : builtInTools.responses
  const tool = withoutUnsetFields(codec.decodeTool(value, path, watch))
  if (tool.kind === 'opaque') return options.passUnknown && breach === 'unknown_type' ? tool : breach
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

function isBreach(code: DiagnosticCode): code is Breach {
  return Object.hasOwn(rules, code)
}

function isNested(value: unknown): boolean {
  return isObject(value) && (isObject(own(value, 'function')) || isObject(own(value, 'custom')))
}

/**
 * In a program's own list, a function that says nothing of `strict`, or `null`, is not strict, in whatever
 * shape it is written. Fields that say nothing, and a `strict` in the wrong place, must not come back from
 * the residue when the target happens to be the wire they were read as.
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

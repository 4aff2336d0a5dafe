/** Prepares a call before anything runs: finds its tool and parses its arguments, or refuses it. */

import { nearestNames } from '../../json/nearest-names.ts'
import type { JsonObject } from '../../json/object.ts'
import { ToolError } from '../errors.ts'
import { isToolSpec, type ToolSpec } from '../tools/tool-spec.ts'
import { type Failure, failed, thrownFailure } from './failure.ts'
import type { ToolCall } from './outcome.ts'
import { parseArguments, readArguments } from './parse-arguments.ts'
import type { CallRestorer, RunCallsOptions } from './run-options.ts'

type RunnableTool = ToolSpec & Required<Pick<ToolSpec, 'handler'>>

export interface PreparedCall {
  readonly call: ToolCall
  readonly tool: RunnableTool
  readonly repaired: boolean
  /** Returns a fresh object each time, so that no attempt sees what an earlier one did to its arguments. */
  readArguments(): JsonObject
}

export interface RefusedCall {
  readonly call: ToolCall
  readonly tool?: ToolSpec
  readonly failure: Failure
}

export type ToolIndex = ReadonlyMap<string, ToolSpec>

export function indexTools(tools: Iterable<ToolSpec>): ToolIndex {
  const index = new Map<string, ToolSpec>()
  for (const tool of tools) {
    if (!isToolSpec(tool))
      throw new ToolError(
        'invalid_definition',
        'Tools to run must be made by defineTool, or be in a ToolRegistry.',
      )
    if (index.has(tool.name))
      throw new ToolError(
        'duplicate_tool',
        `Two tools are named "${tool.name}". A call names its tool, so rename one.`,
      )
    index.set(tool.name, tool)
  }
  return index
}

export function prepareCall(
  call: ToolCall,
  tools: ToolIndex,
  { undo, repairArguments = false }: RunCallsOptions,
): PreparedCall | RefusedCall {
  try {
    const target = undo === undefined ? call : restore(call, undo)
    const tool = findTool(target, tools)
    const refuse = (failure: Failure): RefusedCall => ({ call, ...(tool && { tool }), failure })
    if (call.truncated === true) return refuse(truncatedCall)
    if (tool === undefined) return refuse(unknownTool(target, tools))
    if (!isRunnable(tool))
      return refuse(failed('no_handler', `The tool "${tool.name}" cannot be run here: it has no handler.`))
    const { parsed, source } = readArguments(target.arguments, { repair: repairArguments })
    if (!parsed.ok) return refuse(failed(parsed.code, `${parsed.message} ${correctArguments}`))
    let unused: JsonObject | undefined = parsed.value
    const freshArguments = (): JsonObject => {
      const args = unused ?? parseSource(source)
      unused = undefined
      return args
    }
    return { call, tool, repaired: parsed.repaired, readArguments: freshArguments }
  } catch (thrown) {
    return { call, failure: { ...thrownFailure(thrown), fatal: false } }
  }
}

/** The source has been parsed before and needs no repair. */
function parseSource(source: string): JsonObject {
  const parsed = parseArguments(source)
  if (parsed.ok) return parsed.value
  throw new TypeError(parsed.message)
}

export const correctArguments = 'Nothing was run. Correct the arguments and make the call again.'

const truncatedCall: Failure = failed(
  'truncated_call',
  'The answer was cut off while this call was being written, so it may be incomplete and was not run. Make the call again and make it smaller: write less at once, or split it into several calls.',
)

/** A namespace is part of the name, unless it repeats the name, as Responses does for deferred tools. */
function findTool({ name, namespace }: CallTarget, tools: ToolIndex): ToolSpec | undefined {
  return namespace === undefined || namespace === name ? tools.get(name) : undefined
}

function isRunnable(tool: ToolSpec): tool is RunnableTool {
  return tool.handler !== undefined
}

type CallTarget = Pick<ToolCall, 'name' | 'namespace' | 'arguments'>

function restore({ name, namespace, arguments: text }: ToolCall, undo: CallRestorer): CallTarget {
  const where = namespace === undefined ? {} : { namespace }
  const restored = undo.restoreCall({ kind: 'function', name, ...where, arguments: text })
  const { input } = restored
  return {
    name: restored.name,
    ...(restored.namespace !== undefined && { namespace: restored.namespace }),
    arguments: restored.arguments ?? (input === undefined ? text : JSON.stringify({ input })),
  }
}

const maxListedNames = 20

function unknownTool({ name, namespace }: CallTarget, tools: ToolIndex): Failure {
  const shown = JSON.stringify(namespace === undefined ? name : `${namespace}.${name}`)
  const near = nearestNames(String(name), tools.keys()).map(known => `"${known}"`)
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  const names = [...tools.keys()].map(known => `"${known}"`).join(', ')
  const list = tools.size === 0 ? ' There are no tools.' : ` The tools are ${names}.`
  return failed(
    'unknown_tool',
    `There is no tool named ${shown}.${hint}${tools.size <= maxListedNames ? list : ''}`,
  )
}

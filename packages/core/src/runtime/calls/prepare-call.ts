/** What can be said of a call before anything runs: which tool it means, and whether its arguments can be read. */
import type { JsonObject } from '../../json/object.ts'
import { nearest } from '../tools/near-names.ts'
import { ToolError } from '../tools/tool-error.ts'
import { isToolSpec, type ToolSpec } from '../tools/tool-spec.ts'
import { type Failure, failed, threw } from './failure.ts'
import type { ToolCall } from './outcome.ts'
import { parseArguments, readArguments } from './parse-arguments.ts'
import type { RestoresCalls, RunCallsOptions } from './run-options.ts'

type RunnableTool = ToolSpec & Required<Pick<ToolSpec, 'handler'>>

export interface PreparedCall {
  readonly call: ToolCall
  readonly tool: RunnableTool
  readonly repaired: boolean
  /** Parsed anew each time, so that no attempt sees what another one did to its arguments. */
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
    const meant = undo === undefined ? call : restore(call, undo)
    const tool = findTool(meant, tools)
    const refuse = (failure: Failure): RefusedCall => ({ call, ...(tool && { tool }), failure })
    if (call.truncated === true) return refuse(truncated)
    if (tool === undefined) return refuse(unknownTool(meant, tools))
    if (!isRunnable(tool))
      return refuse(failed('no_handler', `The tool "${tool.name}" cannot be run here: it has no handler.`))
    const { parsed, source } = readArguments(meant.arguments, { repair: repairArguments })
    if (!parsed.ok) return refuse(failed(parsed.code, `${parsed.message} ${nothingRan}`))
    let unread: JsonObject | undefined = parsed.value
    const readAnew = (): JsonObject => {
      const args = unread ?? parseAgain(source)
      unread = undefined
      return args
    }
    return { call, tool, repaired: parsed.repaired, readArguments: readAnew }
  } catch (thrown) {
    return { call, failure: { ...threw(thrown), fatal: false } }
  }
}

/** Of a text that parsed before: mending is over, and is not tried a second time. */
function parseAgain(source: string): JsonObject {
  const parsed = parseArguments(source)
  if (parsed.ok) return parsed.value
  throw new TypeError(parsed.message)
}

export const nothingRan = 'Nothing was run. Correct the arguments and make the call again.'

const truncated: Failure = failed(
  'truncated_call',
  'The answer was cut off while this call was being written, so it may be incomplete and was not run. Make the call again and make it smaller: write less at once, or split it into several calls.',
)

/** The namespace is a part of the name, unless it only repeats it, as Responses does for deferred tools. */
function findTool({ name, namespace }: Meant, tools: ToolIndex): ToolSpec | undefined {
  return namespace === undefined || namespace === name ? tools.get(name) : undefined
}

function isRunnable(tool: ToolSpec): tool is RunnableTool {
  return tool.handler !== undefined
}

type Meant = Pick<ToolCall, 'name' | 'namespace' | 'arguments'>

function restore({ name, namespace, arguments: text }: ToolCall, undo: RestoresCalls): Meant {
  const where = namespace === undefined ? {} : { namespace }
  const restored = undo.restoreCall({ kind: 'function', name, ...where, arguments: text })
  const { input } = restored
  return {
    name: restored.name,
    ...(restored.namespace !== undefined && { namespace: restored.namespace }),
    arguments: restored.arguments ?? (input === undefined ? text : JSON.stringify({ input })),
  }
}

const fewNames = 20

function unknownTool({ name, namespace }: Meant, tools: ToolIndex): Failure {
  const shown = JSON.stringify(namespace === undefined ? name : `${namespace}.${name}`)
  const near = nearest(String(name), tools.keys()).map(known => `"${known}"`)
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  const names = [...tools.keys()].map(known => `"${known}"`).join(', ')
  const list = tools.size === 0 ? ' There are no tools.' : ` The tools are ${names}.`
  return failed(
    'unknown_tool',
    `There is no tool named ${shown}.${hint}${tools.size <= fewNames ? list : ''}`,
  )
}

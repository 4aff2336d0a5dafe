/** Definitions for Responses, from a mixed list or from registered tools, with the way back for their calls. */
import type { CallUndo } from '../convert/undo/call-undo.ts'
import { createCallUndo } from '../convert/undo/call-undo.ts'
import { compact } from '../json/object.ts'
import type { Report } from '../model/diagnostic.ts'
import { isToolSpec } from '../runtime/tools/tool-spec.ts'
import { readTools } from './read-tools.ts'
import type { ToolManagerOptions } from './tool-manager-types.ts'
import type { ResponsesTool, ToolFormatOptions } from './types.ts'
import { encodeResponsesTools, fitResponsesTools } from './write-tools.ts'

export interface TransformedTools {
  readonly written: ResponsesTool[]
  readonly undo: CallUndo
}

export function transformToolList(
  tools: unknown,
  options: ToolManagerOptions,
  report: Report,
): TransformedTools {
  const { requireDescription = false, misplacedStrict, onInvalid } = options
  const read = readTools(
    toList(tools),
    { requireDescription, requireSchema: true, passUnknown: true },
    report,
  )
  if (read.failure !== undefined && onInvalid === 'throw') throw read.failure
  const fitted = fitResponsesTools(
    read.tools,
    compact({ strict: strictness(options.strict), misplacedStrict }),
    report,
  )
  const written = encodeResponsesTools(fitted, report) as ResponsesTool[]
  return { written, undo: createCallUndo(fitted) }
}

function strictness(strict: ToolManagerOptions['strict']): ToolFormatOptions['strict'] {
  if (typeof strict !== 'boolean') return strict
  return strict ? 'strictify' : 'preserve'
}

/** A registry is as good as a list. */
function toList(tools: unknown): unknown {
  const isIterable = typeof tools === 'object' && tools !== null && Symbol.iterator in tools
  return isIterable ? Array.from(tools as Iterable<unknown>, toDefinition) : tools
}

/** A tool of one's own has no type, since it can only be a function. */
function toDefinition(tool: unknown): unknown {
  if (!isToolSpec(tool)) return tool
  const { name, description, parameters, outputSchema, strict } = tool
  return compact({ type: 'function', name, description, parameters, output_schema: outputSchema, strict })
}

/**
 * The tools of a conversation: those of the request unchanged, and the program's tools adapted to the wire as
 * `encodeTools` does. `undo` restores calls to the latter.
 */

import type { ConversionContext } from '../convert/adapt/context.ts'
import { createAdaptContext } from '../convert/adapt/context.ts'
import { adaptTools } from '../convert/adapt/request-adaptations.ts'
import { adaptToolChoice } from '../convert/adapt/tools/tool-choice.ts'
import { functionOf } from '../convert/shared/tools.ts'
import type { CallUndo } from '../convert/undo/call-undo.ts'
import { createCallUndo } from '../convert/undo/call-undo.ts'
import { isObject, own } from '../json/object.ts'
import type { Report } from '../model/diagnostic.ts'
import type { Tool, ToolParams } from '../model/tool.ts'
import type { ToolSpec } from '../runtime/tools/tool-spec.ts'

export interface ConversationTools {
  readonly params: ToolParams
  readonly undo: CallUndo
  /** Names of the tools that the request itself declares. */
  readonly declared: ReadonlySet<string>
}

export function joinTools(
  declaredParams: ToolParams,
  specs: readonly ToolSpec[],
  context: ConversionContext,
  report: Report,
): ConversationTools {
  const programTools = specs.map((spec, i) => functionOf(spec, ['tools', i]))
  const { tools: adapted = [] } = adaptTools({ tools: programTools }, context, report)
  const declared = new Set(
    [...(declaredParams.tools ?? []), ...(declaredParams.additionalTools ?? [])].flatMap(namesOf),
  )
  for (const [i, tool] of adapted.entries()) checkName(tool, specs[i], declared)
  const undo = createCallUndo(adapted)
  if (adapted.length === 0) return { params: declaredParams, undo, declared }
  const tools = [...(declaredParams.tools ?? []), ...adapted]
  // The choice is the request's own, and may name a tool of the program.
  const joined = { turns: [], tools: { ...declaredParams, tools }, settings: {} }
  const native = { ...createAdaptContext(context, joined, report), isNative: true }
  const request = adaptToolChoice(joined, native)
  return { params: request.tools, undo, declared }
}

function namesOf(tool: Tool): string[] {
  switch (tool.kind) {
    case 'function':
    case 'custom':
      return [tool.name]
    case 'namespace':
      return tool.tools.flatMap(namesOf)
    case 'hosted':
      return nameIn(tool.definition)
    case 'opaque':
      return nameIn(tool.value)
  }
}

function nameIn(definition: unknown): string[] {
  const name = isObject(definition) ? own(definition, 'name') : undefined
  return typeof name === 'string' ? [name] : []
}

function checkName(tool: Tool, spec: ToolSpec | undefined, declared: ReadonlySet<string>): void {
  const [name] = namesOf(tool)
  if (name === undefined || !declared.has(name)) return
  const sent = spec?.name === name ? '' : `, which goes out as "${name}"`
  throw new TypeError(
    `The request itself declares a tool "${name}", and so does "tools" with "${spec?.name}"${sent}. Leave it out of one of them.`,
  )
}

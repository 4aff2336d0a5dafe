/**
 * The tools of a conversation: those of the request unchanged, and the program's tools adapted to the wire as
 * `encodeTools` does. `undo` restores calls to the latter.
 */

import { adaptToolParams } from '../convert/adapt/tools/adapt-tools.ts'
import { adaptToolChoice } from '../convert/adapt/tools/tool-choice.ts'
import type { ToolOptions } from '../convert/shared/options.ts'
import { functionOf } from '../convert/shared/tools.ts'
import type { CallUndo } from '../convert/undo/call-undo.ts'
import { createCallUndo } from '../convert/undo/call-undo.ts'
import { isObject, own } from '../json/object.ts'
import type { Report } from '../model/diagnostic.ts'
import type { Tool, ToolParams } from '../model/tool.ts'
import type { ToolSpec } from '../runtime/tools/tool-spec.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { programContext } from './fit-request.ts'

export interface ConversationTools {
  readonly params: ToolParams
  readonly undo: CallUndo
  /** Names of the tools that the request itself declares. */
  readonly declared: ReadonlySet<string>
}

export function joinTools(
  declaredParams: ToolParams,
  specs: readonly ToolSpec[],
  { codec, options, report }: { codec: WireConversation; options: ToolOptions; report: Report },
): ConversationTools {
  const programTools = specs.map((spec, i) => functionOf(spec, ['tools', i]))
  const context = programContext(codec, options, report)
  const { tools: adapted = [] } = adaptToolParams({ tools: programTools }, context)
  const declared = new Set(
    [...(declaredParams.tools ?? []), ...(declaredParams.additionalTools ?? [])].flatMap(namesOf),
  )
  for (const [i, tool] of adapted.entries()) checkName(tool, specs[i], declared)
  const undo = createCallUndo(adapted)
  if (adapted.length === 0) return { params: declaredParams, undo, declared }
  const tools = [...(declaredParams.tools ?? []), ...adapted]
  const params = adaptToolChoice({ ...declaredParams, tools }, tools, { ...context, sameWire: true })
  return { params, undo, declared }
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

/** References to tools in `tool_choice`: nested on Chat, flat on the other wires. */

import type { JsonObject } from '../../json/object.ts'
import { append, compact, isObject, own } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import type { ToolChoice, ToolRef } from '../../model/tool.ts'
import { FieldReader } from './field-reader.ts'
import { reportResidue } from './report-residue.ts'
import { restoreOrReport } from './residue.ts'

type RefShape = 'nested' | 'flat'

/** Decodes a reference to one of the wire's hosted tools. */
type HostedRefReader = (ref: JsonObject, path: Path) => ToolRef | undefined

/** How a wire writes references, and which of its hosted tools can be chosen. */
export interface ChoiceShape {
  readonly wire: string
  readonly shape: RefShape
  readonly decodeHostedRef?: HostedRefReader
}

/** A function or custom reference in either shape, or `undefined` when it names no tool. */
function decodeCallableRef(
  value: JsonObject,
  path: Path,
  shape: RefShape,
  wire: string,
): ToolRef | undefined {
  const kind = own(value, 'type')
  if (kind !== 'function' && kind !== 'custom') return undefined
  const outer = new FieldReader(value)
  outer.ignore('type')
  const nested = outer.object(kind)
  const fields = nested === undefined ? outer : new FieldReader(nested)
  const name = fields.string('name')
  if (name === undefined) return undefined
  const inside = nested === undefined ? [] : [kind]
  const namespace = fields.string('namespace')
  const entries: ResidueEntry[] = fields.unread(inside)
  if (nested !== undefined) append(entries, outer.unread())
  return {
    kind,
    name,
    path,
    ...compact({ namespace }),
    ...residue(wire, path, entries, movedTo(shape, inside, kind)),
  }
}

function movedTo(shape: RefShape, inside: Path, kind: string): Residue['moved'] {
  if (shape === 'nested') return inside.length === 0 ? { from: [], to: [kind] } : undefined
  return inside.length === 0 ? undefined : { from: inside, to: [] }
}

function residue(
  wire: string,
  at: Path,
  entries: ResidueEntry[],
  moved?: Residue['moved'],
): { residue?: Residue } {
  return entries.length === 0 ? {} : { residue: { wire, at, entries, ...(moved && { moved }) } }
}

/** Encodes a reference; a hosted one verbatim, unless an adaptation gave it another name. */
function encodeRef(ref: ToolRef, { wire, shape }: ChoiceShape, report: Report): JsonObject {
  if (ref.kind === 'hosted') return ref.definition ?? { type: ref.name }
  const fields = compact({ name: ref.name, namespace: ref.namespace })
  const written: Record<string, unknown> =
    shape === 'nested' ? { type: ref.kind, [ref.kind]: fields } : { type: ref.kind, ...fields }
  return restoreOrReport(written, ref.residue, wire, report)
}

/** Decodes `allowed_tools`, whose fields are one level deeper on Chat; `undefined` if a member cannot be read. */
function decodeAllowedTools(
  value: JsonObject,
  path: Path,
  { wire, shape, decodeHostedRef }: ChoiceShape,
): ToolChoice | undefined {
  const nested = own(value, 'allowed_tools')
  const inside = isObject(nested) ? ['allowed_tools'] : []
  const holder = isObject(nested) ? nested : value
  const fields = new FieldReader(holder)
  const outer = isObject(nested) ? new FieldReader(value) : fields
  outer.ignore('type')
  if (outer !== fields) outer.ignore('allowed_tools')
  const mode = fields.string('mode')
  const list = fields.list('tools')
  if ((mode !== 'auto' && mode !== 'required') || list === undefined) return undefined
  const tools = list.map((item, i) => {
    const at = [...path, ...inside, 'tools', i]
    return isObject(item)
      ? (decodeCallableRef(item, at, shape, wire) ?? decodeHostedRef?.(item, at))
      : undefined
  })
  if (!tools.every(ref => ref !== undefined)) return undefined
  const entries: ResidueEntry[] = fields.unread(inside)
  if (outer !== fields) append(entries, outer.unread())
  const moved = movedTo(shape, inside, 'allowed_tools')
  return {
    mode: 'allowed',
    required: mode === 'required',
    tools,
    path,
    ...residue(wire, path, entries, moved),
  }
}

/** The `tool_choice` of the OpenAI wires. */
export function decodeOpenAiChoice(
  value: unknown,
  path: Path,
  choice: ChoiceShape,
  report: Report,
): ToolChoice {
  const { wire, shape, decodeHostedRef } = choice
  if (value === 'auto' || value === 'none' || value === 'required') return { mode: value, path }
  if (!isObject(value)) return opaqueChoice(value, path, wire, report)
  if (own(value, 'type') === 'allowed_tools') {
    return decodeAllowedTools(value, path, choice) ?? opaqueChoice(value, path, wire, report)
  }
  const tool = decodeCallableRef(value, path, shape, wire) ?? decodeHostedRef?.(value, path)
  return tool === undefined ? opaqueChoice(value, path, wire, report) : { mode: 'tool', tool, path }
}

export function encodeOpenAiChoice(choice: ToolChoice, shape: ChoiceShape, report: Report): unknown {
  switch (choice.mode) {
    case 'tool':
      return encodeRef(choice.tool, shape, report)
    case 'allowed': {
      const mode = choice.required ? 'required' : 'auto'
      const fields = { mode, tools: choice.tools.map(ref => encodeRef(ref, shape, report)) }
      const inside = shape.shape === 'nested' ? { allowed_tools: fields } : fields
      return restoreOrReport({ type: 'allowed_tools', ...inside }, choice.residue, shape.wire, report)
    }
    case 'opaque':
      return choice.value
    default:
      if (choice.residue?.wire !== shape.wire) reportResidue(choice.residue, report)
      return choice.mode
  }
}

export function opaqueChoice(value: unknown, path: Path, wire: string, report: Report): ToolChoice {
  report(
    'invalid_tool_choice',
    path,
    'This tool choice is not one the wire defines; it reaches only its own wire.',
  )
  return { mode: 'opaque', wire, value, path }
}

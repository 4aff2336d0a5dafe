/** References to tools in `tool_choice`: nested on Chat, flat on the other wires. */

import type { JsonObject } from '../../json/object.ts'
import { append, compact, isObject, own } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import type { ToolChoice, ToolRef } from '../../model/tool.ts'
import { createFieldReader } from './field-reader.ts'
import { restoreOrReport } from './residue.ts'

export type RefShape = 'nested' | 'flat'

/** Decodes a reference to one of the wire's hosted tools. */
export type HostedRefReader = (ref: JsonObject, path: Path) => ToolRef | undefined

/** A function or custom reference in either shape, or `undefined` when it names no tool. */
export function decodeCallableRef(
  value: JsonObject,
  path: Path,
  shape: RefShape,
  wire: string,
): ToolRef | undefined {
  const kind = own(value, 'type')
  if (kind !== 'function' && kind !== 'custom') return undefined
  const outer = createFieldReader(value)
  outer.ignore('type')
  const nested = outer.object(kind)
  const fields = nested === undefined ? outer : createFieldReader(nested)
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
export function encodeRef(ref: ToolRef, shape: RefShape, wire: string, report: Report): JsonObject {
  if (ref.kind === 'hosted') return ref.definition ?? { type: ref.name }
  const fields = compact({ name: ref.name, namespace: ref.namespace })
  const written: Record<string, unknown> =
    shape === 'nested' ? { type: ref.kind, [ref.kind]: fields } : { type: ref.kind, ...fields }
  restoreOrReport(written, ref.residue, wire, report)
  return written
}

/** Decodes `allowed_tools`, whose fields are one level deeper on Chat; `undefined` if a member cannot be read. */
export function decodeAllowedTools(
  value: JsonObject,
  path: Path,
  shape: RefShape,
  wire: string,
  readHosted: HostedRefReader = () => undefined,
): ToolChoice | undefined {
  const nested = own(value, 'allowed_tools')
  const inside = isObject(nested) ? ['allowed_tools'] : []
  const holder = isObject(nested) ? nested : value
  const fields = createFieldReader(holder)
  const outer = isObject(nested) ? createFieldReader(value) : fields
  outer.ignore('type')
  if (outer !== fields) outer.ignore('allowed_tools')
  const mode = fields.string('mode')
  const list = fields.list('tools')
  if ((mode !== 'auto' && mode !== 'required') || list === undefined) return undefined
  const tools = list.map((item, i) => {
    const at = [...path, ...inside, 'tools', i]
    return isObject(item) ? (decodeCallableRef(item, at, shape, wire) ?? readHosted(item, at)) : undefined
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

export function opaqueChoice(value: unknown, path: Path, wire: string, report: Report): ToolChoice {
  report(
    'invalid_tool_choice',
    path,
    'This tool choice is not one the wire defines; it reaches only its own wire.',
  )
  return { mode: 'opaque', wire, value, path }
}

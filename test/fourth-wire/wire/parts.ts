/** What a message or an answer holds: `say` for text, `use` for calls. */

import { isObject } from '@toolwire/core/json'
import type { CallPart, Draft, JsonObject, Part, Path, Report, TextPart } from '@toolwire/core/wires'
import { createFieldReader, reportResidue, restoreOrReport } from '@toolwire/core/wires'

/** The JSON of a call's arguments, which stand as an object under `with`. */
export function decodeCall(value: unknown, path: Path): Part {
  const fields = isObject(value) ? createFieldReader(value) : undefined
  const name = fields?.string('tool')
  if (fields === undefined || name === undefined) return { kind: 'opaque', wire: 'relay', value, path }
  const id = fields.string('key')
  const input = fields.object('with')
  const call: Draft<CallPart> = {
    kind: 'call',
    form: 'function',
    name,
    input: JSON.stringify(input ?? {}),
    path,
  }
  if (id !== undefined) call.id = id
  const entries = fields.unread()
  if (entries.length > 0) call.residue = { wire: 'relay', at: path, entries }
  return call
}

export function encodeCall(call: CallPart, id: string | undefined, report: Report): JsonObject {
  const written: Record<string, unknown> = {}
  if (id !== undefined) written.key = id
  written.tool = call.name
  written.with = argumentsOf(call, report)
  restoreOrReport(written, call.residue, 'relay', report)
  return written
}

function argumentsOf({ input, path }: CallPart, report: Report): JsonObject {
  try {
    const value: unknown = JSON.parse(input === '' ? '{}' : input)
    if (isObject(value)) return value
  } catch {
    // Reported below, like any other value that is not an object.
  }
  report('arguments_not_object', path, 'The arguments of this call are not a JSON object.')
  return { text: input }
}

export interface Spoken {
  readonly say: string | undefined
  readonly use: readonly (CallPart | { readonly opaque: unknown })[]
}

/** Sorts the parts of a turn into its two fields, and reports what has a place in neither. */
export function sortParts(parts: readonly Part[], report: Report): Spoken {
  const texts: string[] = []
  const use: (CallPart | { readonly opaque: unknown })[] = []
  for (const part of parts) {
    if (part.kind === 'text' || part.kind === 'refusal') texts.push(part.text)
    else if (part.kind === 'call') use.push(part)
    else if (part.kind === 'opaque' && part.wire === 'relay') use.push({ opaque: part.value })
    else if (part.kind === 'reasoning') {
      report('reasoning_dropped', part.path, 'Relay has no place for reasoning; it was left out.')
    } else report('part_dropped', part.path, 'Relay has no place for this; it was left out.')
    if (part.kind !== 'call') reportResidue(part.residue, report)
  }
  return { say: texts.length === 0 ? undefined : texts.join(''), use }
}

export function textPart(text: string, path: Path): TextPart {
  return { kind: 'text', text, path }
}

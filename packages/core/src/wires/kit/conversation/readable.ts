/** What items and blocks that only one wire has say to a reader. Other wires are sent it as text. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject } from '../../../json/object.ts'
import type { TextPart } from '../../../model/conversation.ts'
import type { Path } from '../../../model/diagnostic.ts'
import { into } from '../../../model/diagnostic.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { jsonText } from '../json-text.ts'

/** A text in place of an item, with what the text leaves out. */
export function readableText(text: string, path: Path, left: readonly ResidueEntry[]): readonly TextPart[] {
  return [{ kind: 'text', text, path, residue: { wire: null, at: path, entries: left } }]
}

/** The item's type and its fields as JSON. Ciphertext and hints for the server are left out, and reported. */
export function readableItem(item: JsonObject, path: Path): readonly TextPart[] | undefined {
  const { type, ...fields } = item
  const left: ResidueEntry[] = []
  const json = jsonText(withoutHidden(fields, [], left, deepestHidden))
  return json === undefined ? undefined : readableText(`${type}: ${json}`, path, left)
}

/** No wire has ciphertext deeper in an item, and deeper values are not copied. */
const deepestHidden = 4

function withoutHidden(value: unknown, path: Path, left: ResidueEntry[], depth: number): unknown {
  if (depth === 0) return value
  if (Array.isArray(value)) {
    return value.map((inner, i) => withoutHidden(inner, into(path, i), left, depth - 1))
  }
  if (!isObject(value)) return value
  const shown: [string, unknown][] = []
  for (const [key, inner] of Object.entries(value)) {
    const at = into(path, key)
    if (key.startsWith('encrypted_') || key === 'cache_control') left.push([at, inner])
    else shown.push([key, withoutHidden(inner, at, left, depth - 1)])
  }
  return Object.fromEntries(shown)
}

/** What the items that only Responses has say to a reader. */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import type { Part, PartReader } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { readableItem, readableText } from '../kit/conversation/readable.ts'
import { orphans } from '../kit/residue.ts'
import { decodeImage } from './media.ts'
import { opaquePart } from './parts.ts'

/** Items about tools that are declared elsewhere, or that nobody but the provider can call. */
const unreadable: ReadonlySet<string> = new Set(['mcp_list_tools', 'tool_search_call', 'tool_search_output'])

/** The reader of a hosted item. */
export function hostedReader(type: string): PartReader | undefined {
  if (unreadable.has(type)) return undefined
  if (type === 'computer_call_output') return readScreenshot
  return type === 'image_generation_call' ? readImageCall : readableItem
}

/** A message from one agent to another, as text that names both. */
export function readAgentMessage(item: JsonObject, path: Path): readonly Part[] | undefined {
  const { type: _, author, recipient, content, ...rest } = item
  if (typeof author !== 'string' || typeof recipient !== 'string' || !Array.isArray(content)) return undefined
  const left = Object.entries(rest).map<ResidueEntry>(([key, value]) => [[key], value])
  const parts = content.map((value: unknown, i) => readContent(value, [...path, 'content', i]))
  return [...readableText(`Message from "${author}" to "${recipient}":\n\n`, path, left), ...parts]
}

/** On some wires the texts of an answer are joined, so each ends like a paragraph. */
function readContent(value: unknown, path: Path): Part {
  const text = isObject(value) ? (own(value, 'text') ?? own(value, 'refusal')) : undefined
  if (!isObject(value) || typeof text !== 'string') {
    return (isObject(value) ? decodeImage(value, path) : undefined) ?? opaquePart(value, path)
  }
  const residue = orphans(value, ['type', 'text', 'refusal'], path)
  return { kind: 'text', text: `${text}\n\n`, path, residue }
}

/** The screenshot is an image like any other. */
function readScreenshot(item: JsonObject, path: Path): readonly Part[] | undefined {
  const output = own(item, 'output')
  const image = isObject(output) ? decodeImage(output, into(path, 'output')) : undefined
  if (image === undefined) return readableItem(item, path)
  const { output: _, ...rest } = item
  return [...(readableItem(rest, path) ?? []), image]
}

/** No wire takes an image from an assistant, and as text it would be nothing but noise. */
function readImageCall(item: JsonObject, path: Path): readonly Part[] | undefined {
  const { result, ...rest } = item
  const [text] = readableItem(rest, path) ?? []
  if (text?.residue === undefined) return undefined
  const entries: readonly ResidueEntry[] = [...text.residue.entries, [['result'], result]]
  return [{ ...text, residue: { ...text.residue, entries } }]
}

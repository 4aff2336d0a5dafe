/** What the blocks that only Messages has say to a reader. */
import type { JsonObject } from '../../json/object.ts'
import { append, isObject, omit, own } from '../../json/object.ts'
import type { Part, PartReader } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { readableItem, readableText } from '../kit/conversation/readable.ts'
import { isToolChange } from './tools/tool-changes.ts'

const readers: ReadonlyMap<unknown, PartReader> = new Map<unknown, PartReader>([
  ['compaction', readCompaction],
  ['tool_reference', readToolReference],
  ['browser_state', readableItem],
])

/** The reader of a block of this type; calls that the provider ran, and their results, are read as they are. */
export function readerOf(type: unknown, isHosted: boolean): PartReader | undefined {
  return isHosted ? readableItem : readers.get(type)
}

/** Without a summary the compaction failed, and the block has no meaning. */
function readCompaction(block: JsonObject, path: Path): readonly Part[] | undefined {
  const content = own(block, 'content')
  if (typeof content !== 'string' || content === '') return undefined
  // On some wires the texts of an answer are joined, so it ends like a paragraph.
  const text = `Summary of the conversation so far:\n\n${content}\n\n`
  const left = fieldsBeside(block, ['type', 'content', 'tool_changes'])
  append(left, unappliedChanges(own(block, 'tool_changes')))
  return readableText(text, path, left)
}

/** What is left of the changes of tools, which are read with the tools. */
function unappliedChanges(changes: unknown): ResidueEntry[] {
  const at = 'tool_changes'
  if (!Array.isArray(changes)) return changes === undefined ? [] : [[[at], changes]]
  return changes.flatMap<ResidueEntry>((change: unknown, i) =>
    isObject(change) && isToolChange(change)
      ? leftOfChange(change).map(([key, value]) => [[at, i, ...key], value])
      : [[[at, i], change]],
  )
}

/** What is left of one change. */
export function leftOfChange(change: JsonObject): ResidueEntry[] {
  const tool = own(change, 'tool')
  const inner = isObject(tool) ? fieldsBeside(tool, ['type', 'name', 'definition']) : []
  return [
    ...fieldsBeside(change, ['type', 'tool']),
    ...inner.map<ResidueEntry>(([key, value]) => [['tool', ...key], value]),
  ]
}

function readToolReference(block: JsonObject, path: Path): readonly Part[] | undefined {
  const name = own(block, 'tool_name')
  if (typeof name !== 'string') return undefined
  const text = `The tool "${name}" is available.`
  return readableText(text, path, fieldsBeside(block, ['type', 'tool_name']))
}

function fieldsBeside(block: JsonObject, known: readonly string[]): ResidueEntry[] {
  return Object.entries(omit(block, known)).map(([key, value]) => [[key], value])
}

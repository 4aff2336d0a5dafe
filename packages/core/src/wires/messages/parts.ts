/** Content blocks. */

import type { Draft, JsonObject } from '../../json/object.ts'
import { append, isObject, own } from '../../json/object.ts'
import type {
  HostedPart,
  OpaquePart,
  Part,
  RefusalPart,
  ResultPart,
  TextPart,
} from '../../model/conversation.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import { into } from '../../model/diagnostic.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { encodeCacheMark, reportCache } from '../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../kit/field-reader.ts'
import type { OwnForms } from '../kit/foreign-parts.ts'
import { decodeForeignPart, mediaOf } from '../kit/foreign-parts.ts'
import { jsonText } from '../kit/json-text.ts'
import { reportResidue } from '../kit/report-residue.ts'
import { decodeAnnotations, encodeAnnotations, withoutCitations } from './annotations.ts'
import { decodeCall, encodeCall } from './calls.ts'
import { compactionOf } from './compaction.ts'
import {
  decodeBareText,
  decodeFile,
  decodeImage,
  decodeSearchResult,
  encodeFile,
  encodeImage,
} from './media.ts'
import { leftOfChange, readerOf } from './readable.ts'
import { decodeRedactedThinking, decodeThinking, encodeReasoning } from './reasoning.ts'
import type { EncodeContext } from './residue.ts'
import { messagesCacheMark, messagesResidue } from './residue.ts'
import { isToolChange } from './tools/tool-changes.ts'
import { toolsetNames } from './tools/toolsets.ts'

type BlockReader = (block: JsonObject, path: Path) => Part | undefined

/** Blocks that results may hold. A result in a result is not decoded, which limits the depth. */
const innerReaders: ReadonlyMap<unknown, BlockReader> = new Map<unknown, BlockReader>([
  ['text', decodeText],
  ['image', decodeImage],
  ['document', decodeFile],
  ['search_result', decodeSearchResult],
])

const readers: ReadonlyMap<unknown, BlockReader> = new Map<unknown, BlockReader>([
  ...innerReaders,
  ['tool_use', decodeCall],
  ['tool_result', decodeResult],
  ['thinking', decodeThinking],
  ['redacted_thinking', decodeRedactedThinking],
])

/** With `report`, blocks in the shapes of other wires are read too. */
export function decodeBlocks(blocks: readonly unknown[], path: Path, report?: Report): Part[] {
  return blocks.map((block, i) => {
    const part = decodeBlock(block, into(path, i), readers)
    return report === undefined ? part : readForeign(part, report)
  })
}

export const ownForms: OwnForms = {
  title: 'Messages',
  residue: messagesResidue,
  forms: {
    text: 'a block of type "text"',
    image: 'a block of type "image"',
    file: 'a block of type "document"',
    call: 'a block of type "tool_use"',
    result: 'a block of type "tool_result"',
  },
}

function readForeign(part: Part, report: Report): Part {
  if (part.kind === 'result') {
    const content = part.content.map(inner => (inner.kind === 'opaque' ? readForeign(inner, report) : inner))
    return content.every((inner, i) => inner === part.content[i]) ? part : { ...part, content }
  }
  if (part.kind !== 'opaque' || !isObject(part.value) || readers.has(own(part.value, 'type'))) return part
  return decodeForeignPart(part.value, part.path, ownForms, undefined, report) ?? part
}

export function decodeBlock(block: unknown, path: Path, known: typeof readers = readers): Part {
  if (typeof block === 'string') return decodeBareText(block, path)
  if (!isObject(block)) return { kind: 'opaque', wire: 'messages', value: block, path }
  const type = own(block, 'type')
  return known.get(type)?.(block, path) ?? decodeOwnBlock(type, block, path)
}

/** A block that only this wire has. */
function decodeOwnBlock(type: unknown, block: JsonObject, path: Path): HostedPart | OpaquePart {
  const hosted = typeof type === 'string' && isHosted(type)
  const read = readerOf(type, hosted)
  const part: Draft<HostedPart | OpaquePart> = hosted
    ? { kind: 'hosted', wire: 'messages', type, value: block, path }
    : { kind: 'opaque', wire: 'messages', value: block, path }
  if (read !== undefined) part.read = read
  if (part.kind === 'opaque' && isToolChange(block)) {
    part.readElsewhere = true
    part.residue = { wire: null, at: path, entries: leftOfChange(block) }
  }
  const compaction = compactionOf(block)
  if (part.kind === 'opaque' && compaction !== undefined) part.compaction = compaction
  const media = part.kind === 'opaque' ? mediaOf(block) : undefined
  if (part.kind === 'opaque' && media !== undefined) part.media = media
  return part
}

/** Calls that the provider ran, and their results, which have one type per tool. */
function isHosted(type: string): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use' || type.endsWith('_tool_result')
}

function decodeText(block: JsonObject, path: Path): TextPart | undefined {
  const fields = new FieldReader(block)
  fields.ignore('type')
  const text = fields.string('text')
  if (text === undefined) return undefined
  const part: Draft<TextPart> = { kind: 'text', text, path }
  const list = fields.list('citations')
  const left = fields.unread()
  if (list === undefined) return messagesResidue.attach(part, left)
  if (list.length === 0) return messagesResidue.attach(part, left, [[['citations'], list]])
  const { citations, entries } = decodeAnnotations(list, path)
  if (citations.length > 0) part.citations = citations
  append(left, entries)
  return messagesResidue.attach(part, left)
}

function decodeResult(block: JsonObject, path: Path): ResultPart {
  const fields = new FieldReader(block)
  fields.ignore('type')
  const part: Draft<ResultPart> = { kind: 'result', form: 'function', content: [], path }
  const callId = fields.string('tool_use_id')
  if (callId !== undefined) part.callId = callId
  const isError = fields.boolean('is_error')
  if (isError !== undefined) part.isError = isError
  const defaults: ResidueEntry[] = []
  // Its call names the toolset too.
  const toolset = own(block, 'toolset_name')
  if (typeof toolset === 'string' && toolsetNames.has(toolset)) {
    fields.ignore('toolset_name')
    defaults.push([['toolset_name'], toolset])
  }
  const content = decodeResultContent(own(block, 'content'), part, defaults)
  if (content !== undefined) {
    part.content = content
    fields.ignore('content')
  }
  return messagesResidue.attach(part, fields.unread(), defaults)
}

function decodeResultContent(
  value: unknown,
  part: Draft<ResultPart>,
  defaults: ResidueEntry[],
): Part[] | undefined {
  const path = into(part.path, 'content')
  if (Array.isArray(value)) {
    if (value.length === 0) defaults.push([['content'], value])
    return value.map((block, i) => decodeBlock(block, into(path, i), innerReaders))
  }
  const isText = typeof value === 'string'
  const text = isText || value === undefined || value === null ? value : jsonText(value)
  if (typeof text !== 'string') return undefined
  if (!isText) defaults.push([['content'], value])
  part.plain = true
  return [{ kind: 'text', text, path }]
}

/** The blocks for these parts; parts that this wire has no form for are reported. */
export function encodeBlocks(parts: readonly Part[], context: EncodeContext): unknown[] {
  const blocks: unknown[] = []
  for (const part of parts) {
    const block = encodePart(part, context)
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}

function encodePart(part: Part, context: EncodeContext): unknown {
  const { report } = context
  switch (part.kind) {
    case 'text':
      return encodeText(part, context)
    case 'refusal':
      return encodeRefusal(part, context)
    case 'image':
      return encodeImage(part, report)
    case 'file':
      return encodeFile(part, report)
    case 'call':
      return encodeCall(part, context)
    case 'result':
      return encodeResult(part, context)
    case 'reasoning':
      return encodeReasoning(part, report)
    case 'hosted':
    case 'opaque':
      if (part.wire === 'messages') return part.value
      report('part_dropped', part.path, 'Messages has no form for this; it was left out.')
      return undefined
  }
}

function encodeText(part: TextPart, context: EncodeContext): unknown {
  const { report } = context
  const kept = messagesResidue.original(part.residue)
  if (kept !== undefined) return part.text
  if (part.logprobs !== undefined && part.logprobs.length > 0) {
    report(
      'field_dropped',
      into(part.path, 'logprobs'),
      'Messages has no token probabilities; they were left out.',
    )
  }
  const citations = encodeAnnotations(part, context)
  // Servers refuse a blank text block.
  if (!context.own && part.text.trim() === '' && citations === undefined) {
    reportResidue(part.residue, report)
    reportCache(part, report)
    return undefined
  }
  const written: Record<string, unknown> = { type: 'text', text: part.text }
  if (citations !== undefined) written.citations = citations
  Object.assign(written, encodeCacheMark(part, messagesCacheMark))
  return messagesResidue.complete(written, withoutCitations(part.residue), report)
}

function encodeRefusal(part: RefusalPart, { report, answer }: EncodeContext): JsonObject {
  if (!answer?.refused) reportRefusal(part, report)
  return messagesResidue.complete({ type: 'text', text: part.text }, part.residue, report)
}

export function reportRefusal({ path }: RefusalPart, report: Report): void {
  report('field_dropped', path, 'Messages has no refusals in a message; the words are kept as text.')
}

function encodeResult(part: ResultPart, context: EncodeContext): JsonObject {
  const { callId, isError, residue, name, path } = part
  const { report } = context
  if (name !== undefined) {
    report(
      'hint_dropped',
      into(path, 'name'),
      'Messages names the tool in the call alone; the name was left out.',
    )
  }
  const content =
    messagesResidue.recorded(residue, 'content') === undefined ? resultContent(part, context) : undefined
  const written: Record<string, unknown> = { type: 'tool_result' }
  if (callId !== undefined) written.tool_use_id = callId
  if (content !== undefined) written.content = content
  if (isError !== undefined) written.is_error = isError
  Object.assign(written, encodeCacheMark(part, messagesCacheMark))
  return messagesResidue.complete(written, residue, report)
}

/** A result may be a blank text, which a message may not. */
function resultContent({ plain, content }: ResultPart, context: EncodeContext): unknown {
  const [only] = content
  if (plain && content.length === 1 && only?.kind === 'text' && only.text.trim() === '') {
    reportResidue(only.residue, context.report)
    reportCache(only, context.report)
    return only.text
  }
  return encodeContent(plain, content, context)
}

/** The parts as a bare text if nothing is lost by that, or as blocks; `undefined` if there are none. */
export function encodeContent(
  plain: boolean | undefined,
  parts: readonly Part[],
  context: EncodeContext,
): unknown {
  const [only] = parts
  if (plain && parts.length === 1 && only?.kind === 'text' && isBare(only)) return only.text
  return contentOf(plain, encodeBlocks(parts, context))
}

/** A text whose block would have no other field. */
function isBare({ text, citations, logprobs, residue, cache }: TextPart): boolean {
  if (cache !== undefined) return false
  return citations === undefined && logprobs === undefined && residue === undefined && text.trim() !== ''
}

/** A bare text if the source had one and there is only a text; `undefined` if there is nothing. */
export function contentOf(plain: boolean | undefined, blocks: readonly unknown[]): unknown {
  if (blocks.length === 0) return undefined
  const [only] = blocks
  if (!plain || blocks.length !== 1 || !isObject(only)) return blocks
  const bare = own(only, 'type') === 'text' && Object.keys(only).length === 2
  return bare ? own(only, 'text') : blocks
}

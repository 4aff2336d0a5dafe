/**
 * Writes the parts of a streamed answer as chunks. A text is written as it arrives, in the field for its kind; every
 * call has an index of its own. What a complete part holds beyond its deltas is written when it ends.
 */

import type { CallPart, Part, ReasoningPart, TextPart } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { restoreResidue } from '../../../model/residue.ts'
import type { PartDeltaEvent } from '../../../model/stream-event.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { encodeAnnotations } from '../annotations.ts'
import { beginToolCall, isFunctionCallField } from '../calls.ts'
import { reportDropped } from '../parts.ts'
import { detailsField, encodeDetails, isBareDetail, isSamePlace, textFieldOf } from '../reasoning.ts'
import { encodeMessage } from '../request/encode-message.ts'
import { chatResidue } from '../residue.ts'
import { encodeThinking, standsInContent, withoutText } from '../thinking.ts'
import type { CallTarget, ChunkEncoder, EncodePiece } from './encode-frames.ts'
import { OrderedTexts } from './ordered-texts.ts'

type OpenPart = OpenText | OpenCall

interface OpenText {
  readonly key: string
  readonly texts: OrderedTexts
  readonly encode: EncodePiece
  sent: number
  /** Of reasoning: which of its two texts is written, and the section it has reached. */
  side?: 'summary' | 'text'
  section: number
}

interface OpenCall {
  readonly key?: undefined
  readonly target: CallTarget
  readonly encode: EncodePiece
  sent: number
}

/** A text field of the message. */
interface TextField {
  readonly texts: OrderedTexts
  readonly encode: EncodePiece
  /** The path of the part that was put into it last. */
  lastPath: Path | undefined
}

const silent: Report = () => {}
const sectionBreak = '\n\n'

export class PartsEncoder {
  /** The parts that have ended, in the order of their ends. */
  readonly ended: Part[] = []
  readonly #chunks: ChunkEncoder
  readonly #newCallId: () => string
  readonly #isSealed: boolean
  readonly #report: Report
  readonly #open = new Map<number, OpenPart>()
  readonly #fields = new Map<string, TextField>()
  readonly #citations = new CitationQueue()
  /** Reasoning that has ended, and how much of it has its details written. */
  readonly #reasoned: ReasoningPart[] = []
  #detailed = 0
  #callCount = 0
  #hasFunctionCall = false

  constructor(chunks: ChunkEncoder, context: AnswerContext, report: Report) {
    this.#chunks = chunks
    this.#newCallId = () => context.newId('call_')
    this.#isSealed = context.sealsReasoning === true
    this.#report = report
  }

  start(index: number, part: Part): string {
    const before = part.kind === 'reasoning' ? '' : this.#detailsChunk()
    return before + this.#start(index, part)
  }

  #start(index: number, part: Part): string {
    if (part.kind === 'call') return this.#startCall(index, part)
    const key = keyOf(part, this.#isSealed)
    if (key === undefined) return ''
    const field = this.#fieldOf(key)
    const { texts, encode } = field
    this.#open.set(index, { key, texts, encode, sent: 0, section: 0 })
    texts.open(index, isSamePlace(part.path, field.lastPath))
    field.lastPath = part.path
    if (part.kind === 'text') this.#citations.open(index)
    return ''
  }

  delta(event: PartDeltaEvent): string {
    const part = this.#open.get(event.index)
    if (part === undefined || event.text === '') return ''
    if (part.key === undefined) {
      part.sent += event.text.length
      return part.encode(event.text, event.escapedText)
    }
    // Only reasoning has sections.
    const isReasoning = part.key !== 'content' && part.key !== 'refusal'
    const text = isReasoning ? reasoningText(part, event) : event.text
    part.sent += text.length
    const ready = part.texts.write(event.index, text)
    return part.encode(ready, ready === event.text ? event.escapedText : undefined)
  }

  end(index: number, part: Part): string {
    const head = this.#open.has(index) ? '' : this.start(index, part)
    const open = this.#open.get(index)
    this.#open.delete(index)
    this.ended.push(part)
    if (part.kind === 'reasoning') this.#reasoned.push(part)
    if (part.kind === 'text') this.#citations.close(index, part)
    reportLosses(part, open, this.#report)
    return head + this.#rest(index, part, open) + this.#logprobs(part)
  }

  /** What still waits when nothing more will come. */
  drain(): string {
    const waiting = [...this.#fields.values()].map(({ texts, encode }) => encode(texts.drain()))
    return waiting.join('') + this.#detailsChunk() + this.#citationChunk(true)
  }

  #startCall(index: number, part: CallPart): string {
    const before = this.#citationChunk()
    if (isFunctionCallField(part) && !this.#hasFunctionCall) {
      this.#hasFunctionCall = true
      this.#openCall(index, { form: 'function' })
      return before + this.#chunks.delta({ function_call: { name: part.name, arguments: '' } })
    }
    const callIndex = this.#callCount++
    this.#openCall(index, { form: part.form, index: callIndex })
    const call = { index: callIndex, ...beginToolCall(part, this.#newCallId) }
    return before + this.#chunks.delta({ tool_calls: [call] })
  }

  #openCall(index: number, target: CallTarget): void {
    this.#open.set(index, { target, encode: this.#chunks.input(target), sent: 0 })
  }

  #fieldOf(key: string): TextField {
    const known = this.#fields.get(key)
    if (known !== undefined) return known
    const texts = new OrderedTexts(key.startsWith('reasoning') ? sectionBreak : '')
    const encode = key === 'thinking' ? this.#chunks.thinking() : this.#chunks.text(key)
    const field: TextField = { texts, encode, lastPath: undefined }
    this.#fields.set(key, field)
    return field
  }

  /** What the complete part holds beyond its deltas. */
  #rest(index: number, part: Part, open: OpenPart | undefined): string {
    if (open === undefined) return ''
    if (open.key === undefined) {
      if (part.kind !== 'call') return ''
      return open.encode(part.input.slice(open.sent)) + this.#unknownFields(part, open.target)
    }
    const missing = open.texts.write(index, completeText(part, open).slice(open.sent))
    return open.encode(missing + open.texts.close(index)) + this.#unknownThinking(part, open)
  }

  #unknownThinking(part: Part, { key }: OpenText): string {
    if (key !== 'thinking' || part.kind !== 'reasoning') return ''
    const more = withoutText(encodeThinking(part, silent))
    return more === undefined ? '' : this.#orReport(this.#chunks.delta({ content: [more] }), part.path)
  }

  #unknownFields(part: CallPart, { index }: CallTarget): string {
    if (index === undefined || part.residue === undefined || !chatResidue.owns(part.residue)) return ''
    const fields: Record<string, unknown> = {}
    const { defaults: _, ...residue } = part.residue
    restoreResidue(fields, residue)
    if (Object.keys(fields).length === 0) return ''
    return this.#orReport(this.#chunks.delta({ tool_calls: [{ ...fields, index }] }), part.path)
  }

  #logprobs(part: Part): string {
    if (part.kind !== 'text' || part.logprobs === undefined || part.logprobs.length === 0) return ''
    const choice = { delta: {}, logprobs: { content: part.logprobs, refusal: null }, finish_reason: null }
    return this.#orReport(this.#chunks.choice(choice), [...part.path, 'logprobs'])
  }

  /**
   * As few as possible, because client libraries keep the last value of a field that they do not know. Therefore sealed
   * reasoning is written again with what comes later; other libraries then return it twice, which does no harm.
   */
  #detailsChunk(): string {
    const fresh = encodeDetails(this.#reasoned.slice(this.#detailed))
    this.#detailed = this.#reasoned.length
    if (Object.keys(fresh).length === 0) return ''
    const all = encodeDetails(this.#reasoned)
    const areBare = Object.values(all).every(list => list.every(isBareDetail))
    return this.#orReport(this.#chunks.delta(areBare ? all : fresh), [detailsField])
  }

  #citationChunk(all = false): string {
    const annotations = this.#citations.take(all)
    return annotations.length === 0
      ? ''
      : this.#orReport(this.#chunks.delta({ annotations }), ['annotations'])
  }

  #orReport(chunk: string, path: Path): string {
    const message = 'This is nested too deep to be written; it was left out.'
    if (chunk === '') this.#report('field_dropped', path, message)
    return chunk
  }
}

function keyOf(part: Part, isSealed: boolean): string | undefined {
  if (part.kind === 'text') return 'content'
  if (part.kind === 'refusal') return 'refusal'
  if (part.kind !== 'reasoning') return undefined
  return standsInContent(part) && !isSealed ? 'thinking' : textFieldOf(part)
}

/** Chat has one text for reasoning: the one that begins first. */
function reasoningText(part: OpenText, event: PartDeltaEvent): string {
  const side = event.summary ? 'summary' : 'text'
  part.side ??= side
  if (part.side !== side) return ''
  const breaks = Math.max(0, (event.section ?? part.section) - part.section)
  part.section += breaks
  return sectionBreak.repeat(breaks) + event.text
}

function completeText(part: Part, open: OpenText): string {
  if (part.kind === 'reasoning') return part[sideOf(part, open)].join(sectionBreak)
  return part.kind === 'text' || part.kind === 'refusal' ? part.text : ''
}

function sideOf(part: ReasoningPart, { side }: OpenText): 'summary' | 'text' {
  return side ?? (part.text.length > 0 ? 'text' : 'summary')
}

/** Reports what encoding the unstreamed answer would report about the part. */
function reportLosses(part: Part, open: OpenPart | undefined, report: Report): void {
  if (open === undefined && part.kind !== 'reasoning') {
    reportDropped(part, report)
    return
  }
  let written: Part = part
  if (part.kind === 'reasoning' && open?.key !== undefined && sideOf(part, open) === 'summary') {
    written = { ...part, text: [] }
    if (part.text.length > 0) {
      const path = [...part.path, 'text']
      report('field_dropped', path, 'Chat has one text for reasoning; the one that came second was left out.')
    }
  }
  encodeMessage({ role: 'assistant', parts: [written], root: part.path }, { newCallId: () => '' }, report)
}

/** The offsets of citations count from the start of the whole content, so each waits for the texts before its own. */
class CitationQueue {
  #queue: number[] = []
  readonly #ended = new Map<number, TextPart>()
  #offset = 0

  open(index: number): void {
    this.#queue.push(index)
  }

  close(index: number, part: TextPart): void {
    this.#ended.set(index, part)
  }

  /** The citations of ended texts that no open text precedes; with `all`, those of every ended text. */
  take(all: boolean): unknown[] {
    const open = this.#queue.findIndex(index => !this.#ended.has(index))
    const ready = all || open < 0 ? this.#queue : this.#queue.slice(0, open)
    this.#queue = this.#queue.slice(ready.length)
    const texts = ready.map(index => this.#ended.get(index)).filter(text => text !== undefined)
    const annotations = encodeAnnotations(texts, silent, this.#offset)
    for (const { text } of texts) this.#offset += text.length
    for (const index of ready) this.#ended.delete(index)
    return annotations
  }
}

/** How each kind of part becomes the frames of a block. A block is opened once it is sure to have content. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import { escapeJson } from '../../../json/text.ts'
import type { CallPart, Part, ReasoningPart, RefusalPart, TextPart } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { PartDeltaEvent } from '../../../model/stream-event.ts'
import { jsonText, parseObject } from '../../kit/json-text.ts'
import { encodeCall } from '../calls.ts'
import { encodeBlocks } from '../parts.ts'
import { encodeReasoning } from '../reasoning.ts'
import type { EncodeContext } from '../residue.ts'
import { BlockFrames } from './encode-frames.ts'

type PartDelta = Pick<PartDeltaEvent, 'text' | 'escapedText' | 'summary' | 'section'>

export interface PartEncoder {
  /** The parts before it are written. */
  open(): string
  delta(event: PartDelta): string
  /** Nothing more will come. Without the complete part, the block is closed as it is. */
  end(part?: Part): string
}

export interface PartContext {
  readonly report: Report
  newId(prefix: string): string
  /** The index of the next block. */
  nextBlock(): number
}

export function createPartEncoder(part: Part, context: PartContext): PartEncoder {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return new TextPartEncoder(part, context)
    case 'reasoning':
      return new ReasoningPartEncoder(part, context)
    case 'call':
      return new CallPartEncoder(part, context)
    default:
      return new OtherPartEncoder(context)
  }
}

const silent: Report = () => undefined

/** Refusals, and calls that were cut short, depend on the end of the answer and are reported there. */
function writeContext({ newId }: PartContext, report: Report): EncodeContext {
  return { report, own: false, answer: { newId, refused: true, cut: true } }
}

function encodeBlock(part: Part, context: PartContext, report: Report): unknown {
  return encodeBlocks([part], writeContext(context, report))[0]
}

class TextPartEncoder implements PartEncoder {
  readonly #start: TextPart | RefusalPart
  readonly #context: PartContext
  readonly #frames: BlockFrames
  /** White space before the first word. Servers and clients refuse a block without words, so it waits for one. */
  #blank: string[] = []

  constructor(start: TextPart | RefusalPart, context: PartContext) {
    this.#start = start
    this.#context = context
    this.#frames = new BlockFrames(context.nextBlock, 'text_delta', 'text')
  }

  open(): string {
    return ''
  }

  delta({ text, escapedText }: PartDelta): string {
    return this.#append(text, escapedText)
  }

  end(part?: Part): string {
    const frames = this.#frames
    if (part?.kind !== 'text' && part?.kind !== 'refusal') return frames.close()
    let out = this.#append(frames.missing(part.text))
    const isWritten = frames.isOpen && (part.kind === 'refusal' || part.citations === undefined)
    // Its text has been sent, and encoding a long one again would copy it.
    const rest = isWritten ? { ...part, text: '-' } : part
    const written = encodeBlock(rest, this.#context, this.#context.report)
    if (!frames.isOpen) {
      if (written === undefined) return ''
      out += this.#openBlock()
    }
    const citations = isObject(written) ? own(written, 'citations') : undefined
    for (const citation of Array.isArray(citations) ? citations : []) {
      out += frames.delta({ type: 'citations_delta', citation })
    }
    return out + frames.close()
  }

  #append(text: string, escaped?: string | undefined): string {
    this.#frames.count(text)
    if (this.#frames.isOpen) return this.#frames.text(text, escaped)
    this.#blank.push(text)
    return text.trim() === '' ? '' : this.#openBlock()
  }

  #openBlock(): string {
    // A block without text would not be encoded.
    const written = encodeBlock({ ...this.#start, text: '-' }, this.#context, silent)
    const text = this.#blank.join('')
    this.#blank = []
    const more = isObject(written) ? omit(written, ['citations']) : {}
    const plain = { type: 'text', text: '' }
    return this.#frames.open({ ...more, ...plain }, plain) + this.#frames.text(text)
  }
}

class ReasoningPartEncoder implements PartEncoder {
  readonly #start: ReasoningPart
  readonly #report: Report
  readonly #context: PartContext
  readonly #frames: BlockFrames
  /** There is room for one of the two texts: the one that comes first is written. */
  #side: 'text' | 'summary' | undefined
  #section = 0

  constructor(start: ReasoningPart, context: PartContext) {
    this.#start = start
    this.#report = context.report
    this.#context = context
    this.#frames = new BlockFrames(context.nextBlock, 'thinking_delta', 'thinking')
  }

  open(): string {
    return ''
  }

  delta(event: PartDelta): string {
    const side = event.summary ? 'summary' : 'text'
    this.#side ??= side
    if (side !== this.#side || event.text === '') return ''
    const section = event.section ?? this.#section
    const breaks = Math.min(Math.max(section - this.#section, 0), 100)
    this.#section = section
    if (breaks === 0) return this.#append(event.text, event.escapedText)
    return this.#append('\n\n'.repeat(breaks) + event.text)
  }

  end(part?: Part): string {
    const frames = this.#frames
    if (part?.kind !== 'reasoning') return frames.close()
    const isSummary = frames.isOpen ? this.#side === 'summary' : part.text.length === 0
    if (isSummary && part.text.length > 0) {
      const message = 'Messages shows one text of the reasoning, and the summary came first.'
      this.#report('field_dropped', [...part.path, 'text'], message)
    }
    const written = encodeReasoning(isSummary ? { ...part, text: [] } : part, this.#report)
    if (written === undefined) return frames.close()
    if (own(written, 'type') !== 'thinking') return encodeAtOnce(written, part, this.#context)
    let out = this.#append(frames.missing((isSummary ? part.summary : part.text).join('\n\n')))
    if (!frames.isOpen) out += this.#openBlock()
    const signature = own(written, 'signature')
    if (typeof signature === 'string' && signature !== '') {
      out += frames.delta({ type: 'signature_delta', signature })
    }
    return out + frames.close()
  }

  #append(text: string, escaped?: string | undefined): string {
    if (text === '') return ''
    this.#frames.count(text)
    return (this.#frames.isOpen ? '' : this.#openBlock()) + this.#frames.text(text, escaped)
  }

  #openBlock(): string {
    const { seal: _, ...unsealed } = this.#start
    const written = encodeReasoning({ ...unsealed, text: [''], summary: [] }, silent)
    const plain = { type: 'thinking', thinking: '', signature: '' }
    return this.#frames.open({ ...written, ...plain }, plain)
  }
}

/** Input that is not a JSON object is wrapped into one, under this key. */
const wrapperKeys = { custom: 'input', function: '_raw' } as const

class CallPartEncoder implements PartEncoder {
  readonly #start: CallPart
  readonly #context: PartContext
  readonly #frames: BlockFrames
  /** Whether the input goes out as it is or wrapped. The first character that is not white space decides. */
  #form: 'undecided' | 'object' | 'wrapped'
  #blank: string[] = []
  #isWrapperOpen = false

  constructor(start: CallPart, context: PartContext) {
    this.#start = start
    this.#context = context
    this.#frames = new BlockFrames(context.nextBlock, 'input_json_delta', 'partial_json')
    this.#form = start.form === 'custom' ? 'wrapped' : 'undecided'
  }

  open(): string {
    const written = encodeCall({ ...this.#start, input: '' }, writeContext(this.#context, silent))
    const plain = { type: 'tool_use', id: own(written, 'id'), name: this.#start.name, input: {} }
    return this.#frames.open({ ...written, input: {} }, plain)
  }

  delta({ text, escapedText }: PartDelta): string {
    this.#frames.count(text)
    return text === '' ? '' : this.#append(text, escapedText)
  }

  end(part?: Part): string {
    let out = ''
    if (part?.kind === 'call') {
      const missing = this.#frames.missing(part.input)
      if (missing !== '') out += this.#append(missing)
      // Only for its reports: the block itself is written already.
      encodeCall({ ...part, input: '' }, { ...writeContext(this.#context, this.#context.report), own: true })
      this.#reportInput(part)
    }
    if (this.#form === 'wrapped') {
      if (!this.#isWrapperOpen) out += this.#append('')
      out += this.#frames.text('"}')
    }
    return out + this.#frames.close()
  }

  #append(text: string, escaped?: string | undefined): string {
    if (this.#form === 'object') return this.#frames.text(text, escaped)
    if (this.#form === 'wrapped') return this.#appendWrapped(escaped ?? escapeJson(text))
    this.#blank.push(text)
    if (text.trim() === '') return ''
    const input = this.#blank.join('')
    this.#blank = []
    this.#form = input.trimStart().startsWith('{') ? 'object' : 'wrapped'
    return this.#append(input)
  }

  #appendWrapped(escaped: string): string {
    if (this.#isWrapperOpen) return this.#frames.text(escaped)
    this.#isWrapperOpen = true
    return this.#frames.text(`{"${wrapperKeys[this.#start.form]}":"${escaped}`)
  }

  #reportInput(part: CallPart): void {
    const form = this.#form
    if (form === 'undecided' || part.form === 'custom') return
    if (form === 'object' && (part.status === 'incomplete' || parseObject(part.input) !== undefined)) return
    const outcome = form === 'wrapped' ? 'their text went into "_raw"' : 'they were passed on as they came'
    const message = `The arguments are no JSON object; ${outcome}.`
    this.#context.report('arguments_not_object', part.path, message)
  }
}

/** Parts without deltas are written when they end. */
class OtherPartEncoder implements PartEncoder {
  readonly #context: PartContext

  constructor(context: PartContext) {
    this.#context = context
  }

  open(): string {
    return ''
  }

  delta(): string {
    return ''
  }

  end(part?: Part): string {
    if (part === undefined) return ''
    const written = encodeBlock(part, this.#context, this.#context.report)
    return written === undefined ? '' : encodeAtOnce(written, part, this.#context)
  }
}

/** Tool uses whose input this wire always sends in deltas. */
const inputTypes: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use'])

function encodeAtOnce(written: unknown, part: Part, context: PartContext): string {
  const frames = new BlockFrames(context.nextBlock, 'input_json_delta', 'partial_json')
  const block = isObject(written) ? written : {}
  const input = own(block, 'input')
  const isUse = inputTypes.has(own(block, 'type')) && isObject(input)
  const args = isUse && Object.keys(input).length > 0 ? jsonText(input) : ''
  const inDelta = isUse ? {} : compactionDelta(block)
  const start = isUse ? { ...block, input: {} } : { ...block, ...inDelta.start }
  const opened = args === undefined || !isObject(written) ? '' : frames.open(start)
  if (opened === '') {
    context.report('part_dropped', part.path, 'A stream of Messages has no form for this; it was left out.')
    return ''
  }
  const more = inDelta.delta === undefined ? frames.text(args ?? '') : frames.delta(inDelta.delta)
  return opened + more + frames.close()
}

/** A summary follows its block in one delta. */
function compactionDelta(block: JsonObject): { readonly start?: JsonObject; readonly delta?: JsonObject } {
  const content = own(block, 'content')
  if (own(block, 'type') !== 'compaction' || typeof content !== 'string') return {}
  const sealed = own(block, 'encrypted_content')
  const isSealed = sealed !== undefined
  return {
    start: { content: null, ...(isSealed && { encrypted_content: null }) },
    delta: { type: 'compaction_delta', content, ...(isSealed && { encrypted_content: sealed }) },
  }
}

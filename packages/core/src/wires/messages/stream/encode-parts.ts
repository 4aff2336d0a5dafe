/** How each kind of part becomes the frames of a block. A block is opened when it is sure to have something to say. */

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
import { deltaEnd, deltaStart, frame, stopFrame } from './encode-frame.ts'

export interface PartWriter {
  /** The part's turn has come. */
  open(): string
  delta(event: Pick<PartDeltaEvent, 'text' | 'escapedText' | 'summary' | 'section'>): string
  /** Nothing more will come. Without the whole part, the block is closed as it stands. */
  end(part?: Part): string
}

export interface WriterContext {
  readonly report: Report
  newId(prefix: string): string
  /** The index of the next block. */
  nextBlock(): number
}

export function createPartWriter(part: Part, context: WriterContext): PartWriter {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return textWriter(part, context)
    case 'reasoning':
      return reasoningWriter(part, context)
    case 'call':
      return callWriter(part, context)
    default:
      return wholeWriter(context)
  }
}

const mute: Report = () => undefined

/** What hangs on the end of the answer, refusals and calls cut short, is reported when the end is known. */
function writing({ newId }: WriterContext, report: Report): EncodeContext {
  return { report, own: false, answer: { newId, refused: true, cut: true } }
}

function blockOf(part: Part, context: WriterContext, report: Report): unknown {
  return encodeBlocks([part], writing(context, report))[0]
}

/** One block on its way. What is said goes out behind a prefix made once. */
function createBlock(context: WriterContext, type: string, field: string) {
  let index: number | undefined
  let prefix = ''
  let last = ''
  let sent = 0
  return {
    isOpen: () => index !== undefined,
    /** `plain` is the block without what only this wire once said of it, for when that is too deep to be written. */
    open(block: JsonObject, plain?: JsonObject): string {
      const text = jsonText(block) ?? jsonText(plain)
      if (text === undefined) return ''
      index = context.nextBlock()
      prefix = deltaStart(index, type, field)
      return `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":${text}}\n\n`
    },
    /** There may be letters for it already. */
    say: (text: string, letters?: string | undefined): string =>
      text === '' ? '' : prefix + (letters ?? escapeJson(text)) + deltaEnd,
    /** Takes note of what the source said, in its own words. */
    count(text: string): void {
      if (text === '') return
      last = text
      sent += text.length
    },
    /** What the whole text has beyond what was said. Nothing, should the two not agree: it cannot be taken back. */
    missing(whole: string): string {
      const agrees = whole.startsWith(last, sent - last.length)
      return agrees ? whole.slice(sent) : ''
    },
    add(delta: JsonObject): string {
      return frame('content_block_delta', { index, delta }) ?? ''
    },
    close: (): string => (index === undefined ? '' : stopFrame(index)),
  }
}

function textWriter(start: TextPart | RefusalPart, context: WriterContext): PartWriter {
  const block = createBlock(context, 'text_delta', 'text')
  // Servers and clients refuse a block without words, so white space waits for the first of them.
  let blank: string[] = []
  const open = (): string => {
    const written = blockOf({ ...start, text: '-' }, context, mute)
    const said = blank.join('')
    blank = []
    const more = isObject(written) ? omit(written, ['citations']) : {}
    const plain = { type: 'text', text: '' }
    return block.open({ ...more, ...plain }, plain) + block.say(said)
  }
  const delta = (text: string, letters?: string | undefined): string => {
    block.count(text)
    if (block.isOpen()) return block.say(text, letters)
    blank.push(text)
    return text.trim() === '' ? '' : open()
  }
  return {
    open: () => '',
    delta: ({ text, escapedText: letters }) => delta(text, letters),
    end(part) {
      if (part?.kind !== 'text' && part?.kind !== 'refusal') return block.close()
      let out = delta(block.missing(part.text))
      const written = blockOf(part, context, context.report)
      if (!block.isOpen()) {
        if (written === undefined) return ''
        out += open()
      }
      const citations = isObject(written) ? own(written, 'citations') : undefined
      for (const citation of Array.isArray(citations) ? citations : []) {
        out += block.add({ type: 'citations_delta', citation })
      }
      return out + block.close()
    },
  }
}

function reasoningWriter(start: ReasoningPart, context: WriterContext): PartWriter {
  const block = createBlock(context, 'thinking_delta', 'thinking')
  /** There is room for one of them; the one that comes first is shown. */
  let shown: 'text' | 'summary' | undefined
  let section = 0
  const open = (): string => {
    const { seal: _, ...unsealed } = start
    const written = encodeReasoning({ ...unsealed, text: [''], summary: [] }, mute)
    const plain = { type: 'thinking', thinking: '', signature: '' }
    return block.open({ ...written, ...plain }, plain)
  }
  const say = (text: string, letters?: string | undefined): string => {
    if (text === '') return ''
    block.count(text)
    return (block.isOpen() ? '' : open()) + block.say(text, letters)
  }
  return {
    open: () => '',
    delta(event) {
      const kind = event.summary ? 'summary' : 'text'
      shown ??= kind
      if (kind !== shown || event.text === '') return ''
      const at = event.section ?? section
      const gap = Math.min(Math.max(at - section, 0), 100)
      section = at
      return gap === 0 ? say(event.text, event.escapedText) : say('\n\n'.repeat(gap) + event.text)
    },
    end(part) {
      if (part?.kind !== 'reasoning') return block.close()
      const isSummary = block.isOpen() ? shown === 'summary' : part.text.length === 0
      const told = isSummary ? { ...part, text: [] } : part
      if (isSummary && part.text.length > 0) {
        const message = 'Messages shows one text of the reasoning, and the summary came first.'
        context.report('field_dropped', [...part.path, 'text'], message)
      }
      const written = encodeReasoning(told, context.report)
      if (written === undefined) return block.close()
      if (own(written, 'type') !== 'thinking') return writeAtOnce(written, part, context)
      let out = say(block.missing((isSummary ? part.summary : part.text).join('\n\n')))
      if (!block.isOpen()) out += open()
      const signature = own(written, 'signature')
      if (typeof signature === 'string' && signature !== '') {
        out += block.add({ type: 'signature_delta', signature })
      }
      return out + block.close()
    },
  }
}

/** A text that is no object travels inside one, under this key. */
const wrappers = { custom: 'input', function: '_raw' } as const

function callWriter(start: CallPart, context: WriterContext): PartWriter {
  const block = createBlock(context, 'input_json_delta', 'partial_json')
  const wrapper = `{"${wrappers[start.form]}":"`
  let form: 'undecided' | 'object' | 'wrapped' = start.form === 'custom' ? 'wrapped' : 'undecided'
  let blank: string[] = []
  let isWrapping = false

  const write = (text: string, letters?: string | undefined): string => {
    if (form === 'object') return block.say(text, letters)
    if (form === 'undecided') {
      blank.push(text)
      if (text.trim() === '') return ''
      const said = blank.join('')
      blank = []
      form = said.trimStart().startsWith('{') ? 'object' : 'wrapped'
      return write(said)
    }
    const escaped = letters ?? escapeJson(text)
    const out = block.say(isWrapping ? escaped : wrapper + escaped)
    isWrapping = true
    return out
  }

  const reportInput = (part: CallPart): void => {
    if (form === 'undecided' || part.form === 'custom') return
    if (form === 'object' && (part.status === 'incomplete' || parseObject(part.input) !== undefined)) return
    const fate = form === 'wrapped' ? 'their text went into "_raw"' : 'they were passed on as they came'
    context.report('arguments_not_object', part.path, `The arguments are no JSON object; ${fate}.`)
  }

  return {
    open() {
      const written = encodeCall({ ...start, input: '' }, writing(context, mute))
      const plain = { type: 'tool_use', id: own(written, 'id'), name: start.name, input: {} }
      return block.open({ ...written, input: {} }, plain)
    },
    delta({ text, escapedText: letters }) {
      block.count(text)
      return text === '' ? '' : write(text, letters)
    },
    end(part) {
      let out = ''
      if (part?.kind === 'call') {
        const missing = block.missing(part.input)
        if (missing !== '') out += write(missing)
        const silent = { ...writing(context, context.report), own: true }
        encodeCall({ ...part, input: '' }, silent)
        reportInput(part)
      }
      if (form === 'wrapped') {
        if (!isWrapping) out += write('')
        out += block.say('"}')
      }
      return out + block.close()
    },
  }
}

/** What has no deltas comes at once. */
function wholeWriter(context: WriterContext): PartWriter {
  return {
    open: () => '',
    delta: () => '',
    end(part) {
      if (part === undefined) return ''
      const written = blockOf(part, context, context.report)
      return written === undefined ? '' : writeAtOnce(written, part, context)
    },
  }
}

/** Uses of tools whose input this wire always sends in deltas. */
const inputTypes: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use'])

function writeAtOnce(written: unknown, part: Part, context: WriterContext): string {
  const block = createBlock(context, 'input_json_delta', 'partial_json')
  const value = isObject(written) ? written : {}
  const input = own(value, 'input')
  const isUse = inputTypes.has(own(value, 'type')) && isObject(input)
  const args = isUse && Object.keys(input).length > 0 ? jsonText(input) : ''
  const opened =
    args === undefined || !isObject(written) ? '' : block.open(isUse ? { ...value, input: {} } : value)
  if (opened === '') {
    context.report('part_dropped', part.path, 'A stream of Messages has no form for this; it was left out.')
    return ''
  }
  return opened + block.say(args ?? '') + block.close()
}

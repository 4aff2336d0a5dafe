/**
 * Writes the parts of a streamed answer as chunks. A text goes out as it comes, in the field that is its kind's;
 * each call counts up an index of its own. Whatever a part held that no delta said is made up for at its end.
 */

import type { CallPart, Part, ReasoningPart, TextPart } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { restoreResidue } from '../../../model/residue.ts'
import type { PartDeltaEvent } from '../../../model/stream-event.ts'
import { encodeAnnotations } from '../annotations.ts'
import { beginToolCall, isFunctionCallField } from '../calls.ts'
import { reportDropped } from '../parts.ts'
import { encodeMessage, isSamePlace } from '../request/encode-message.ts'
import { chatResidue } from '../residue.ts'
import type { ChunkWriter, InputPlace, PieceWriter } from './encode-chunk.ts'
import type { TextLane } from './ordered-texts.ts'
import { createTextLane } from './ordered-texts.ts'

export interface PartWriter {
  start(index: number, part: Part): string
  delta(event: PartDeltaEvent): string
  end(index: number, part: Part): string
  /** What still waits when nothing more will come. */
  drain(): string
  /** The parts that have ended, in order of their ends. */
  readonly parts: readonly Part[]
}

type Going = GoingText | GoingCall

interface GoingText {
  readonly key: string
  readonly lane: TextLane
  readonly write: PieceWriter
  sent: number
  /** Of reasoning: which of its two texts is told, and how far it has come. */
  side?: 'summary' | 'text'
  section: number
}

interface GoingCall {
  readonly key?: undefined
  readonly place: InputPlace
  readonly write: PieceWriter
  sent: number
}

/** The texts of one field, and how they are written. */
type OpenLane = Pick<GoingText, 'lane' | 'write'>

const silent: Report = () => {}
const gap = '\n\n'

export function createPartWriter(chunks: ChunkWriter, newCallId: () => string, report: Report): PartWriter {
  const going = new Map<number, Going>()
  const lanes = new Map<string, OpenLane>()
  const places = new Map<string, Path>()
  const citations = createCitationQueue()
  const parts: Part[] = []
  let calls = 0
  let hasFunctionCall = false

  const laneOf = (key: string): OpenLane => {
    const known = lanes.get(key)
    if (known !== undefined) return known
    const write = chunks.text(key)
    const opened: OpenLane = {
      lane: createTextLane(key.startsWith('reasoning') ? gap : ''),
      write: (text, letters) => (text === '' ? '' : write(text, letters)),
    }
    lanes.set(key, opened)
    return opened
  }
  const citationChunk = (all = false): string => {
    const annotations = citations.take(all)
    return annotations.length === 0 ? '' : orReport(chunks.delta({ annotations }), ['annotations'])
  }
  const orReport = (chunk: string, path: Path): string => {
    if (chunk === '') report('field_dropped', path, 'This is nested too deep to be written; it was left out.')
    return chunk
  }

  const goingCall = (place: InputPlace): GoingCall => ({ place, write: chunks.input(place), sent: 0 })

  const startCall = (index: number, part: CallPart): string => {
    const before = citationChunk()
    if (isFunctionCallField(part) && !hasFunctionCall) {
      hasFunctionCall = true
      going.set(index, goingCall({ form: 'function' }))
      return before + chunks.delta({ function_call: { name: part.name, arguments: '' } })
    }
    const place = { form: part.form, index: calls++ }
    going.set(index, goingCall(place))
    const call = { index: place.index, ...beginToolCall(part, newCallId) }
    return before + chunks.delta({ tool_calls: [call] })
  }

  const start = (index: number, part: Part): string => {
    if (part.kind === 'call') return startCall(index, part)
    const key = keyOf(part)
    if (key === undefined) return ''
    const { lane, write } = laneOf(key)
    going.set(index, { key, lane, write, sent: 0, section: 0 })
    lane.open(index, isSamePlace(part.path, places.get(key)))
    places.set(key, part.path)
    if (part.kind === 'text') citations.open(index)
    return ''
  }

  /** Chat has one text for reasoning: the one that is heard first. */
  const reasoningText = (part: GoingText, event: PartDeltaEvent): string => {
    const side = event.summary ? 'summary' : 'text'
    part.side ??= side
    if (part.side !== side) return ''
    const sections = Math.max(0, (event.section ?? part.section) - part.section)
    part.section += sections
    return gap.repeat(sections) + event.text
  }

  const rest = (index: number, part: Part, at: Going | undefined): string => {
    if (at === undefined) return ''
    if (at.key === undefined) {
      if (part.kind !== 'call') return ''
      const missing = part.input.slice(at.sent)
      return (missing === '' ? '' : at.write(missing)) + extras(part, at.place)
    }
    const missing = at.lane.write(index, wholeText(part, at).slice(at.sent))
    return at.write(missing + at.lane.close(index))
  }

  const extras = (part: CallPart, { index }: InputPlace): string => {
    if (index === undefined || part.residue === undefined || !chatResidue.owns(part.residue)) return ''
    const fields: Record<string, unknown> = {}
    const { defaults: _, ...residue } = part.residue
    restoreResidue(fields, residue)
    if (Object.keys(fields).length === 0) return ''
    return orReport(chunks.delta({ tool_calls: [{ ...fields, index }] }), part.path)
  }

  const logprobs = (part: Part): string => {
    if (part.kind !== 'text' || part.logprobs === undefined || part.logprobs.length === 0) return ''
    const choice = { delta: {}, logprobs: { content: part.logprobs, refusal: null }, finish_reason: null }
    return orReport(chunks.choice(choice), [...part.path, 'logprobs'])
  }

  return {
    start,
    delta(event) {
      const part = going.get(event.index)
      if (part === undefined || event.text === '') return ''
      if (part.key === undefined) {
        part.sent += event.text.length
        return part.write(event.text, event.escapedText)
      }
      // What is said or refused has no sections.
      const isPlain = part.key === 'content' || part.key === 'refusal'
      const text = isPlain ? event.text : reasoningText(part, event)
      part.sent += text.length
      const said = part.lane.write(event.index, text)
      return part.write(said, said === event.text ? event.escapedText : undefined)
    },
    end(index, part) {
      const head = going.has(index) ? '' : start(index, part)
      const at = going.get(index)
      going.delete(index)
      parts.push(part)
      if (part.kind === 'text') citations.close(index, part)
      reportUnsaid(part, at, report)
      return head + rest(index, part, at) + logprobs(part)
    },
    drain() {
      const waiting = [...lanes.values()].map(({ lane, write }) => write(lane.drain()))
      return waiting.join('') + citationChunk(true)
    },
    parts,
  }
}

function keyOf(part: Part): string | undefined {
  if (part.kind === 'text') return 'content'
  if (part.kind === 'refusal') return 'refusal'
  if (part.kind !== 'reasoning') return undefined
  return part.path.at(-1) === 'reasoning' ? 'reasoning' : 'reasoning_content'
}

function wholeText(part: Part, going: GoingText): string {
  if (part.kind === 'reasoning') return part[sideOf(part, going)].join(gap)
  return part.kind === 'text' || part.kind === 'refusal' ? part.text : ''
}

function sideOf(part: ReasoningPart, { side }: GoingText): 'summary' | 'text' {
  return side ?? (part.text.length > 0 ? 'text' : 'summary')
}

/** Says what the whole answer, written at once, would say of the part. */
function reportUnsaid(part: Part, going: Going | undefined, report: Report): void {
  if (going === undefined) {
    reportDropped(part, report)
    return
  }
  let said: Part = part
  if (part.kind === 'reasoning' && going.key !== undefined && sideOf(part, going) === 'summary') {
    said = { ...part, text: [] }
    if (part.text.length > 0) {
      const at = [...part.path, 'text']
      report('field_dropped', at, 'Chat has one text for reasoning; the one that came second was left out.')
    }
  }
  encodeMessage({ role: 'assistant', parts: [said], root: part.path }, { newCallId: () => '' }, report)
}

interface CitationQueue {
  open(index: number): void
  close(index: number, part: TextPart): void
  /** The citations of texts that have ended and before which none is open; with `all`, of every text. */
  take(all: boolean): unknown[]
}

/** Citations point into the texts set end to end, so each waits for the texts before its own. */
function createCitationQueue(): CitationQueue {
  let queue: number[] = []
  const ended = new Map<number, TextPart>()
  let offset = 0
  return {
    open: index => void queue.push(index),
    close: (index, part) => void ended.set(index, part),
    take(all) {
      const open = queue.findIndex(index => !ended.has(index))
      const ready = all || open < 0 ? queue : queue.slice(0, open)
      queue = queue.slice(ready.length)
      const texts = ready.map(index => ended.get(index)).filter(text => text !== undefined)
      const annotations = encodeAnnotations(texts, silent, offset)
      for (const { text } of texts) offset += text.length
      for (const index of ready) ended.delete(index)
      return annotations
    },
  }
}

/**
 * Reads the stream of a wire: text in, events out. Most frames of a stream repeat the one before except for a single
 * string. Those are matched in the text before frames are cut from it, and only their string is parsed: this is the
 * fast path. A decoder takes part by setting `repeats` after a frame and by accepting the texts.
 */
import type { JsonObject } from '../../json/object.ts'
import { append } from '../../json/object.ts'
import { jsonExcess } from '../../json/text.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { StreamEvent } from '../../model/stream-event.ts'
import type { FrameReader, SseFrame, SseParser } from '../../sse/sse-parser.ts'
import type {
  RepeatedField,
  StreamDecoder,
  StreamFrames,
  StreamSnapshot,
  WireConversation,
} from '../define-wire.ts'
import type { FrameTemplate } from './frame-template.ts'
import { learnTemplate } from './frame-template.ts'

/** Where frames never repeat, learning stops after this many attempts without a match. */
const maxFailedLessons = 32

/** Shorter frames are read uncounted: however they are made, that is quick. */
const longestUncounted = 64 * 1024

export interface ReaderOptions {
  /** In characters. */
  readonly longestFrame: number
  /** How many values a frame may have. */
  readonly mostNodes?: number
  /** A frame that cannot be read is skipped. Otherwise it ends the answer in an error. */
  readonly skipMalformed?: boolean
}

export class StreamReader {
  /** The number of frames that were read, without those that only keep the connection alive. */
  progress = 0
  readonly #frames: StreamFrames
  readonly #decoder: StreamDecoder
  readonly #source: FrameReader
  /** Set if the fast path can be used. */
  readonly #parser: SseParser | undefined
  readonly #longestFrame: number
  readonly #mostNodes: number
  readonly #skipMalformed: boolean
  #template: FrameTemplate | undefined
  #learnt: RepeatedField | undefined
  #failedLessons = 0
  #isBroken = false

  constructor(
    wire: WireConversation,
    report: Report,
    { longestFrame, mostNodes = Number.POSITIVE_INFINITY, skipMalformed = false }: ReaderOptions,
  ) {
    const source = wire.frames.createReader(longestFrame)
    this.#frames = wire.frames
    this.#decoder = wire.createStreamDecoder(report, { skipMalformed })
    this.#source = source
    this.#parser = this.#decoder.accept !== undefined && isParser(source) ? source : undefined
    this.#longestFrame = longestFrame
    this.#mostNodes = mostNodes
    this.#skipMalformed = skipMalformed
  }

  /** How many characters of an unfinished frame were received. */
  get pendingLength(): number {
    return this.#source.pendingLength
  }

  /** How many characters of the last text belong to finished frames. */
  get completedLength(): number {
    return this.#source.completedLength
  }

  /** Set when a frame is too long; nothing is read after that. */
  get exceeded(): string | undefined {
    return this.#source.exceeded
  }

  /** The events of the frames that this text completes. */
  read(text: string): StreamEvent[] {
    const parser = this.#parser
    if (parser === undefined) return this.readFrames(this.#source.push(text))
    parser.feed(text)
    this.#acceptRepeated(parser, text)
    let frame = parser.next()
    // Most texts hold nothing else.
    if (frame === undefined) return this.#accepted()
    const events: StreamEvent[] = []
    for (; frame !== undefined; frame = parser.next()) {
      this.#readFrame(frame, events)
      this.#acceptRepeated(parser, text)
    }
    append(events, this.#accepted())
    return events
  }

  readFrames(frames: readonly SseFrame[]): StreamEvent[] {
    const events: StreamEvent[] = []
    for (const frame of frames) this.#readFrame(frame, events)
    append(events, this.#accepted())
    return events
  }

  /** The frames that remain when the text has ended. */
  takeLastFrames(): SseFrame[] {
    return this.#source.end()
  }

  /** The source has ended: open parts are ended, and without a terminal frame the answer has failed. */
  end(): StreamEvent[] {
    return this.#isBroken ? [] : this.#decoder.end()
  }

  /** The complete answer, if the end of the stream repeats it. */
  answer(): JsonObject | undefined {
    return this.#decoder.answer?.()
  }

  snapshot(): StreamSnapshot | undefined {
    return this.#decoder.snapshot?.()
  }

  /** The fast path. The rest of the text limits how long such a frame can be. */
  #acceptRepeated(parser: SseParser, text: string): void {
    const template = this.#template
    const start = parser.position
    if (template === undefined || start < 0 || text.length - start > this.#longestFrame) return
    let at = start
    for (let end = template.matchStream(text, at); end >= 0; end = template.matchStream(text, at)) {
      at = end
      this.#accept(template)
    }
    if (at > start) parser.skipTo(at)
  }

  #accept({ text, escaped }: FrameTemplate): void {
    this.progress++
    this.#failedLessons = 0
    this.#decoder.accept?.(text, escaped)
  }

  #readFrame(frame: SseFrame, events: StreamEvent[]): void {
    if (this.#isBroken) return
    if (this.#template?.matchFrame(frame)) {
      this.#accept(this.#template)
      return
    }
    if (!this.#frames.isKeepAlive(frame)) this.progress++
    const problem = this.#excessOf(frame) ?? this.#decode(frame, events)
    if (problem === undefined) this.#learn(frame)
    else if (!this.#skipMalformed) {
      this.#isBroken = true
      events.push({ type: 'error', error: { kind: 'server', message: problem } })
    }
  }

  #decode(frame: SseFrame, events: StreamEvent[]): string | undefined {
    try {
      append(events, this.#decoder.push(frame))
      return undefined
    } catch {
      return 'An event of the stream could not be read.'
    }
  }

  /** Counted before it is parsed: to parse and convert a frame of very many values would hold up everybody else. */
  #excessOf({ data }: SseFrame): string | undefined {
    if (data.length <= longestUncounted) return undefined
    // Every level is a node as well, so this also bounds the depth.
    if (jsonExcess(data, Number.POSITIVE_INFINITY, this.#mostNodes) === undefined) return undefined
    return `An event of the stream has more than ${this.#mostNodes} values.`
  }

  #learn(frame: SseFrame): void {
    const { repeats } = this.#decoder
    if (repeats === this.#learnt || repeats === undefined) return
    this.#learnt = repeats
    this.#template = this.#failedLessons++ < maxFailedLessons ? learnTemplate(frame, repeats) : undefined
  }

  #accepted(): StreamEvent[] {
    return this.#decoder.takeEvents?.() ?? []
  }
}

function isParser(source: FrameReader): source is SseParser {
  return 'skipTo' in source
}

/** A stream that is read, restored and written anew: between two wires, or where calls have to be changed. */
import type { StreamDecoder } from '../codecs/codec.ts'
import type { ApiError } from '../model/answer.ts'
import type { JsonObject } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import type { StartEvent, StreamEvent } from '../model/stream-event.ts'
import type { SseListener, SseParser } from '../sse/sse-parser.ts'
import { createSseParser } from '../sse/sse-parser.ts'
import { createUtf8Decoder } from '../sse/utf8-decoder.ts'
import { answerEvents } from './answer-events.ts'
import type { ExchangeStream, StreamParts } from './exchange-stream.ts'
import { isIdle, limitsOf, notAnObject, serverError } from './exchange-stream.ts'
import { countsOf, createRepeatable, createStreamRecord, wholeAnswer } from './stream-record.ts'
import { createStreamRounds } from './stream-rounds.ts'

/** One answer of the upstream, from its first byte to its last. */
interface Reader {
  readonly decoder: StreamDecoder
  readonly parser: SseParser
  readonly decode: ReturnType<typeof createUtf8Decoder>
  /** The answer, when it came whole. */
  whole?: JsonObject
}

export function createTranslatedStream(parts: StreamParts): ExchangeStream {
  const { client, upstream, asked, answerId, diagnostics, report } = parts
  const { event: longest, stream: longestStream } = limitsOf(parts.limits)
  const ids = createRepeatable(asked.answerContext)
  const encoder = client.createStreamEncoder(ids.first, report)
  const record = createStreamRecord()
  const open = (): Reader => ({
    decoder: upstream.createStreamDecoder(report),
    parser: createSseParser(longest),
    decode: createUtf8Decoder(),
  })
  let reader = open()
  const rounds = createStreamRounds({
    upstream,
    asked,
    report,
    whole: () => reader.whole ?? reader.decoder.answer,
  })
  let length = 0
  let progress = 0

  const named = (start: StartEvent): StartEvent =>
    answerId === undefined ? start : { ...start, id: answerId }

  /** Nothing more is heard: the answer is over, or it waits for calls that are run here. */
  const isDeaf = (): boolean => record.finish !== undefined || rounds.waiting !== undefined

  // Texts are added up, not gathered and joined: engines keep sums of texts as such until they are written.
  const say = (events: Iterable<StreamEvent>): string => {
    let text = ''
    for (const given of events) {
      if (record.finish !== undefined) break
      const event = given.type === 'start' ? named(given) : given
      text += encoder.push(event)
      if (event.type !== 'part-delta') record.note(event)
    }
    return text
  }

  const write = (events: Iterable<StreamEvent>): string => {
    let text = ''
    for (const event of events) {
      if (isDeaf()) break
      if (event.type === 'part-delta') {
        const delta = rounds.takeDelta(event)
        if (delta !== undefined) text += encoder.push(delta)
      } else text += say(rounds.take(event))
    }
    return text
  }

  const fail = (error: ApiError): string => say([{ type: 'error', error }])

  /** What has been written since the last time. */
  let written = ''
  let skimmed = 0

  const takeSkimmed = (): void => {
    if (skimmed === 0) return
    skimmed = 0
    written += write(reader.decoder.take())
  }

  const listener: SseListener = {
    skim(text, start) {
      const end = reader.decoder.skim(text, start)
      if (end < 0) return -1
      skimmed++
      progress++
      return end
    },
    take(frame) {
      takeSkimmed()
      if (!isIdle(frame)) progress++
      written += write(reader.decoder.push(frame))
    },
  }

  /** What a peer sends must never reach the caller as an exception. */
  const read = (work: () => void): string => {
    try {
      work()
      takeSkimmed()
    } catch {
      written += fail(serverError('An event of the stream could not be read.'))
    }
    const text = written
    written = ''
    return text
  }

  /** Once the results have been given, the next answer may begin. */
  const nextRound = (): string => {
    if (rounds.waiting === undefined || rounds.held?.results === undefined) return ''
    const events = rounds.next()
    reader = open()
    return say(events)
  }

  return {
    diagnostics,
    get failure() {
      return record.failure
    },
    get finish() {
      return record.finish ?? rounds.waiting?.finish.reason
    },
    get usage() {
      return record.usage ?? (rounds.usage && countsOf(rounds.usage))
    },
    get progress() {
      return progress
    },
    get held() {
      return rounds.held?.held ?? []
    },
    calls: record.calls,
    get answer() {
      return encoder.answer ?? wholeAnswer(record, client, ids.again())
    },
    fail,
    nextRound,
    stop() {
      const { waiting } = rounds
      if (waiting === undefined || record.finish !== undefined) return ''
      return say([...rounds.next(), { ...waiting, finish: { reason: 'stop' } }])
    },
    whole(body) {
      const before = nextRound()
      if (isDeaf()) return before
      if (!isObject(body)) return before + fail(serverError(notAnObject))
      progress++
      reader.whole = body
      const answered = read(() => {
        written += write(answerEvents(upstream.decodeAnswer(body, report)))
      })
      return before + answered
    },
    push(chunk) {
      const before = nextRound()
      if (isDeaf()) return before
      length += chunk.length
      const { parser, decode } = reader
      const said = read(() => parser.tell(decode(chunk), listener))
      const limit =
        parser.exceeded ??
        (length > longestStream ? `The stream is longer than ${longestStream} characters.` : undefined)
      return before + said + (limit === undefined || isDeaf() ? '' : fail(serverError(limit)))
    },
    end() {
      if (isDeaf()) return ''
      const { parser, decode, decoder } = reader
      return read(() => {
        parser.tell(decode(undefined), listener)
        for (const frame of parser.end()) listener.take(frame)
        takeSkimmed()
        written += write(decoder.end())
      })
    },
  }
}

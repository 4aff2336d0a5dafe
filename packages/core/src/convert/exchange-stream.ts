/** One answer's stream: bytes in any cut from the upstream, text for the client as soon as it is certain. */
import type { StreamDecoder, StreamEncoder } from '../codecs/codec.ts'
import type { Diagnostic, Report } from '../model/diagnostic.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import { createSseParser, SseLimitError } from '../sse/sse-parser.ts'
import { createUtf8Decoder } from '../sse/utf8-decoder.ts'
import type { Restorer } from './restore-call-part.ts'
import { createStreamUndo } from './stream-undo.ts'

export interface ExchangeStream {
  /** A piece of the upstream's answer; gives what the client can be told by now, in whole events. */
  push(chunk: string | Uint8Array): string
  /** The upstream is at its end. */
  end(): string
  /** Why the answer failed, once it has. */
  readonly failure: string | undefined
  readonly diagnostics: Diagnostic[]
}

/** In characters. Beyond them a stream fails, in the words of the client's wire. */
export interface StreamLimits {
  /** The longest event. */
  readonly event?: number
  /** The whole stream. */
  readonly stream?: number
}

const mebi = 1024 * 1024

export function createStream(parts: {
  readonly decoder: StreamDecoder
  readonly encoder: StreamEncoder
  readonly restorer: Restorer
  readonly report: Report
  readonly diagnostics: Diagnostic[]
  readonly limits: StreamLimits
}): ExchangeStream {
  const { decoder, encoder, diagnostics } = parts
  const decode = createUtf8Decoder()
  const { event: longest = 64 * mebi, stream: whole = 1024 * mebi } = parts.limits
  const parser = createSseParser(longest)
  let length = 0
  const restore = createStreamUndo(parts.restorer, parts.report)
  let over = false
  let failure: string | undefined

  const write = (events: readonly StreamEvent[]): string => {
    const out: string[] = []
    for (const event of events.flatMap(restore)) {
      if (over) break
      out.push(encoder.push(event))
      over = event.type === 'finish' || event.type === 'error'
      if (event.type === 'error') failure = event.error.message
    }
    return out.join('')
  }

  /** A peer that sends without end is cut off, and the client is told in its own wire's words. */
  const guarded = (read: () => StreamEvent[]): string => {
    if (over) return ''
    try {
      return write(read())
    } catch (error) {
      if (!(error instanceof SseLimitError)) throw error
      return write([{ type: 'error', error: { kind: 'server', message: error.message } }])
    }
  }

  return {
    diagnostics,
    get failure() {
      return failure
    },
    push: chunk =>
      guarded(() => {
        length += chunk.length
        if (length > whole) throw new SseLimitError(`The stream is longer than ${whole} characters.`)
        return parser.push(decode(chunk)).flatMap(frame => decoder.push(frame))
      }),
    end: () =>
      guarded(() => {
        const last = [...parser.push(decode(undefined)), ...parser.end()]
        return [...last.flatMap(frame => decoder.push(frame)), ...decoder.end()]
      }),
  }
}

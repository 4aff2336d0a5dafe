/** One answer's stream: bytes in any cut from the upstream, text for the client as soon as it is certain. */
import type { StreamDecoder, StreamEncoder } from '../codecs/codec.ts'
import type { Diagnostic, Report } from '../model/diagnostic.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import type { SseFrame } from '../sse/sse-parser.ts'
import { createSseParser } from '../sse/sse-parser.ts'
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

export interface StreamParts {
  readonly decoder: StreamDecoder
  readonly encoder: StreamEncoder
  readonly restorer: Restorer
  readonly report: Report
  readonly diagnostics: Diagnostic[]
  readonly limits: StreamLimits
}

/** Beyond these a stream fails. */
function limitsOf({ event = 64 * mebi, stream = 1024 * mebi }: StreamLimits): Required<StreamLimits> {
  return { event, stream }
}

/**
 * One wire on both sides and no tool to restore: the text passes as it is, and is only watched. If it ends without an
 * end, the client is told as its wire tells it.
 */
export function createUntouchedStream({
  decoder,
  encoder,
  diagnostics,
  limits,
}: StreamParts): ExchangeStream {
  const { event: longest, stream: whole } = limitsOf(limits)
  const decode = createUtf8Decoder()
  const parser = createSseParser(longest)
  let length = 0
  let over = false
  let failure: string | undefined

  const watch = (frames: readonly SseFrame[]): void => {
    try {
      for (const event of frames.flatMap(frame => decoder.push(frame))) {
        if (event.type === 'error') failure ??= event.error.message
        over ||= event.type === 'finish' || event.type === 'error'
      }
    } catch {
      // What cannot be read here may still mean something to the client, whose wire it is.
    }
  }

  const fail = (message: string): string => {
    over = true
    failure = message
    const frames = encoder.push({ type: 'error', error: { kind: 'server', message } }).split(/(?<=\n\n)/)
    // A client that has been told something knows the beginning already.
    return (
      length === 0 ? frames : frames.slice(frames.findIndex(frame => frame.includes('"error":{')))
    ).join('')
  }

  return {
    diagnostics,
    get failure() {
      return failure
    },
    push(chunk) {
      const text = decode(chunk)
      if (over) return failure === undefined ? text : ''
      watch(parser.push(text))
      const limit =
        parser.exceeded ??
        (length + text.length > whole ? `The stream is longer than ${whole} characters.` : undefined)
      if (limit !== undefined && !over) return fail(limit)
      length += text.length
      return text
    },
    end() {
      const text = decode(undefined)
      if (over) return failure === undefined ? text : ''
      watch([...parser.push(text), ...parser.end()])
      if (over) return text
      const last = decoder.end().find(event => event.type === 'finish' || event.type === 'error')
      if (last?.type === 'finish') return text
      return (
        text +
        fail(last?.type === 'error' ? last.error.message : 'The stream ended before the answer was finished.')
      )
    },
  }
}

export function createStream(parts: StreamParts): ExchangeStream {
  const { decoder, encoder, diagnostics } = parts
  const { event: longest, stream: whole } = limitsOf(parts.limits)
  const decode = createUtf8Decoder()
  const parser = createSseParser(longest)
  const restore = createStreamUndo(parts.restorer, parts.report)
  let length = 0
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

  const fail = (message: string): string => write([{ type: 'error', error: { kind: 'server', message } }])

  /** What a peer sends must never reach the caller as an exception. */
  const read = (frames: () => SseFrame[], last: () => StreamEvent[]): string => {
    const out: string[] = []
    try {
      for (const frame of frames()) out.push(write(decoder.push(frame)))
      out.push(write(last()))
    } catch {
      return out.join('') + fail('An event of the stream could not be read.')
    }
    return out.join('')
  }

  const push = (chunk: string | Uint8Array): string => {
    if (over) return ''
    length += chunk.length
    const written = read(
      () => parser.push(decode(chunk)),
      () => [],
    )
    const limit =
      parser.exceeded ?? (length > whole ? `The stream is longer than ${whole} characters.` : undefined)
    return limit === undefined ? written : written + fail(limit)
  }

  const end = (): string => {
    if (over) return ''
    return read(
      () => [...parser.push(decode(undefined)), ...parser.end()],
      () => decoder.end(),
    )
  }

  return {
    diagnostics,
    get failure() {
      return failure
    },
    push,
    end,
  }
}

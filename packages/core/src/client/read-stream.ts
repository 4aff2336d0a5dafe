/** One streamed answer: texts and bytes are parsed, event objects are taken as they are. */

import type { JsonObject } from '../json/object.ts'
import { isObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { ApiError } from '../model/answer.ts'
import type { Report } from '../model/diagnostic.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import { untilAborted } from '../runtime/conversation/abort.ts'
import type { SignalLike } from '../runtime/host.ts'
import type { SseFrame } from '../sse/sse-parser.ts'
import { createUtf8Decoder } from '../sse/utf8-decoder.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { errorOfThrown } from './read-error.ts'

interface StreamReading {
  readonly codec: WireConversation
  readonly signal: SignalLike
  readonly tell: (event: StreamEvent) => void
  readonly report: Report
}

export interface StreamRead {
  readonly events: readonly StreamEvent[]
  /** The answer as the wire itself put it together at the end. */
  readonly summary?: JsonObject
}

/**
 * All events of the stream, told as they come. It rejects only when it is aborted or nothing came at all:
 * a stream that breaks off later is an answer that failed.
 */
export async function readStream(items: AsyncIterable<unknown>, reading: StreamReading): Promise<StreamRead> {
  const { codec, signal, tell, report } = reading
  const decoder = codec.createStreamDecoder(report)
  const toFrames = createFrames(codec)
  const events: StreamEvent[] = []
  let summary: JsonObject | undefined
  const take = (more: readonly StreamEvent[]): void => {
    for (const event of more) {
      if (isOver(events)) return
      events.push(event)
      tell(event)
    }
  }
  const iterator = items[Symbol.asyncIterator]()
  try {
    while (!isOver(events)) {
      const next = await untilAborted(iterator.next(), signal)
      const frames = next.done ? toFrames.end() : toFrames.push(next.value)
      for (const frame of frames) {
        summary = readSummary(frame, codec) ?? summary
        take(decoder.push(frame))
      }
      if (next.done) take(decoder.end())
      if (next.done) break
    }
  } catch (thrown) {
    if (signal.aborted || events.length === 0) throw thrown
    take(failWith(decoder.end(), errorOfThrown(codec, thrown)))
  } finally {
    close(iterator)
  }
  return { events, ...(summary !== undefined && { summary }) }
}

function readSummary({ event, data }: SseFrame, { habits }: WireConversation): JsonObject | undefined {
  const habit = habits.summary
  const name = habit?.events.find(each => event === each || data.includes(`"${each}"`))
  if (habit === undefined || name === undefined) return undefined
  try {
    const value: unknown = JSON.parse(data)
    const summary = isObject(value) && own(value, 'type') === name ? own(value, habit.field) : undefined
    return isObject(summary) ? summary : undefined
  } catch {
    return undefined
  }
}

/** The end of the answer has been told; some servers keep the connection open behind it. */
function isOver(events: readonly StreamEvent[]): boolean {
  const last = events.at(-1)
  return last?.type === 'finish' || last?.type === 'error'
}

/** Parts that are open are ended, and the reason is the one that is known. */
function failWith(ending: readonly StreamEvent[], failure: ReturnType<typeof errorOfThrown>): StreamEvent[] {
  const { kind, message, code, param } = failure
  const error: ApiError = {
    kind: kind === 'connection' ? 'server' : kind,
    message,
    ...(code !== undefined && { code }),
    ...(param !== undefined && { param }),
  }
  const parts = ending.filter(({ type }) => type !== 'finish' && type !== 'error')
  return [...parts, { type: 'error', error }]
}

/** Nobody waits for it: an iterator that is stuck would never come back. */
function close(iterator: AsyncIterator<unknown>): void {
  const ignore = (): void => undefined
  try {
    Promise.resolve(iterator.return?.()).then(ignore, ignore)
  } catch {
    // It was to be left alone anyway.
  }
}

interface Frames {
  push(item: unknown): SseFrame[]
  end(): SseFrame[]
}

/** In characters. */
const longestFrame = 64 * 1024 * 1024

function createFrames({ frames }: WireConversation): Frames {
  const decode = createUtf8Decoder()
  const parser = frames.createReader(longestFrame)
  const checked = (read: SseFrame[]): SseFrame[] => {
    if (parser.exceeded !== undefined) throw new Error(parser.exceeded)
    return read
  }
  return {
    push(item) {
      if (typeof item === 'string' || item instanceof Uint8Array) return checked(parser.push(decode(item)))
      if (!isObject(item)) throw new TypeError(`A stream gave ${show(item)} in the place of an event.`)
      const type = own(item, 'type')
      return [{ ...(typeof type === 'string' && { event: type }), data: JSON.stringify(item) }]
    },
    end() {
      return [...checked(parser.push(decode(undefined))), ...parser.end()]
    },
  }
}

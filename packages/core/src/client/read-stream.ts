/** Reads one streamed answer. Strings and bytes are parsed as frames; event objects are used as they are. */

import type { JsonObject } from '../json/object.ts'
import { compact, isObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { ApiError } from '../model/answer.ts'
import type { Report } from '../model/diagnostic.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import { untilAborted } from '../runtime/conversation/abort.ts'
import type { SignalLike } from '../runtime/host.ts'
import type { SseFrame } from '../sse/sse-parser.ts'
import { createUtf8Decoder } from '../sse/utf8-decoder.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { StreamReader } from '../wires/fast-path/stream-reader.ts'
import { errorOfThrown } from './read-error.ts'

interface StreamReading {
  readonly codec: WireConversation
  readonly signal: SignalLike
  readonly onEvent: (event: StreamEvent) => void
  readonly report: Report
}

export interface StreamRead {
  readonly events: readonly StreamEvent[]
  /** The complete answer that the wire repeats at the end of the stream. */
  readonly summary?: JsonObject
}

/**
 * Reads all events of a stream and passes them on as they arrive. It rejects only if it is aborted or no event
 * arrived; a stream that breaks off later is a failed answer.
 */
export async function readStream(items: AsyncIterable<unknown>, reading: StreamReading): Promise<StreamRead> {
  const { codec, signal, onEvent, report } = reading
  const reader = new StreamReader(codec, report, { longestFrame })
  const decode = createUtf8Decoder()
  const events: StreamEvent[] = []
  const take = (more: readonly StreamEvent[]): void => {
    for (const event of more) {
      if (isOver(events)) return
      events.push(event)
      onEvent(event)
    }
  }
  const iterator = items[Symbol.asyncIterator]()
  try {
    while (!isOver(events)) {
      const next = await untilAborted(iterator.next(), signal)
      if (next.done) {
        take(reader.read(decode(undefined)))
        take(reader.readFrames(reader.takeLastFrames()))
        take(reader.end())
        break
      }
      take(isText(next.value) ? reader.read(decode(next.value)) : reader.readFrames([frameOf(next.value)]))
      if (reader.exceeded !== undefined) throw new Error(reader.exceeded)
    }
  } catch (thrown) {
    if (signal.aborted || events.length === 0) throw thrown
    take(failWith(reader.end(), errorOfThrown(codec, thrown)))
  } finally {
    close(iterator)
  }
  return { events, ...compact({ summary: reader.answer() }) }
}

/** True after the last event. Some servers keep the connection open after it. */
function isOver(events: readonly StreamEvent[]): boolean {
  const last = events.at(-1)
  return last?.type === 'finish' || last?.type === 'error'
}

/** Ends open parts, and replaces the decoder's error by the actual cause. */
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

/** Does not wait for `return`, which would never settle on a stuck iterator. */
function close(iterator: AsyncIterator<unknown>): void {
  const ignore = (): void => undefined
  try {
    Promise.resolve(iterator.return?.()).then(ignore, ignore)
  } catch {
    // The iterator is not used any more, so its error does not matter.
  }
}

/** In characters. */
const longestFrame = 64 * 1024 * 1024

function isText(item: unknown): item is string | Uint8Array {
  return typeof item === 'string' || item instanceof Uint8Array
}

/** The frame of an event that the caller's client has parsed. */
function frameOf(item: unknown): SseFrame {
  if (!isObject(item)) throw new TypeError(`A stream contained ${show(item)} instead of an event.`)
  const type = own(item, 'type')
  return { ...(typeof type === 'string' && { event: type }), data: JSON.stringify(item) }
}

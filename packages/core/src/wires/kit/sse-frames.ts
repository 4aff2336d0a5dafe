/** Server-sent events as the frames of a stream. All built-in wires use them. */
import type { SseFrame } from '../../sse/sse-parser.ts'
import { createSseParser } from '../../sse/sse-parser.ts'
import { createWholeEvents } from '../../sse/whole-events.ts'
import type { StreamFrames } from '../define-wire.ts'

const keepAliveEvents: ReadonlySet<string | undefined> = new Set(['ping', 'keepalive'])
const keepAliveData = /^\s*\{\s*"type"\s*:\s*"(?:ping|keepalive)"/

/** A longer event carries something, whatever it begins with. */
const longestKeepAlive = 80

/** Frames that are server-sent events. */
export const sseFrames: StreamFrames = {
  contentType: 'text/event-stream',
  createReader: createSseParser,
  keepAlive: ': keep-alive\n\n',
  isKeepAlive: ({ event, data }: SseFrame) =>
    keepAliveEvents.has(event) ||
    (data.length < longestKeepAlive && (keepAliveData.test(data) || data.trim() === '')),
  comment: text => `: ${text.replaceAll(/[\r\n]+/g, ' ')}\n\n`,
  createGate: createWholeEvents,
  terminator: '\n\n',
}

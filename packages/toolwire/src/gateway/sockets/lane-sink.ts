/** The client's end of one response on a socket: each event of the stream becomes a message. */

import { createJsonMeter, isObject, jsonString, parseJson } from '@toolwire/core/json'
import type { FrameReader } from '@toolwire/core/wires'
import type { HeaderMap, MessageSocket, Sink } from '../http/contract.ts'
import { scanMembers } from '../http/json-members.ts'
import { interruptAccepted } from '../responses-api/interrupted.ts'
import { errorMessage } from './error-message.ts'

export interface LaneSinkOptions {
  readonly socket: Pick<MessageSocket, 'send' | 'ping' | 'cut'>
  readonly lane: string | undefined
  /** Divides the text of a stream into events. */
  readonly reader: FrameReader
  /** Called with the first event of the response. */
  onBegun(id: string | undefined): void
  /** Called before the client gets to know that the response failed. */
  onFailed(): void
  /** Called when the response has ended because the client interrupted it. */
  onInterrupted(): void
}

/** Bytes that may wait for a slow reader before the upstream has to wait too. */
const highWaterMark = 64 * 1024

/** Messages end with one of these. They are sent when all work on the response is done, so that it can be continued. */
const lastEvents: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
])

/** Headers of the answer that are about this response, and not about the connection. */
const ownHeader = /^(?:x-request-id|x-toolwire-.+|retry-after(?:-ms)?|x-ratelimit-.+|x-should-retry)$/

export class LaneSink implements Sink {
  readonly #options: LaneSinkOptions
  #status = 200
  #headers: Record<string, string> = {}
  #isStream = false
  #hasBegun = false
  /** What is not a stream. */
  #body = ''
  #last: string | undefined
  #isEnded = false
  #waiting = 0
  #onDrain: (() => void) | undefined

  constructor(options: LaneSinkOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#waiting
  }

  head(status: number, headers: HeaderMap): void {
    this.#status = status
    this.#isStream = status < 300 && !(headers['content-type'] ?? '').startsWith('application/json')
    this.#headers = Object.fromEntries(Object.entries(headers).filter(([name]) => ownHeader.test(name)))
  }

  write(chunk: string | Uint8Array): boolean {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    if (this.#isStream) this.#writeStream(text)
    else this.#body += text
    return this.#waiting < highWaterMark
  }

  end(chunk?: string | Uint8Array): void {
    if (chunk !== undefined) this.write(chunk)
    this.#isEnded = true
    if (this.#isStream) {
      for (const { event, data } of this.#options.reader.end()) this.#event(event, data)
    } else this.#refuse()
    if (this.#last !== undefined) this.#send(this.#last)
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback
    this.#checkDrain()
  }

  cut(): void {
    this.#options.socket.cut()
  }

  #writeStream(text: string): void {
    const events = this.#options.reader.push(text)
    for (const { event, data } of events) this.#event(event, data)
    // A comment that keeps a stream alive: sockets have pings for that.
    if (events.length === 0 && text.startsWith(':')) this.#options.socket.ping()
  }

  #event(name: string | undefined, data: string): void {
    if (data === '' || data === '[DONE]') return
    const type = name ?? typeOf(data)
    if (!this.#hasBegun) this.#options.onBegun(responseIdOf(data))
    if (type === 'response.failed' || type === 'error') this.#options.onFailed()
    if (type === interruptAccepted) this.#options.onInterrupted()
    const message = this.#withOwn(data)
    if (lastEvents.has(type)) this.#last = message
    else this.#send(message)
  }

  /** The first event says what headers would have said. */
  #withOwn(data: string): string {
    const { lane } = this.#options
    const own = [
      ...(lane === undefined ? [] : [`"stream_id":${jsonString(lane)},`]),
      ...(this.#hasBegun ? [] : [`"headers":${JSON.stringify(this.#headers)},`]),
    ].join('')
    this.#hasBegun = true
    return own === '' || !/^\{\s*"/.test(data) ? data : `{${own}${data.slice(1)}`
  }

  #refuse(): void {
    this.#options.onFailed()
    const body = parseJson(this.#body)
    const error = isObject(body) && isObject(body.error) ? body.error : { message: this.#body }
    this.#send(
      errorMessage({ status: this.#status, error, headers: this.#headers, lane: this.#options.lane }),
    )
  }

  #send(text: string): void {
    // Nearly all of it is ASCII, and nothing depends on the exact number.
    this.#waiting += text.length
    this.#options.socket.send(text, length => {
      this.#waiting -= length
      this.#checkDrain()
    })
  }

  #checkDrain(): void {
    if (this.#onDrain === undefined || this.#waiting >= (this.#isEnded ? 1 : highWaterMark)) return
    const callback = this.#onDrain
    this.#onDrain = undefined
    callback()
  }
}

/** Wherever in the response it stands: some servers write the names of all fields in the order of the alphabet. */
function responseIdOf(data: string): string | undefined {
  const response = memberOf(data, 'response')
  const id = parseJson((response && memberOf(response, 'id')) ?? '')
  return typeof id === 'string' ? id : undefined
}

/** The JSON of a member, without parsing what stands beside it. */
function memberOf(text: string, name: string): string | undefined {
  let found: string | undefined
  scanMembers(text, createJsonMeter(Number.POSITIVE_INFINITY), (key, _, start, end) => {
    if (key === name) found = text.slice(start, end)
    return key !== name
  })
  return found
}

/** For upstreams that do not name their events. */
function typeOf(data: string): string {
  const event = parseJson(data)
  return isObject(event) && typeof event.type === 'string' ? event.type : ''
}

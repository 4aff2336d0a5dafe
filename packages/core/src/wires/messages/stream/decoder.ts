/** A stream's frames as events. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import type { ApiError, Finish } from '../../../model/answer.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { finishEvent, startEvent } from '../../../model/stream-event.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'
import type { StreamDecoder } from '../../define-wire.ts'
import { createRepeatedDelta } from '../../fast-path/repeated-delta.ts'
import { parseObject } from '../../kit/json-text.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { decodeEnvelope } from '../answer/answer.ts'
import { decodeErrorAnswer, isErrorBody } from '../answer/errors.ts'
import { decodeFinishReason } from '../answer/finish.ts'
import { createEnvelope } from './envelope.ts'
import type { StreamParts } from './part-tracker.ts'
import { createStreamParts } from './part-tracker.ts'

interface TextDelta {
  /** The field that holds the text. */
  readonly key: string
  read(parts: StreamParts, index: number, text: string): void
}

/** Deltas that add to a text. */
const textOfDelta: ReadonlyMap<unknown, TextDelta> = new Map<unknown, TextDelta>([
  ['text_delta', { key: 'text', read: (parts, index, text) => parts.say(index, 'text', text) }],
  ['thinking_delta', { key: 'thinking', read: (parts, index, text) => parts.say(index, 'thinking', text) }],
  ['input_json_delta', { key: 'partial_json', read: (parts, index, text) => parts.writeInput(index, text) }],
])

const endedEarly = 'The stream ended before the answer was complete.'

export function createStreamDecoder(report: Report): StreamDecoder {
  const envelope = createEnvelope()
  const repeated = createRepeatedDelta()
  const parts = createStreamParts(emit, repeated, report)
  let events: StreamEvent[] = []
  let count = 0
  let started = false
  let done = false

  function emit(event: StreamEvent): void {
    begin()
    events.push(event)
  }

  function begin(message: JsonObject = {}): void {
    if (started) return
    started = true
    const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
    events.push(startEvent(text(own(message, 'id')), text(own(message, 'model'))))
  }

  function readMessage(message: JsonObject): void {
    envelope.addMessage(message)
    const content = own(message, 'content')
    const blocks = started || !Array.isArray(content) ? [] : content.filter(isObject)
    begin(message)
    for (const block of blocks) parts.addWhole(block)
  }

  function finish(): void {
    // Some never say how they ended. When nothing breaks off they have ended well.
    const isUnsaid = !envelope.hasDelta()
    if (isUnsaid && !(parts.hasParts() && parts.isWhole())) {
      fail({ kind: 'server', message: endedEarly })
      return
    }
    parts.endAll(decodeFinishReason(envelope.stopReason(), parts.hasCalls()) === 'length' ? 'cut' : 'done')
    const { finish, usage, residue } = decodeEnvelope(envelope.body(), parts.hasCalls())
    const inferred: Finish = { ...finish, reason: parts.hasCalls() ? 'calls' : 'stop' }
    const reason = isUnsaid && finish.reason === 'unfinished' ? inferred : finish
    emit(finishEvent(reason, usage, residue))
    done = true
  }

  function fail(error: ApiError): void {
    parts.endAll('failed')
    emit({ type: 'error', error })
    done = true
  }

  function failWith(body: JsonObject): void {
    // Some leave out the frame around the error.
    const bare = own(body, 'type') === 'error' ? omit(body, ['type']) : body
    const { error, residue } = decodeErrorAnswer(own(body, 'error') === undefined ? { error: bare } : body)
    reportResidue(residue, report)
    fail(error ?? { kind: 'server', message: endedEarly })
  }

  function readBody(type: unknown, body: JsonObject): void {
    const at = own(body, 'index')
    const index = isIndex(at) ? at : undefined
    switch (type) {
      case 'message_start': {
        const message = own(body, 'message')
        readMessage(isObject(message) ? message : {})
        break
      }
      case 'content_block_start': {
        const block = own(body, 'content_block')
        if (isObject(block)) parts.startBlock(index, block)
        break
      }
      case 'content_block_delta': {
        const delta = own(body, 'delta')
        if (isObject(delta)) parts.readDelta(index, delta)
        break
      }
      case 'content_block_stop':
        parts.endBlock(index)
        break
      case 'message_delta':
        envelope.addDelta(body)
        break
      case 'message_stop':
        finish()
        break
      case 'ping':
        break
      default:
        if (isErrorBody(body)) failWith(body)
    }
  }

  function read({ event, data }: SseFrame): void {
    const text = data.trim()
    if (text === '' || event === 'ping') return
    if (text === '[DONE]') finish()
    else if (event === 'error') failWith(parseObject(text) ?? { error: text })
    else readText(text, event)
  }

  function readText(text: string, event: string | undefined): void {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      fail({ kind: 'server', message: `Event ${count} of the stream is not JSON.` })
      return
    }
    if (!isObject(body)) return
    readBody(own(body, 'type') ?? event, body)
    learn(body, event === undefined ? { data: text } : { data: text, event })
  }

  /** A piece of a block's text, and nothing beside it. */
  function learn(body: JsonObject, frame: SseFrame): void {
    const index = own(body, 'index')
    const delta = own(body, 'delta')
    if (done || own(body, 'type') !== 'content_block_delta' || !isObject(delta)) return
    const kind = textOfDelta.get(own(delta, 'type'))
    const isOnly = Object.keys(body).length === 3 && Object.keys(delta).length === 2
    if (kind === undefined || !isOnly || !isIndex(index) || typeof own(delta, kind.key) !== 'string') return
    repeated.learn(frame, kind.key, text => kind.read(parts, index, text))
  }

  function take(): StreamEvent[] {
    const taken = events
    events = []
    return taken
  }

  return {
    push(frame) {
      count++
      if (!done && !repeated.tell(frame)) read(frame)
      return take()
    },
    tryFastEvent(stream, start) {
      const end = done ? -1 : repeated.tryFastEvent(stream, start)
      if (end >= 0) count++
      return end
    },
    takeEvents: take,
    end() {
      if (!done) fail({ kind: 'server', message: endedEarly })
      return take()
    },
  }
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

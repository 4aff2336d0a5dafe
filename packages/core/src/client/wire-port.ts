/** Sends one request on one wire and decodes what comes back into an answer of the neutral model. */

import type { CallUndo } from '../convert/undo/call-undo.ts'
import { StreamUndo } from '../convert/undo/stream-undo.ts'
import { findNonJson } from '../json/non-json.ts'
import type { JsonObject } from '../json/object.ts'
import type { Answer } from '../model/answer.ts'
import { answerEvents } from '../model/answer-events.ts'
import { createReport, type Report } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import { abortReason, untilAborted } from '../runtime/conversation/abort.ts'
import type { AskOptions, ModelPort, Reply } from '../runtime/conversation/model-port.ts'
import { ModelError } from '../runtime/conversation/model-port.ts'
import { safeListener } from '../runtime/errors.ts'
import type { Host, Signal } from '../runtime/host.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { AssembledAnswer } from './assemble-answer.ts'
import { assembleAnswer } from './assemble-answer.ts'
import { errorOf, errorOfThrown, headersOf } from './read-error.ts'
import { readSendResult } from './read-send-result.ts'
import { readStream } from './read-stream.ts'
import type { Send } from './send.ts'

interface EncodedRequest {
  readonly body: JsonObject
  /** Turns calls to the adapted tools back into calls to the original ones. */
  readonly undo: CallUndo
}

export interface WirePortOptions {
  readonly codec: WireConversation
  readonly host: Host
  readonly send: Send
  /** Encodes a request for the wire. */
  prepare(request: Request, report: Report): EncodedRequest
  /** Converts the decoded answer for the caller. */
  finish(answer: Answer, undo: CallUndo, report: Report): Answer
}

export function createWirePort(options: WirePortOptions): ModelPort {
  const { codec, host, send } = options
  return {
    wait: (milliseconds, signal) => wait(host, milliseconds, signal),
    async ask(request, { signal = host.createAbort().signal, onEvent }: AskOptions = {}): Promise<Reply> {
      const { report, diagnostics } = createReport()
      const { body, undo } = options.prepare(request, report)
      const emit = createEventEmitter(undo, { host, signal, onEvent })
      const receive = async (): Promise<AssembledAnswer> => {
        const sent = await readSendResult(codec, await send(body, { signal, wire: codec.wire }))
        if ('items' in sent) {
          const streamed = createReport()
          const read = await readStream(sent.items, { codec, signal, onEvent: emit, report: streamed.report })
          return assembleAnswer(read, { codec, newId: host.newId, report, streamed: streamed.diagnostics })
        }
        const problem = findNonJson(sent.body)
        if (problem !== undefined)
          throw new ModelError(`The answer is not JSON: ${problem.message}`, { kind: 'connection' })
        const answer = codec.decodeAnswer(sent.body, report)
        const failure = errorOf(answer, sent.body, { status: sent.status, headers: headersOf(sent.headers) })
        if (failure !== undefined) throw failure
        for (const event of answerEvents(answer)) emit(event)
        return { answer, body: sent.body }
      }
      const received = await receiveAnswer(receive, codec, signal)
      return { answer: options.finish(received.answer, undo, report), body: received.body, diagnostics }
    },
  }
}

/** Also ends when the signal aborts; no timer is left behind. */
function wait(host: Host, milliseconds: number, signal: Signal | undefined): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      clear()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const clear = host.after(milliseconds, end)
    signal?.addEventListener('abort', end)
  })
}

async function receiveAnswer(
  receive: () => Promise<AssembledAnswer>,
  codec: WireConversation,
  signal: Signal,
): Promise<AssembledAnswer> {
  if (signal.aborted) throw abortReason(signal)
  try {
    return await untilAborted(receive(), signal)
  } catch (thrown) {
    throw signal.aborted ? thrown : errorOfThrown(codec, thrown)
  }
}

/** Passes events to the listener, with the adaptations undone. Nothing is emitted after an abort. */
function createEventEmitter(
  undo: CallUndo,
  { host, signal, onEvent }: { host: Host; signal: Signal; onEvent: AskOptions['onEvent'] },
): (event: StreamEvent) => void {
  if (onEvent === undefined) return () => undefined
  const streamUndo = new StreamUndo({ undo, newId: host.newId, verbatim: true }, () => undefined)
  const emit = safeListener(onEvent)
  return event => {
    if (signal.aborted) return
    for (const restored of streamUndo.transform([event])) emit(restored)
  }
}

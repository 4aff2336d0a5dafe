/** Asks one question on one wire: the request is sent, and whatever comes back is read into the neutral answer. */

import { answerEvents } from '../convert/stream/answer-events.ts'
import type { CallUndo } from '../convert/undo/call-undo.ts'
import { createStreamUndo } from '../convert/undo/stream-undo.ts'
import type { Answer } from '../model/answer.ts'
import { createReport, type Report } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import { abortReason, untilAborted } from '../runtime/conversation/abort.ts'
import type { AskOptions, ModelPort, Reply } from '../runtime/conversation/model-port.ts'
import { safeListener } from '../runtime/errors.ts'
import type { Host, Signal } from '../runtime/host.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { AssembledAnswer } from './assemble-answer.ts'
import { assembleAnswer } from './assemble-answer.ts'
import type { Fitted } from './fit-request.ts'
import { errorOf, errorOfThrown } from './read-error.ts'
import { readSendResult } from './read-send-result.ts'
import { readStream } from './read-stream.ts'
import type { Send } from './send.ts'

export interface WirePortOptions {
  readonly codec: WireConversation
  readonly host: Host
  readonly send: Send
  /** The wire's own body for a request. */
  prepare(request: Request, report: Report): Fitted
  /** The answer as whoever asked wants to see it. */
  finish(answer: Answer, undo: CallUndo, report: Report): Answer
}

export function createWirePort(options: WirePortOptions): ModelPort {
  const { codec, host, send } = options
  return {
    async ask(request, { signal = host.createAbort().signal, onEvent }: AskOptions = {}): Promise<Reply> {
      const { report, diagnostics } = createReport()
      const { body, undo } = options.prepare(request, report)
      const tell = teller(undo, { host, signal, onEvent })
      const asking = async (): Promise<AssembledAnswer> => {
        const given = await readSendResult(codec, await send(body, { signal, wire: codec.wire }))
        if ('items' in given) {
          const streamed = createReport()
          const read = await readStream(given.items, { codec, signal, tell, report: streamed.report })
          return assembleAnswer(read, { codec, newId: host.newId, report, streamed: streamed.diagnostics })
        }
        const answer = codec.decodeAnswer(given.body, report)
        const failure = errorOf(answer, given.body, given.status)
        if (failure !== undefined) throw failure
        for (const event of answerEvents(answer)) tell(event)
        return { answer, body: given.body }
      }
      const said = await hearOut(asking, codec, signal)
      return { answer: options.finish(said.answer, undo, report), body: said.body, diagnostics }
    },
  }
}

async function hearOut(
  asking: () => Promise<AssembledAnswer>,
  codec: WireConversation,
  signal: Signal,
): Promise<AssembledAnswer> {
  if (signal.aborted) throw abortReason(signal)
  try {
    return await untilAborted(asking(), signal)
  } catch (thrown) {
    throw signal.aborted ? thrown : errorOfThrown(codec, thrown)
  }
}

/** Listeners hear of the tools by the names they were given, and nothing after an abort. */
function teller(
  undo: CallUndo,
  { host, signal, onEvent }: { host: Host; signal: Signal; onEvent: AskOptions['onEvent'] },
): (event: StreamEvent) => void {
  if (onEvent === undefined) return () => undefined
  const streamUndo = createStreamUndo({ undo, newId: host.newId, verbatim: true }, () => undefined)
  const tell = safeListener(onEvent)
  return event => {
    if (signal.aborted) return
    for (const restored of streamUndo.restore(event)) tell(restored)
  }
}

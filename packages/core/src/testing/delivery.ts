/** Delivers a scripted turn: as a body, as a stream, as a refusal, or as a lost connection. */
import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import type { Answer } from '../model/answer.ts'
import { createReport } from '../model/diagnostic.ts'
import type { SignalLike } from '../runtime/host.ts'
import type { AnswerContext, WireConversation } from '../wires/define-wire.ts'
import type { BodyStream } from './body-stream.ts'
import { ConnectionError, createBodyStream, untilAborted } from './body-stream.ts'
import { brokenOff, sendEvents } from './faults.ts'
import type { Pieces } from './pieces.ts'
import { cutBytes } from './pieces.ts'
import type { ScriptedTurn } from './scripted-turn.ts'
import { answerOf, refusalOf } from './turn-answer.ts'
import { eventsOf } from './turn-events.ts'

export interface Delivery {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A string where the body is not JSON. */
  readonly body: JsonObject | string
  /** Set instead of a body when the answer is streamed. */
  readonly stream?: BodyStream
}

export interface DeliveryOptions {
  readonly codec: WireConversation
  readonly context: AnswerContext
  readonly pieces: Pieces
  readonly signal: SignalLike | undefined
  readonly isStreamed: boolean
}

export async function deliver(turn: ScriptedTurn, options: DeliveryOptions): Promise<Delivery> {
  if (turn.fault === 'unreachable') {
    // As Node's fetch has it.
    const cause = { code: 'ECONNREFUSED' }
    throw new ConnectionError('The script says that there is no server.', { cause })
  }
  const refused = refuse(options.isStreamed ? turn : withoutErrorFrame(turn), options)
  if (refused !== undefined) return refused
  return options.isStreamed ? deliverStream(turn, options) : deliverBody(turn, options)
}

/** Without a stream there is no error event, so the request is refused instead. */
function withoutErrorFrame(turn: ScriptedTurn): ScriptedTurn {
  const { fault, headers = {} } = turn
  if (fault === undefined || fault === 'unreachable' || !('errorFrame' in fault)) return turn
  return { headers, error: fault.error ?? brokenOff }
}

function refuse(turn: ScriptedTurn, { codec, context }: DeliveryOptions): Delivery | undefined {
  const { headers = {}, body, status = 200 } = turn
  if (body !== undefined && (status >= 400 || typeof body === 'string')) return { status, headers, body }
  const refusal = refusalOf(turn, codec.profile)
  if (refusal === undefined) return undefined
  const failed: Answer = { turns: [], finish: { reason: 'failed' }, error: refusal.error }
  const errorBody = codec.encodeAnswer(failed, context, createReport().report)
  return { status: refusal.status, headers, body: errorBody }
}

function deliverStream(turn: ScriptedTurn, { codec, context, pieces, signal }: DeliveryOptions): Delivery {
  const { report } = createReport()
  const answer = isObject(turn.body)
    ? codec.decodeAnswer(turn.body, report)
    : answerOf(turn, { wire: codec.wire, callIdPrefix: codec.habits.callIdPrefix, newId: context.newId })
  const events = eventsOf(answer, { text: pieces.text ?? 8, interleave: pieces.interleave ?? false })
  const { frames, ending } = sendEvents(events, codec.createStreamEncoder(context, report), turn.fault)
  const chunks = pieces.bytes === undefined ? frames : cutBytes(frames.join(''), pieces.bytes)
  const stream = createBodyStream(chunks, ending, signal)
  return { status: turn.status ?? 200, headers: turn.headers ?? {}, body: '', stream }
}

/** A body has no events to count, so a fault breaks all of it. */
async function deliverBody(
  turn: ScriptedTurn,
  { codec, context, signal }: DeliveryOptions,
): Promise<Delivery> {
  const { headers = {}, status = 200 } = turn
  const fault = isObject(turn.fault) ? turn.fault : {}
  if ('cut' in fault || 'reset' in fault) {
    throw new ConnectionError('The connection was lost before the answer was complete.')
  }
  if ('stall' in fault) {
    await untilAborted(signal)
    throw signal?.reason
  }
  const speaker = { wire: codec.wire, callIdPrefix: codec.habits.callIdPrefix, newId: context.newId }
  const body = isObject(turn.body)
    ? turn.body
    : codec.encodeAnswer(answerOf(turn, speaker), context, createReport().report)
  const text = JSON.stringify(body)
  return { status, headers, body: 'malformed' in fault ? text.slice(0, Math.ceil(text.length / 2)) : body }
}

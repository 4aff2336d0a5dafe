/**
 * A warm-up: the client sends its request before it needs an answer, and continues it later. The upstream is not asked;
 * the request is checked, converted and kept, so that what is wrong with it shows now.
 */
import { emptyAnswer } from '@toolwire/core'
import { claimIds } from '../exchange/held-ids.ts'
import { conversionHeaders } from '../exchange/loss-report.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import type { JsonObject } from '../http/json-body.ts'
import { warmUpMark } from './request-state.ts'
import { saveAnswer } from './save-response.ts'

export async function answerWarmUp(run: ExchangeRun): Promise<void> {
  const { context, wire, body, responseId, createdAt } = run
  const { gateway, sink, observation } = context
  const created_at = Math.floor(createdAt / 1000)
  const isStoredHere = run.state?.isStored === true
  const id = responseId === '' ? gateway.newId(isStoredHere ? warmUpMark : 'resp_') : responseId
  const response = {
    ...emptyAnswer(wire, body, { newId: gateway.newId, now: gateway.now }),
    id,
    created_at,
    output: [],
    ...(run.state !== undefined && { store: run.state.isStored }),
  }
  const completed = {
    ...response,
    status: 'completed',
    completed_at: gateway.now(),
    incomplete_details: null,
    usage: noUsage,
  }
  if (isStoredHere) await claimIds(run, completed)
  await saveAnswer(run, completed)
  const begun = {
    ...response,
    status: 'in_progress',
    completed_at: null,
    incomplete_details: null,
    usage: null,
  }
  observation.facts.status = 200
  observation.facts.finish = 'warm-up'
  const text = [
    eventText('response.created', 0, begun),
    eventText('response.in_progress', 1, begun),
    eventText('response.completed', 2, completed),
  ].join('')
  const { contentType } = wire.conversation.frames
  if (observation.wantsViews) observation.view('client-answer', text)
  sink.head(200, { 'content-type': contentType, ...context.headers, ...conversionHeaders(run) })
  sink.end(text)
}

const noUsage: JsonObject = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
}

function eventText(type: string, sequence_number: number, response: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, response })}\n\n`
}

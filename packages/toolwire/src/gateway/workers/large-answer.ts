/** The work on one large answer of an upstream that is not streamed, as a worker thread does it. */
import type { WireDefinition } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import { lossesOf, withReport } from '../exchange/loss-report.ts'
import { parseAnswer } from '../exchange/parse-answer.ts'
import { messageOf } from '../exchange/refusal-message.ts'
import { asBuffer } from '../http/bytes.ts'
import { randomId } from '../random-id.ts'
import { storedParts, textsOf } from '../responses-api/save-response.ts'
import type { GivenTexts } from './given-texts.ts'
import { sealOptions } from './large-request.ts'
import type { AnswerJob, LargeAnswer } from './protocol.ts'
import { wireNamed } from './worker-wires.ts'

/** What is to be stored is offered to `texts`. */
export async function convertLargeAnswer(
  job: AnswerJob,
  texts: Pick<GivenTexts, 'offer'>,
): Promise<LargeAnswer> {
  const wire = wireNamed(job.wire)
  const { request } = job
  const exchange = createExchange({
    from: wire,
    to: wireNamed(job.upstreamWire),
    upstream: job.upstream,
    ...sealOptions(job.sealing),
    newId: randomId,
    now: () => job.now,
    ...job.options,
  })
  if (request === undefined) exchange.passthrough(() => ({}))
  else exchange.request(request.head, { clientRequest: request.clientRequest })
  const body = parseAnswer(asBuffer(job.bytes), job.upstream, job.limits)
  const answered = exchange.response(body)
  const { value: converted, status, diagnostics, finish, usage, calls, isCompacted, kept } = answered
  const isUnchanged = request === undefined && status < 400 && job.losses === undefined
  const value = job.receipt === undefined ? converted : { ...converted, ...job.receipt }
  const sent = job.losses === undefined ? value : withReport(value, [...job.losses, ...lossesOf(diagnostics)])
  const stored = job.isStored ? await storedParts(value, randomId) : undefined
  if (stored !== undefined) texts.offer(textsOf(stored))
  return {
    bytes: isUnchanged ? job.bytes : encode(wire, sent, job.requestId),
    isUnchanged,
    status,
    diagnostics,
    summary: { finish, calls, isCompacted, ...(usage !== undefined && { usage }) },
    failure: status >= 400 ? messageOf(converted, wire) : undefined,
    kept,
    ids: job.claimsIds ? (wire.service.http.heldIds?.idsIn(value) ?? []) : [],
    stored: stored && { id: stored.id, status: stored.status },
  }
}

function encode({ service }: WireDefinition, value: JsonObject, requestId: string): Uint8Array {
  const { write } = service.http.requestId
  return new TextEncoder().encode(JSON.stringify(write === undefined ? value : write(value, requestId)))
}

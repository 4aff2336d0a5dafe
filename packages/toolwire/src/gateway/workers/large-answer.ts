/** The work on one large answer of an upstream that is not streamed, as a worker thread does it. */
import type { Diagnostic, ExchangeOptions, WireDefinition } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { parseAnswer } from '../exchange/parse-answer.ts'
import { messageOf } from '../exchange/refusal-message.ts'
import { asBuffer } from '../http/bytes.ts'
import type { JsonObject } from '../http/json-body.ts'
import { randomId } from '../random-id.ts'
import type { StoredParts } from '../responses-api/save-response.ts'
import { storedParts } from '../responses-api/save-response.ts'
import type { Limits } from '../settings.ts'
import { wireNamed } from './large-request.ts'

export interface AnswerJob {
  readonly bytes: Uint8Array
  /** The client's. */
  readonly wire: string
  readonly upstreamWire: string
  /** The upstream's name, for messages. */
  readonly upstream: string
  readonly options: Partial<ExchangeOptions>
  /** What the exchange was opened with; absent where the client's bytes passed unread. */
  readonly request: { readonly head: JsonObject; readonly clientRequest: JsonObject } | undefined
  readonly limits: Pick<Limits, 'depth' | 'nodes'>
  readonly requestId: string
  /** Seconds since 1970. */
  readonly now: number
  /** Set for a background response. */
  readonly receipt: JsonObject | undefined
  readonly isStored: boolean
  /** The ids in it are to be recorded as the client's. */
  readonly claimsIds: boolean
}

export interface LargeAnswer {
  readonly bytes: Uint8Array
  /** These are the upstream's bytes. */
  readonly isUnchanged: boolean
  readonly status: number
  readonly diagnostics: readonly Diagnostic[]
  readonly summary: Pick<
    ReturnType<ReturnType<typeof createExchange>['response']>,
    'finish' | 'usage' | 'calls'
  >
  /** Set when the answer reports an error. */
  readonly failure: string | undefined
  readonly ids: readonly string[]
  /** What is to be stored, where it is. */
  readonly stored: StoredParts | undefined
}

export function convertLargeAnswer(job: AnswerJob): LargeAnswer {
  const wire = wireNamed(job.wire)
  const { request } = job
  const exchange = createExchange({
    from: wire,
    to: wireNamed(job.upstreamWire),
    newId: randomId,
    now: () => job.now,
    ...job.options,
  })
  if (request === undefined) exchange.passthrough(() => ({}))
  else exchange.request(request.head, { clientRequest: request.clientRequest })
  const body = parseAnswer(asBuffer(job.bytes), job.upstream, job.limits)
  const { value: converted, status, diagnostics, finish, usage, calls } = exchange.response(body)
  const isUnchanged = request === undefined && status < 400
  const value = job.receipt === undefined ? converted : { ...converted, ...job.receipt }
  return {
    bytes: isUnchanged ? job.bytes : encode(wire, value, job.requestId),
    isUnchanged,
    status,
    diagnostics,
    summary: { finish, calls, ...(usage !== undefined && { usage }) },
    failure: status >= 400 ? messageOf(converted, wire) : undefined,
    ids: job.claimsIds ? (wire.service.http.heldIds?.idsIn(value) ?? []) : [],
    stored: job.isStored ? storedParts(value, randomId) : undefined,
  }
}

function encode({ service }: WireDefinition, value: JsonObject, requestId: string): Uint8Array {
  const { write } = service.http.requestId
  return new TextEncoder().encode(JSON.stringify(write === undefined ? value : write(value, requestId)))
}

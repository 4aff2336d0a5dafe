/** An answer that is not streamed and too large for the event loop: a worker thread converts it. */
import { append, jsonExcess } from '@toolwire/core/json'
import { noteAnswer } from '../../telemetry/observer.ts'
import { judgeAnswer } from '../compaction/native.ts'
import { textBytes } from '../http/byte-budget.ts'
import type { JsonObject } from '../http/json-body.ts'
import { backgroundHead, partsOf, saveParts } from '../responses-api/save-response.ts'
import { keepReasoning } from '../sealing/kept-reasoning.ts'
import { rememberUpstream } from '../upstream/affinity.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { dataOptions, runsTools, sealingFor, workersFor } from '../workers/eligible.ts'
import { takeTexts } from '../workers/give-texts.ts'
import { headOf, ownBytes } from '../workers/plain-data.ts'
import type { WorkerPool } from '../workers/pool.ts'
import type { AnswerJob, Sealing } from '../workers/protocol.ts'
import { claim } from './held-ids.ts'
import { lossesOf, wantsReport } from './loss-report.ts'
import type { ExchangeRun } from './run.ts'
import { sendBytes } from './send-bytes.ts'

/** However it is made, so short an answer is converted at once. */
const shortAnswer = 32 * 1024

/** `undefined` where the event loop converts the answer itself. */
export function workersForAnswer(run: ExchangeRun, bytes: Buffer): WorkerPool | undefined {
  const { context, wire, exchange } = run
  const { inlineBytes, inlineNodes } = context.gateway.limits
  // A worker knows nothing of the summary that comes with the answer, or is the answer.
  if (!run.passes && exchange.compaction !== undefined) return undefined
  // What becomes of calls that the gateway runs is part of the exchange on the event loop.
  if (bytes.length <= shortAnswer || runsTools(context.gateway)) return undefined
  const workers = workersFor(context, wire)
  if (workers === undefined || bytes.length > inlineBytes) return workers
  const excess = jsonExcess(bytes.toString('latin1'), Number.POSITIVE_INFINITY, inlineNodes)
  return excess === undefined ? undefined : workers
}

export async function answerLarge(
  run: ExchangeRun,
  answer: UpstreamAnswer,
  bytes: Buffer,
  workers: WorkerPool,
): Promise<void> {
  const { context, diagnostics } = run
  const { facts } = context.observation
  context.memory.take(textBytes(bytes.length), 'answer')
  const job = answerJob(
    run,
    await ownBytes(bytes, run.context.observation.wantsViews),
    await sealingFor(context, run.wire, { upstream: run.upstream, model: run.upstreamModel }),
  )
  const { converted, texts } = await workers.with(context.signal, async worker => {
    const converted = await worker.run('answer', job, [job.bytes.buffer])
    return { converted, texts: converted.stored === undefined ? [] : await takeTexts(worker) }
  })
  const { status, summary, failure, stored, isUnchanged, ids } = converted
  append(diagnostics, converted.diagnostics)
  noteAnswer(facts, summary)
  judgeAnswer(run, summary)
  if (failure !== undefined) facts.failure = { code: 'upstream_error', message: failure }
  if (run.heldIds !== undefined) await claim(run, ids)
  const [id] = ids
  await rememberUpstream(run, { id: stored?.id ?? id })
  if (isUnchanged) return sendBytes(run, answer.status, converted.bytes, answer.headers['content-type'])
  await keepReasoning(run, converted.kept)
  await saveParts(run, stored && partsOf(stored, texts))
  sendBytes(run, status, converted.bytes)
}

function answerJob(
  run: ExchangeRun,
  bytes: Uint8Array<ArrayBuffer>,
  sealing: Sealing,
): AnswerJob & { readonly bytes: Uint8Array<ArrayBuffer> } {
  const { context, wire, upstream, upstreamModel: model, responseId, body, passes, state } = run
  const { depth, nodes } = context.gateway.limits
  const head = headOf(body, wire.service.http.historyField ?? '')
  const restated = state === undefined ? head : { ...head }
  const isOurs = state !== undefined && upstream.needsState
  const clientRequest: JsonObject = isOurs ? { ...head, store: state.isStored } : restated
  return {
    bytes,
    wire: wire.name,
    upstreamWire: upstream.wire.name,
    upstream: upstream.name,
    sealing,
    options: dataOptions(context, wire, { upstream, model }, responseId),
    request: passes ? undefined : { head, clientRequest },
    limits: { depth, nodes },
    now: context.gateway.now(),
    requestId: context.headers['x-request-id'] ?? '',
    receipt: backgroundHead(run),
    losses: wantsReport(context.request.headers) ? lossesOf(run.diagnostics) : undefined,
    claimsIds: run.heldIds !== undefined || run.isShared,
    isStored: state?.isStored === true && run.store !== undefined,
  }
}

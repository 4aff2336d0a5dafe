/** Answers a request that wants its answer as a stream. */
import type { ExchangeStream } from '@toolwire/core'
import { append } from '@toolwire/core/json'
import { noteAnswer } from '../../telemetry/observer.ts'
import type { GatewayError } from '../errors.ts'
import { asGatewayError, recordFailure, recordSaveFailure } from '../errors.ts'
import { ClientStream } from '../http/client-stream.ts'
import type { JsonObject } from '../http/json-body.ts'
import { mayBeContinued, saveAnswer } from '../responses-api/save-response.ts'
import { keepReasoning } from '../sealing/kept-reasoning.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { claimIds } from './held-ids.ts'
import { conversionHeaders, lossesOf, reportComment, wantsReport } from './loss-report.ts'
import type { Listener } from './relay-round.ts'
import type { ExchangeRun } from './run.ts'
import { UpstreamRounds } from './upstream-rounds.ts'

export async function answerStreamed(run: ExchangeRun, open: () => Promise<UpstreamAnswer>): Promise<void> {
  const { context, exchange } = run
  const { gateway, sink, observation } = context
  const longTexts: Iterable<string>[] = []
  const stream = exchange.stream({ holdEnd: run.state?.isStored === true, longTexts })
  const client = new ClientStream({
    sink,
    clock: gateway.clock,
    heartbeatMs: gateway.heartbeatMs,
    frames: run.wire.conversation.frames,
    longTexts,
    headers() {
      const headers = { ...context.headers, ...conversionHeaders(run) }
      if (observation.wantsViews) observation.viewHead('client-answer', { line: '200', headers })
      return headers
    },
    ...(observation.wantsViews && { onWrite: text => observation.view('client-answer', text) }),
  })
  await pipeStream(run, stream, client, open)
}

/** Where a stream is written to, and ended. */
export type StreamListener = Listener & Pick<ClientStream, 'firstByteAt' | 'end' | 'abandon'>

/** Resolves with why the answer could not be stored, if so. `whenFailed`: what is stored of an answer that failed. */
export async function pipeStream(
  run: ExchangeRun,
  stream: ExchangeStream,
  client: StreamListener,
  open: () => Promise<UpstreamAnswer>,
  whenFailed: (answer: JsonObject, error: GatewayError) => JsonObject = answer => answer,
): Promise<GatewayError | undefined> {
  const { context, diagnostics } = run
  const { facts } = context.observation
  try {
    const rounds = new UpstreamRounds(run, client, open, stream)
    if ((await rounds.drive()) === 'stopped') return undefined
    facts.status = 200
    const unsaved = await saveEnd(run, stream)
    if (unsaved !== undefined && !client.begun) throw unsaved
    client.write(rounds.ending + (unsaved === undefined ? stream.release() : stream.fail(apiError(unsaved))))
    return unsaved
  } catch (error) {
    // After the head has been sent, a failure is reported inside the stream, in the format of the client's wire.
    const failure = asGatewayError(error)
    recordFailure(facts, failure)
    if (!client.begun) throw failure
    facts.status = 200
    const text = stream.fail(apiError(failure))
    const { answer } = stream
    await claimIds(run, answer)
    // The failure is reported even if what there is of the answer cannot be stored.
    await saveAnswer(run, answer && whenFailed(answer, failure)).catch(unsaved =>
      recordSaveFailure(facts, unsaved),
    )
    client.write(text)
    return undefined
  } finally {
    append(diagnostics, stream.diagnostics)
    const { failure } = stream
    noteAnswer(facts, stream)
    if (failure !== undefined) facts.failure ??= { code: 'stream_failed', message: failure }
    if (client.firstByteAt !== undefined) facts.firstByteMs = client.firstByteAt - facts.startedAt
    if (client.begun && wantsReport(context.request.headers))
      client.write(reportComment(lossesOf(diagnostics), run.wire.conversation.frames))
    const written = client.begun ? client.end(context.signal) : client.abandon()
    if (written !== undefined) await run.stopwatch.wait(written)
  }
}

function apiError({ kind, message, code }: GatewayError): Parameters<ExchangeStream['fail']>[0] {
  return { kind, message, ...(code !== undefined && { code }) }
}

/** Why the answer could not be stored, if so. Its end has not been sent yet, but what came before it has. */
async function saveEnd(run: ExchangeRun, stream: ExchangeStream): Promise<GatewayError | undefined> {
  try {
    if (run.heldIds !== undefined) await claimIds(run, stream.answer)
    await keepReasoning(run, stream.kept)
    await saveAnswer(run, mayBeContinued(run) ? stream.answer : undefined)
    return undefined
  } catch (error) {
    const failure = asGatewayError(error)
    recordFailure(run.context.observation.facts, failure)
    return failure
  }
}

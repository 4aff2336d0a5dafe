/** Answers a request that wants its answer as it is being given. */
import type { ExchangeStream } from '@toolwire/core'
import { ClientStream } from './client-stream.ts'
import type { ExchangeRun } from './exchange-run.ts'
import { ask, conversionHeaders, keep } from './exchange-run.ts'
import { failedEnd } from './failed-end.ts'
import type { GatewayError } from './gateway-error.ts'
import { lossesOf, reportComment, wantsReport } from './loss-report.ts'
import { noteAnswer } from './observation.ts'
import { streamRounds } from './stream-rounds.ts'
import { asGatewayError, noteFailure } from './tell-error.ts'

export async function answerStreamed(run: ExchangeRun, body: string | Uint8Array): Promise<void> {
  const { visit, exchange, diagnostics } = run
  const { core, sink, observation } = visit
  const { facts } = observation
  const stream = exchange.stream()
  const client = new ClientStream({
    sink,
    clock: core.clock,
    heartbeatMs: core.heartbeatMs,
    headers() {
      const headers = { ...visit.headers, ...conversionHeaders(run) }
      if (observation.wantsViews) observation.viewHead('client-answer', { line: '200', headers })
      return headers
    },
    ...(observation.wantsViews && { onWrite: text => observation.view('client-answer', text) }),
  })
  try {
    const last = await streamRounds(run, stream, client, () => ask(run, body))
    if (last === undefined) return
    facts.status = 200
    const unkept = await keepEnd(run, stream)
    if (unkept !== undefined && !client.begun) throw unkept
    client.write(unkept === undefined ? last : failedEnd(last, unkept))
  } catch (error) {
    await fail(run, stream, client, asGatewayError(error))
  } finally {
    diagnostics.push(...stream.diagnostics)
    const { failure } = stream
    noteAnswer(facts, stream)
    if (failure !== undefined) facts.failure ??= { code: 'stream_failed', message: failure }
    if (client.firstByteAt !== undefined) facts.firstByteMs = client.firstByteAt - facts.startedAt
    if (client.begun && wantsReport(visit.request.headers)) client.write(reportComment(lossesOf(diagnostics)))
    if (client.begun) client.end()
    else client.abandon()
  }
}

/** Why the answer could not be kept, if so. Its end has not been told yet, but it can no longer be taken back. */
async function keepEnd(run: ExchangeRun, stream: ExchangeStream): Promise<GatewayError | undefined> {
  try {
    await keep(run, run.state?.keeps === true ? stream.answer : undefined)
    return undefined
  } catch (error) {
    const failure = asGatewayError(error)
    noteFailure(run.visit.observation.facts, failure)
    return failure
  }
}

/** A failure after the head has gone out is told inside the stream, as the client's wire tells it. */
async function fail(
  run: ExchangeRun,
  stream: ExchangeStream,
  client: ClientStream,
  error: GatewayError,
): Promise<void> {
  const { facts } = run.visit.observation
  noteFailure(facts, error)
  if (!client.begun) throw error
  facts.status = 200
  const { kind, message, code } = error
  const words = stream.fail({ kind, message, ...(code !== undefined && { code }) })
  // Keeping what was said so far must not stand in the way of saying that it failed.
  await keep(run, stream.answer).catch(() => {})
  client.write(words)
}

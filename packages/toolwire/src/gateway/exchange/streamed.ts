/** Answers a request that wants its answer as a stream. */
import type { ExchangeStream } from '@toolwire/core'
import { append } from '@toolwire/core/json'
import { noteAnswer } from '../../telemetry/observer.ts'
import { judgeAnswer } from '../compaction/native.ts'
import type { GatewayError } from '../errors.ts'
import { asGatewayError, recordFailure, recordSaveFailure } from '../errors.ts'
import { ClientStream } from '../http/client-stream.ts'
import { interruptedCode, interruptedEnd } from '../responses-api/interrupted.ts'
import { mayBeContinued, saveAnswer } from '../responses-api/save-response.ts'
import { keepReasoning } from '../sealing/kept-reasoning.ts'
import { rememberUpstream } from '../upstream/affinity.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { claimIds } from './held-ids.ts'
import { conversionHeaders, lossesOf, reportComment, wantsReport } from './loss-report.ts'
import type { Listener } from './relay-round.ts'
import type { ExchangeRun } from './run.ts'
import { UpstreamRounds } from './upstream-rounds.ts'

/** In characters. An answer that is stored is put together and written in turns; one that is sent as a whole, in one. */
const mostStoredText = 8 * 1024 * 1024
export const mostWholeText: number = 1024 * 1024

/** `open` calls `onLong` when the client has waited long for an answer that is certain to come. */
export async function answerStreamed(
  run: ExchangeRun,
  open: (onLong: () => void) => Promise<UpstreamAnswer>,
): Promise<void> {
  const { context, exchange } = run
  const { gateway, sink, observation } = context
  // A message on a WebSocket is sent whole.
  const longTexts: Iterable<string>[] | undefined = context.request.kept === undefined ? [] : undefined
  const holdEnd = run.state?.isStored === true
  const stream = exchange.stream({
    holdEnd,
    ...(longTexts === undefined ? { mostText: mostWholeText } : { longTexts }),
    ...(longTexts !== undefined && holdEnd && { mostText: mostStoredText }),
  })
  const client = new ClientStream({
    sink,
    clock: gateway.clock,
    heartbeatMs: gateway.heartbeatMs,
    frames: run.wire.conversation.frames,
    ...(longTexts !== undefined && { longTexts }),
    headers: () => ({ ...context.headers, ...conversionHeaders(run) }),
    ...(observation.wantsViews && {
      onHead: headers => observation.viewHead('client-answer', { line: '200', headers }),
      onWrite: (text, bytes) => observation.view('client-answer', text, false, bytes),
    }),
  })
  const begin = (): void => void client.write(stream.begin(Math.floor(run.createdAt / 1000)))
  // A message of a thread that failed is not to be continued.
  const isKept = run.state?.fixed === undefined
  const store = run.store && gateway.unsaved.certainWriter(context.signal, isKept)
  await pipeStream({ ...run, store }, stream, client, () => open(begin))
}

/** Where a stream is written to, and ended. */
export interface StreamListener extends Listener, Pick<ClientStream, 'firstByteAt' | 'end' | 'abandon'> {
  /** What will be written once the answer is stored. */
  beforeEnd?(text: string): void
  /** Ends it without an end, which is told only once it is stored. Without this, whoever listens is told of the failure. */
  cut?(failure: GatewayError): void
}

export async function pipeStream(
  run: ExchangeRun,
  stream: ExchangeStream,
  client: StreamListener,
  open: () => Promise<UpstreamAnswer>,
): Promise<void> {
  const { context, diagnostics } = run
  const { facts } = context.observation
  try {
    const rounds = new UpstreamRounds(run, client, open, stream)
    if ((await rounds.drive()) === 'stopped') return
    facts.status = 200
    const released = stream.release()
    const end = rounds.ending + released
    client.beforeEnd?.(end)
    const unsaved = await saveEnd(run, stream)
    if (unsaved !== undefined && !client.begun) throw unsaved
    if (unsaved === undefined) client.write(end, released === '' ? rounds.endingBytes : undefined)
    else if (client.cut === undefined) client.write(rounds.ending + failWith(stream, unsaved))
    else await writeFailure(run, stream, client, rounds.ending + failWith(stream, unsaved))
  } catch (error) {
    // After the head has been sent, a failure is reported inside the stream, in the format of the client's wire.
    const failure = asGatewayError(error)
    recordFailure(facts, failure)
    if (!client.begun) throw failure
    facts.status = 200
    await writeFailure(run, stream, client, failWith(stream, failure), failure.code === interruptedCode)
  } finally {
    append(diagnostics, stream.diagnostics)
    const { failure } = stream
    noteAnswer(facts, stream)
    judgeAnswer(run, stream)
    if (failure !== undefined) facts.failure ??= { code: 'stream_failed', message: failure }
    if (client.firstByteAt !== undefined) facts.firstByteMs = client.firstByteAt - facts.startedAt
    if (client.begun && wantsReport(context.request.headers))
      client.write(reportComment(lossesOf(diagnostics), run.wire.conversation.frames))
    const written = client.begun ? client.end(context.signal) : client.abandon()
    if (written !== undefined) await run.stopwatch.wait(written)
  }
}

/** Of an answer that has failed. What there is of it is stored first. */
async function writeFailure(
  run: ExchangeRun,
  stream: ExchangeStream,
  client: StreamListener,
  failed: string,
  isInterrupted = false,
): Promise<void> {
  const end = { text: failed, answer: stream.answer }
  const { gateway } = run.context
  const { frames } = run.wire.conversation
  // Nobody could continue one that is kept nowhere here.
  const { text, answer } =
    isInterrupted && mayBeContinued(run)
      ? interruptedEnd(end, frames.createReader(gateway.limits.eventLength))
      : end
  client.beforeEnd?.(text)
  await claimIds(run, answer)
  try {
    await saveAnswer(run, answer)
  } catch (error) {
    recordSaveFailure(run.context.observation.facts, error)
    if (client.cut !== undefined) return client.cut(asGatewayError(error))
    client.write(failed)
    return
  }
  client.write(text)
}

function failWith(stream: ExchangeStream, { kind, message, code }: GatewayError): string {
  return stream.fail({ kind, message, ...(code !== undefined && { code }) }, code === 'cancelled')
}

/** Why the answer could not be stored, if so. Its end has not been sent yet, but what came before it has. */
async function saveEnd(run: ExchangeRun, stream: ExchangeStream): Promise<GatewayError | undefined> {
  try {
    if (run.heldIds !== undefined) await claimIds(run, stream.answer)
    if (run.isShared) await rememberUpstream(run, stream.answer)
    if (stream.kept !== undefined) await keepReasoning(run, stream.kept)
    if (mayBeContinued(run)) await saveAnswer(run, stream.answer)
    return undefined
  } catch (error) {
    const failure = asGatewayError(error)
    recordFailure(run.context.observation.facts, failure)
    return failure
  }
}

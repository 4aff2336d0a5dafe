/** The rounds of an exchange with its upstream, as steps for core's driver. Their answers go into one stream. */
import type { ExchangeStream, ServerCall, ServerCallResult } from '@toolwire/core'
import { append } from '@toolwire/core/json'
import type { NextRound, RoundAnswer, RoundSteps, RoundsEnd } from '@toolwire/core/run'
import { runRounds } from '@toolwire/core/run'
import { requestNext } from '../compaction/first-request.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { runServerCalls } from '../server-tools/run.ts'
import { keepServerCalls } from '../server-tools/stored-calls.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { conversionHeaders } from './loss-report.ts'
import { isRefusal, readRefusal } from './refusal.ts'
import type { Listener } from './relay-round.ts'
import { relayRound } from './relay-round.ts'
import type { ExchangeRun } from './run.ts'

export type ServerAnswer = RoundAnswer<ServerCall>

export class UpstreamRounds implements RoundSteps<ServerAnswer, ServerCallResult> {
  /** The end of the round in the stream, which is written when it is known what follows. */
  ending = ''
  /** Those of the upstream that it was, if it was not changed. */
  endingBytes: Uint8Array | undefined
  stream: ExchangeStream | undefined
  protected readonly exchangeRun: ExchangeRun
  readonly #client: Listener
  #open: () => Promise<UpstreamAnswer>

  constructor(
    run: ExchangeRun,
    client: Listener,
    first: () => Promise<UpstreamAnswer>,
    stream?: ExchangeStream,
  ) {
    this.exchangeRun = run
    this.#client = client
    this.#open = first
    this.stream = stream
  }

  /** Ends as `stopped` if the client has been answered already. */
  drive(): Promise<RoundsEnd> {
    const { rounds } = this.exchangeRun.context.gateway.limits
    // The results of the first round's calls always have a round to go to.
    return runRounds(this, { maxRounds: Math.max(2, rounds), truncated: 'drop' })
  }

  async request(round: number): Promise<ServerAnswer | undefined> {
    const answer = await this.open(round)
    return await (isRefusal(answer) ? this.refuse(answer) : this.relay(answer))
  }

  protected open(round: number): Promise<UpstreamAnswer> {
    this.exchangeRun.context.observation.facts.rounds = round
    return this.#open()
  }

  protected async relay(answer: UpstreamAnswer): Promise<ServerAnswer> {
    // A stream whose end is held is read in full even on one wire, so that what cannot be read is not left out.
    this.stream ??= this.exchangeRun.exchange.stream({ holdEnd: true })
    const { charge } = this.exchangeRun.context
    const { textLength } = this.stream
    try {
      const { text, bytes } = await relayRound(this.exchangeRun, answer, this.stream, this.#client)
      this.ending = text
      this.endingBytes = bytes
    } finally {
      // Also of one that breaks off. What came whole was counted when it was collected.
      if (charge !== undefined) charge.unstatedBytes += this.stream.textLength - textLength
    }
    return roundOf(this.stream)
  }

  protected async refuse(answer: UpstreamAnswer): Promise<undefined> {
    const { exchangeRun: run } = this
    const { kind, message, code, status, value, headers } = await readRefusal(run, answer)
    if (this.#client.begun) throw new GatewayError(kind, message, { code })
    sendJson(run.context, status, value, { ...conversionHeaders(run), ...headers })
  }

  run({ calls }: ServerAnswer, next: NextRound): Promise<readonly ServerCallResult[]> {
    if (next !== 'none') this.#client.write(this.ending)
    return runServerCalls(this.exchangeRun, calls)
  }

  results(
    { othersWait }: ServerAnswer,
    results: readonly ServerCallResult[],
    next: NextRound,
  ): Promise<void> | undefined {
    const { exchangeRun: run } = this
    const { context, exchange, upstream, upstreamModel: model, streamed } = run
    if (next === 'none') {
      const { tools, hosted } = context.gateway
      // The client has calls of its own: what it does not see of this answer is remembered for its next request.
      return othersWait && tools.length + hosted.length > 0
        ? keepServerCalls(run, exchange.serverCallRecord(results))
        : undefined
    }
    const { value, diagnostics } = exchange.next(results, { last: next === 'last' })
    append(run.diagnostics, diagnostics)
    const { nextRequest } = run
    const written = upstream.wire.service.http.write({ model, streamed, body: value })
    this.#open = async () =>
      requestNext(run, nextRequest === undefined ? JSON.stringify(written) : await nextRequest(written))
    if (this.stream !== undefined) this.#client.write(this.stream.nextRound())
    return undefined
  }
}

/** What the driver must know of an answer that an exchange or its stream has converted; `calls` are the client's. */
export function roundOf(converted: Pick<ExchangeStream, 'serverCalls' | 'calls'>): ServerAnswer {
  const { serverCalls, calls } = converted
  const truncated = serverCalls.some(call => call.truncated)
  return { calls: serverCalls, othersWait: calls.length > 0, truncated }
}

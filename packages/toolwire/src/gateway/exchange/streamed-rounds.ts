/** An answer that comes as a stream, over as many rounds as the gateway has calls of its own to run. */
import type { ExchangeStream } from '@toolwire/core'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { scratchConcat } from '../http/bytes.ts'
import type { ClientStream } from '../http/client-stream.ts'
import { needsAnotherRound, nextRound, recordServerCalls } from '../server-tools/run.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { readBody } from '../upstream/read-body.ts'
import { requestUpstream } from '../upstream/request.ts'
import { collectAnswer } from './collect-answer.ts'
import { conversionHeaders } from './loss-report.ts'
import { parseAnswer } from './parse-answer.ts'
import { isRefusal, readRefusal } from './refusal.ts'
import type { ExchangeRun } from './run.ts'

/** Where the stream is written to. */
export type Listener = Pick<ClientStream, 'write' | 'onDrain' | 'begun'>

/** Resolves with the end of the last round; `undefined` when the upstream refused and the client has the refusal. */
export async function streamRounds(
  run: ExchangeRun,
  stream: ExchangeStream,
  client: Listener,
  first: () => Promise<UpstreamAnswer>,
): Promise<string | undefined> {
  const { context, upstream } = run
  const { facts } = context.observation
  let open = first
  for (let round = 1; ; round++) {
    facts.rounds = round
    const answer = await open()
    if (isRefusal(answer)) {
      const { kind, message, value, status, headers } = await readRefusal(run, answer)
      if (client.begun) throw new GatewayError(kind, message, { code: `upstream_${answer.status}` })
      sendJson(context, status, value, { ...conversionHeaders(run), ...headers })
      return undefined
    }
    const last = upstream.isStream(answer.headers['content-type'])
      ? await relayRound(run, answer, stream, client)
      : stream.whole(parseAnswer(await collectAnswer(run, answer), upstream.name, context.gateway.limits))
    if (!needsAnotherRound(stream)) {
      if (stream.calls.length > 0) await recordServerCalls(run, stream.serverCalls)
      return last
    }
    client.write(last)
    const body = await nextRound(run, stream.serverCalls, round)
    client.write(stream.nextRound())
    open = () => requestUpstream(run, body)
  }
}

async function relayRound(
  run: ExchangeRun,
  answer: UpstreamAnswer,
  stream: ExchangeStream,
  client: Listener,
): Promise<string> {
  const { stopwatch } = run
  // The wait begins first: what has already arrived is worked on at once, and that time is taken off the wait.
  return await stopwatch.wait(Promise.resolve().then(() => relay(run, answer, stream, client)))
}

/** Resolves with the end of the round, which waits until everything it promises has been done. */
async function relay(
  { context, upstream, stopwatch }: ExchangeRun,
  answer: UpstreamAnswer,
  stream: ExchangeStream,
  client: Listener,
): Promise<string> {
  const { gateway, signal, observation } = context
  const { clock } = gateway
  const last: string[] = []
  const onDrain = (callback: () => void): void => client.onDrain(callback)
  let seen = stream.progress
  await readBody({
    answer,
    clock,
    idleMs: upstream.timeouts.idleMs,
    signal,
    name: upstream.name,
    progress: () => (stream.progress === 1 ? '1 event' : `${stream.progress} events`),
    onData(chunks, hold) {
      // The work on a chunk is timed from its arrival to the next wait.
      const arrived = clock.now()
      if (observation.wantsViews) for (const chunk of chunks) observation.view('upstream-answer', chunk)
      const { unfinished } = stream
      const text = stream.push(scratchConcat(chunks))
      if (stream.finish !== undefined) {
        last.push(text)
        return 'finished'
      }
      if (text !== '') {
        const isTaken = client.write(text)
        stopwatch.worked(clock.now() - arrived)
        if (!isTaken) hold(onDrain)
      }
      // A long event may take its time, as long as more of it comes.
      const isAlive = stream.progress > seen || stream.unfinished > unfinished
      seen = stream.progress
      return isAlive ? 'alive' : 'idle'
    },
  })
  last.push(stream.end())
  return last.join('')
}

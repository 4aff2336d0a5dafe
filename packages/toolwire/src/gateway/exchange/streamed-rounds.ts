/** An answer that comes as a stream, over as many rounds as the gateway has calls of its own to run. */
import type { ExchangeStream } from '@toolwire/core'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { ClientStream } from '../http/client-stream.ts'
import { needsAnotherRound, nextRound, recordServerCalls } from '../server-tools/run.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { isRefusal, readRefusal } from '../upstream/refusal.ts'
import { collectAnswer, parseAnswer } from './collect-answer.ts'
import { relay } from './relay.ts'
import type { ExchangeRun } from './run.ts'
import { conversionHeaders, isEventStream, requestUpstream } from './run.ts'

/** Whoever listens to the stream. */
export type Listener = Pick<ClientStream, 'write' | 'onDrain' | 'begun'>

/** The last words of the last round; nothing when the upstream refused and the client has been told so. */
export async function streamRounds(
  run: ExchangeRun,
  stream: ExchangeStream,
  client: Listener,
  first: () => Promise<UpstreamAnswer>,
): Promise<string | undefined> {
  const { context } = run
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
    const last = isEventStream(answer)
      ? await relayRound(run, answer, stream, client)
      : stream.whole(parseAnswer(run, await collectAnswer(run, answer)))
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
  const { context, upstream, stopwatch } = run
  const { gateway, signal, observation } = context
  const { clock } = gateway
  // The chunk's own work is timed from its arrival to the next wait.
  let arrived = 0
  const begin = (): Promise<string> =>
    relay({
      answer,
      stream,
      write(text) {
        const taken = client.write(text)
        stopwatch.worked(clock.now() - arrived)
        return taken
      },
      onDrain: callback => client.onDrain(callback),
      onChunks(chunks) {
        arrived = clock.now()
        if (!observation.wantsViews) return
        for (const chunk of chunks) observation.view('upstream-answer', chunk)
      },
      clock,
      idleMs: upstream.timeouts.idleMs,
      signal,
      name: upstream.name,
    })
  // The wait begins first: what has come already is worked on at once, and is taken off the wait.
  return await stopwatch.wait(Promise.resolve().then(begin))
}

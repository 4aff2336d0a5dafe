/** An upstream's answer that comes in one piece. */
import type { ExchangeRun } from './exchange-run.ts'
import { GatewayError } from './gateway-error.ts'
import { collect } from './relay.ts'
import type { UpstreamAnswer } from './upstream/open-answer.ts'

export function collectAnswer(run: ExchangeRun, answer: UpstreamAnswer): Promise<Buffer> {
  const { visit, timeouts, upstream, stopwatch } = run
  const { core, signal, observation } = visit
  return stopwatch.wait(
    collect({
      answer,
      limit: core.limits.answerBytes,
      clock: core.clock,
      // A whole answer comes when it is done: the time for its first byte is the time for all of it.
      idleMs: timeouts.idleMs,
      signal,
      name: upstream.name,
      ...(observation.wantsViews && { onChunk: chunk => observation.view('upstream-answer', chunk) }),
    }),
  )
}

export function parseAnswer(bytes: Buffer, name: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason'
    throw new GatewayError('server', `Upstream "${name}" answered with what is not JSON: ${reason}`, {
      code: 'upstream_malformed',
      status: 502,
    })
  }
}

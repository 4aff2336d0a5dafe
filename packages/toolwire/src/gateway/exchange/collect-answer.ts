/** An upstream's answer that comes in one piece. */

import { GatewayError } from '../errors.ts'
import { tooDeepAt } from '../http/json-body.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { collect } from './relay.ts'
import type { ExchangeRun } from './run.ts'

export function collectAnswer(run: ExchangeRun, answer: UpstreamAnswer): Promise<Buffer> {
  const { context, upstream, stopwatch } = run
  const { gateway, signal, observation } = context
  return stopwatch.wait(
    collect({
      answer,
      limit: gateway.limits.answerBytes,
      clock: gateway.clock,
      // A whole answer is done when its head comes, so its body has no reason to pause.
      idleMs: upstream.timeouts.idleMs,
      signal,
      name: upstream.name,
      ...(observation.wantsViews && {
        onChunks(chunks) {
          for (const chunk of chunks) observation.view('upstream-answer', chunk)
        },
      }),
    }),
  )
}

export function parseAnswer({ passes, upstream, context }: ExchangeRun, bytes: Buffer): unknown {
  const { depth } = context.gateway.limits
  const text = bytes.toString('utf8')
  // What passes as it is may be as it likes; the rest has to be read and written.
  if (!passes && tooDeepAt(text, depth) !== undefined) {
    throw malformed(`Upstream "${upstream.name}" answered with JSON nested deeper than ${depth} levels.`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason'
    throw malformed(`Upstream "${upstream.name}" answered with what is not JSON: ${reason}`)
  }
}

function malformed(message: string): GatewayError {
  return new GatewayError('server', message, { code: 'upstream_malformed', status: 502 })
}

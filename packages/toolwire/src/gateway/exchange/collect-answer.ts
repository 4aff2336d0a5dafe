/** An upstream's answer that is not streamed: collecting it, and whether it may pass unread. */

import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { collectBody } from '../upstream/read-body.ts'
import type { ExchangeRun } from './run.ts'

/** `most`: a limit of its own, in bytes. */
export async function collectAnswer(
  run: ExchangeRun,
  answer: UpstreamAnswer,
  most: number = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const { context, upstream, stopwatch } = run
  const { gateway, signal, observation, memory, charge } = context
  const bytes = await stopwatch.wait(
    collectBody({
      answer,
      limit: Math.min(gateway.limits.answerBytes, most),
      clock: gateway.clock,
      // The head is sent when the answer is complete, so its body has no reason to pause.
      idleMs: upstream.timeouts.idleMs,
      signal,
      name: upstream.name,
      turns: gateway.turns,
      share: context.share,
      // In pieces and as a whole.
      reserve: bytes => memory.take(2 * bytes, 'answer'),
      ...(observation.wantsViews && {
        onChunks(chunks) {
          for (const chunk of chunks) observation.view('upstream-answer', chunk)
        },
      }),
    }),
  )
  // Counts only if it states no usage, or is never read.
  if (charge !== undefined) charge.unstatedBytes += bytes.length
  return bytes
}

const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Whether an answer looks like an object that reports no error. Some servers answer errors, or pages, with a status of
 * success; those have to be read. `errorMark` is the name of the field that reports one, with its closing quote.
 */
export function canPassAnswer({ headers }: UpstreamAnswer, bytes: Buffer, errorMark: string): boolean {
  const type = headers['content-type']
  return (
    type?.startsWith('application/json') === true &&
    bytes[0] === openBrace &&
    bytes[bytes.length - 1] === closeBrace &&
    !mentionsError(bytes, errorMark)
  )
}

/** An answer that mentions the field more often is read. */
const mostMentions = 1000

/** Whether the field holds anything but `null`, at whatever depth. */
function mentionsError(bytes: Buffer, errorMark: string): boolean {
  let count = 0
  for (let at = bytes.indexOf(errorMark); at !== -1; at = bytes.indexOf(errorMark, at + 1)) {
    if (++count > mostMentions) return true
    const after = at + errorMark.length
    if (!/^\s*:\s*null\b/.test(bytes.toString('latin1', after, after + 40))) return true
  }
  return false
}

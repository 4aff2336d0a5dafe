/** Sends an answer that is already bytes. */
import { headerText } from '../http/headers.ts'
import { conversionHeaders } from './loss-report.ts'
import type { ExchangeRun } from './run.ts'

export function sendBytes(
  run: ExchangeRun,
  status: number,
  bytes: Uint8Array,
  contentType = 'application/json',
): void {
  const { context } = run
  const { observation } = context
  const headers = {
    'content-type': headerText(contentType),
    'content-length': String(bytes.byteLength),
    ...context.headers,
    ...conversionHeaders(run),
  }
  observation.facts.status = status
  observation.facts.firstByteMs = context.gateway.clock.now() - observation.facts.startedAt
  if (observation.wantsViews) {
    observation.viewHead('client-answer', { line: String(status), headers })
    observation.view('client-answer', bytes)
  }
  context.sink.head(status, headers)
  context.sink.end(bytes)
}

/** What a conversion lost, for the client: a count in a header, the list in the answer on request, or a refusal. */
import type { Diagnostic } from '@toolwire/core'
import { append } from '@toolwire/core/json'
import type { StreamFrames } from '@toolwire/core/wires'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { LossPolicy } from '../settings.ts'
import type { ExchangeRun } from './run.ts'

export const lossHeader = 'x-toolwire-losses'
/** A client that sends this header with any value but `0` gets the list. */
export const reportHeader = 'x-toolwire-report'

export function lossesOf(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity !== 'info')
}

export function notesOf(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === 'info')
}

function countLosses(diagnostics: readonly Diagnostic[]): number {
  let count = 0
  for (const { severity, omitted = 1 } of diagnostics) if (severity !== 'info') count += omitted
  return count
}

/** Headers of every converted answer. */
export function conversionHeaders({ diagnostics, upstream, context }: ExchangeRun): Record<string, string> {
  const { failedUpstreams } = context.observation.facts
  const headers = {
    [lossHeader]: String(countLosses(diagnostics)),
    'x-toolwire-upstream': upstream.headerName,
  }
  if (failedUpstreams === undefined) return headers
  // Names may have characters that no header can carry.
  return { ...headers, 'x-toolwire-failed-upstreams': encodeURI(failedUpstreams.join(', ')) }
}

/** The upstream has not been asked yet, so another wire of it may still be. */
export class RefusedLosses extends GatewayError {}

/** What was left out of a request, and what its conversion reported. Throws when the policy does not allow it. */
export function noteLosses(
  { context, passes, diagnostics }: ExchangeRun,
  told: readonly Diagnostic[],
  converted: readonly Diagnostic[],
): void {
  const { request, gateway } = context
  append(diagnostics, told)
  refuseLosses(told, gateway.losses)
  // Nothing of what passes unchanged is lost, and what is wrong with it is for the upstream to report.
  if (passes) return
  append(diagnostics, converted)
  // A client may warm up before it has anything to say.
  const isRefused = ({ code }: Diagnostic): boolean => !(request.isWarmUp && code === 'request_emptied')
  refuseLosses(converted.filter(isRefused), gateway.losses)
}

/** Throws when the policy does not allow the losses. */
function refuseLosses(diagnostics: readonly Diagnostic[], policy: LossPolicy): void {
  const refused = diagnostics.filter(
    ({ severity }) => severity === 'error' || (policy === 'strict' && severity === 'warning'),
  )
  const [first] = refused
  if (policy === 'allow' || first === undefined) return
  const listed = refused
    .slice(0, 20)
    .map(({ code, path, message }) => `${pathText(path)}: ${message} [${code}]`)
  const more = refused.length > 20 ? [`and ${refused.length - 20} more`] : []
  const what =
    policy === 'strict'
      ? 'This gateway is strict, and the upstream’s wire cannot carry all of this request.'
      : 'The upstream cannot be asked this.'
  throw new RefusedLosses('invalid_request', `${what} ${[...listed, ...more].join(' ')}`, {
    param: pathText(first.path),
    code: first.code,
    status: 400,
  })
}

/** `input[3].call_id`, as OpenAI writes the paths of errors. */
export function pathText(path: readonly (string | number)[]): string {
  const text = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return text.startsWith('.') ? text.slice(1) : text === '' ? 'body' : text
}

export function wantsReport(headers: Readonly<Record<string, string | undefined>>): boolean {
  const value = headers[reportHeader]
  return value !== undefined && value !== '0'
}

/** The list as one string, since metadata holds strings on every wire. */
export function withReport(body: JsonObject, losses: readonly Diagnostic[]): JsonObject {
  const metadata = typeof body.metadata === 'object' && body.metadata !== null ? body.metadata : {}
  return { ...body, metadata: { ...metadata, toolwire_losses: JSON.stringify(losses) } }
}

/** In a stream the list is a comment after the last event, which clients ignore unless they look for it. */
export function reportComment(losses: readonly Diagnostic[], frames: StreamFrames): string {
  return frames.comment(`toolwire_losses ${JSON.stringify(losses)}`)
}

/** Which failures of an upstream let the next one be asked, and the failure that says so. */
import { GatewayError } from '../errors.ts'
import type { UpstreamAnswer } from './attempt.ts'
import type { ServedUpstream } from './served.ts'

/** Nothing has reached the client, so another upstream may be asked. */
export class FellBack extends GatewayError {
  /** The upstream, and why. */
  readonly failed: string

  constructor(failed: string, { kind, message, code, status }: GatewayError) {
    super(kind, message, { ...(code !== undefined && { code }), ...(status !== undefined && { status }) })
    this.failed = failed
  }
}

const usual: readonly string[] = ['connect', 'timeout', '408', '429', '5xx']

const causes: Readonly<Record<string, string>> = {
  upstream_unreachable: 'connect',
  upstream_connect_timeout: 'connect',
  upstream_first_byte_timeout: 'timeout',
  // Not in the usual list: the upstream may have worked on the request.
  upstream_reset: 'reset',
}

/** Why an upstream counts as failed, in the words of the setting; `undefined` when it does not. */
export function failureOf(
  { fallbackOn = usual }: Pick<ServedUpstream, 'fallbackOn'>,
  answer: Pick<UpstreamAnswer, 'status'> | GatewayError,
): string | undefined {
  if (answer instanceof GatewayError) {
    const cause = causes[answer.code ?? '']
    return cause !== undefined && fallbackOn.includes(cause) ? cause : undefined
  }
  if (answer.status < 400) return undefined
  const status = String(answer.status)
  return fallbackOn.includes(status) || fallbackOn.includes(`${status.charAt(0)}xx`) ? status : undefined
}

/** About the key of the request. */
const ofKey: ReadonlySet<number> = new Set([401, 402, 403, 429])

/** Whether the upstream is to blame, whether or not another one may be asked; `undefined` where the answer says nothing about it. */
export function isAtFault(
  upstream: Pick<ServedUpstream, 'fallbackOn' | 'apiKey' | 'forwardKey'>,
  answer: Pick<UpstreamAnswer, 'status'> | GatewayError,
): boolean | undefined {
  const hasFailed = failureOf(upstream, answer) !== undefined
  // A client that left says nothing about the upstream.
  if (answer instanceof GatewayError) return hasFailed || answer.code === 'upstream_reset' || undefined
  // Where clients bring keys of their own, what one of them has used up says nothing to the others.
  const isOfClient = upstream.forwardKey === true && upstream.apiKey === undefined
  return isOfClient && ofKey.has(answer.status) ? undefined : hasFailed
}

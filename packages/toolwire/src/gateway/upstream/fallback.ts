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
  const status = String(answer.status)
  const isNamed = fallbackOn.includes(status) || fallbackOn.includes(`${status.charAt(0)}xx`)
  return answer.status >= 400 && isNamed ? status : undefined
}

/** What is worked out once for each upstream, and not again for each request. */
import { headerText } from '../http/header-text.ts'
import { withHandlers } from '../server-tools/hosted-handlers.ts'
import type { GatewayServerTool, Timeouts, Upstream } from '../settings.ts'
import { defaultTimeouts } from '../settings.ts'
import { upstreamUrl } from './headers.ts'
import type { RetryBudget } from './retry.ts'
import { createRetryBudget } from './retry.ts'

export interface ServedUpstream extends Upstream {
  readonly timeouts: Timeouts
  /** Where its wire is spoken. */
  readonly url: string
  readonly budget: RetryBudget
  /** Its name as the value of a header. */
  readonly headerName: string
  /** Whether the settings leave requests of its own wire as they are. */
  readonly changesNothing: boolean
}

export function serveUpstream(given: Upstream, hosted: readonly GatewayServerTool[]): ServedUpstream {
  const upstream = withHandlers(given, hosted)
  const { strict, hostedTools, unknownTools, misplacedStrict, pairing, profile } = upstream
  const changes = [strict, hostedTools, unknownTools, misplacedStrict, pairing, profile]
  return {
    ...upstream,
    timeouts: { ...defaultTimeouts, ...upstream.timeouts },
    url: upstreamUrl(upstream),
    budget: createRetryBudget(),
    headerName: headerText(upstream.name),
    changesNothing: changes.every(change => change === undefined),
  }
}

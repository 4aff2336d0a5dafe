/** A gateway with one upstream that the test controls, on a clock that the test advances. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { GatewayOptions, Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import type { ManualClock } from './clock.ts'
import { createManualClock } from './clock.ts'
import type { FakeUpstream, PendingRequest } from './upstream.ts'
import { createFakeUpstream } from './upstream.ts'

export interface HarnessOptions extends Partial<Omit<GatewayOptions, 'upstreams' | 'clock'>> {
  readonly wire?: Wire
  readonly upstream?: Partial<Upstream>
  /** Answers every request; without it, the test takes them from `upstream.next()`. */
  readonly answer?: (request: PendingRequest) => void
}

export interface Harness {
  readonly clock: ManualClock
  readonly upstream: FakeUpstream
  readonly gateway: Gateway
}

export function createHarness(options: HarnessOptions = {}): Harness {
  const { wire = 'chat', upstream: more, answer, ...rest } = options
  const clock = createManualClock()
  const upstream = createFakeUpstream(answer)
  const { transport } = upstream
  const gateway = createGateway({
    upstreams: [{ name: 'up', wire, baseUrl: 'http://up.test/v1', transport, ...more }],
    clock,
    random: () => 0.5,
    ...rest,
  })
  return { clock, upstream, gateway }
}

export function countingIds(): (prefix: string) => string {
  let count = 0
  return prefix => `${prefix}${++count}`
}

/** A gateway whose keys have limits, in front of an upstream whose answers take 50 tokens, on a clock that begins at midnight. */
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { GatewayOptions, Tenant, Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import type { Store } from '../../../packages/toolwire/src/store/store.ts'
import { createManualClock } from './clock.ts'
import { type ReceivedAnswer, type RequestOptions, sendTo } from './request.ts'
import { createFakeUpstream, type PendingRequest } from './upstream.ts'
import { answerOf, bodyFor, framesOf, paths, type wires } from './wires.ts'

const turn = { text: 'Fine.', usage: { input: 30, output: 20 } }
export const whole = await answerOf('chat', turn)
const frames = (await framesOf('chat', turn)).join('')
const well = (asked: PendingRequest): void => {
  if (asked.body.stream === true) asked.stream().data(frames).end()
  else asked.json(200, whole)
}

export const minute = 60_000
/** A round day and minute, so that windows begin with it. */
export const midnight = Date.UTC(2026, 10, 18)

export interface Setting {
  readonly tenants: readonly Tenant[]
  readonly upstreams?: readonly Partial<Upstream>[]
  readonly store?: Store
  readonly answer?: (asked: PendingRequest) => void
  readonly more?: Partial<GatewayOptions>
}

export function setUpTenants({ tenants, upstreams = [{}], store, answer = well, more }: Setting) {
  const clock = createManualClock(midnight)
  const asked: string[] = []
  const { transport } = createFakeUpstream(request => {
    asked.push(request.request.url)
    answer(request)
  })
  const served = upstreams.map((upstream, n) => ({
    name: `up${n}`,
    wire: 'chat',
    baseUrl: `http://up${n}.test/v1`,
    transport,
    retries: 0,
    ...upstream,
  }))
  const options = { upstreams: served, tenants, clock, heartbeatMs: 0, ...(store && { store }), ...more }
  const gateway = createGateway(options)
  const send = async (path: string, request: RequestOptions = {}, key = 'a'): Promise<ReceivedAnswer> => {
    const client = sendTo(gateway, path, { ...request, headers: { authorization: `Bearer ${key}` } })
    await client.done
    await clock.settle()
    return client
  }
  const ask = (body: object = {}, key = 'a', wire: (typeof wires)[number] = 'chat') =>
    send(paths[wire], { body: { ...bodyFor(wire), ...body } }, key)
  return { clock, gateway, asked, send, ask, options }
}

export const limits = (received: ReceivedAnswer): object =>
  Object.fromEntries(Object.entries(received.headers).filter(([name]) => /ratelimit|retry/.test(name)))

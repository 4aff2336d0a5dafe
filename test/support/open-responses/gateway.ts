/** A gateway in front of a scripted model, without sockets. Every write to a client is recorded. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Script, ScriptedModel } from '@toolwire/core/testing'
import { createScriptedModel } from '@toolwire/core/testing'
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Transport } from '../../../packages/toolwire/src/gateway/http/contract.ts'
import type { GatewayOptions, Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { ExchangeFacts } from '../../../packages/toolwire/src/telemetry/observer.ts'
import { sendTo } from '../faults/request.ts'
import { collectFacts } from '../gateway/watch-facts.ts'

export type Json = Record<string, unknown>

export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The text of each write. */
  readonly writes: readonly string[]
  readonly text: string
  json(): Json
}

export interface GatewayClient {
  post(path: string, body: unknown, headers?: Json): Promise<ReceivedAnswer>
  get(path: string, headers?: Json): Promise<ReceivedAnswer>
  remove(path: string, headers?: Json): Promise<ReceivedAnswer>
}

export interface Harness extends GatewayClient {
  readonly gateway: Gateway
  readonly model: ScriptedModel
  /** The observed facts of each finished request. */
  readonly facts: readonly ExchangeFacts[]
}

export interface HarnessOptions extends Omit<GatewayOptions, 'upstreams'> {
  readonly upstream?: Partial<Upstream>
  readonly pieces?: Parameters<typeof createScriptedModel>[0]['pieces']
}

/** One upstream answers for every model by the script; the store is in memory by default. */
export function openHarness(wire: Wire, script: Script, options: HarnessOptions = {}): Harness {
  const { upstream = {}, pieces, ...more } = options
  const model = createScriptedModel({ wire, script, pairing: 'refuse', ...(pieces && { pieces }) })
  const { observer, facts } = collectFacts()
  const gateway = createGateway({
    store: createMemoryStore(),
    // Answers of two gateways are compared, and so are their envelopes.
    sealKeys: ['the seal of all gateways under test'],
    observer,
    ...more,
    upstreams: [upstreamTo(wire, transportTo(model.fetch), upstream)],
  })
  return { gateway, model, facts, ...clientOf(gateway) }
}

export function upstreamTo(wire: Wire, transport: Transport, more: Partial<Upstream> = {}): Upstream {
  return { name: 'scripted', wire, baseUrl: 'http://upstream.invalid/v1', retries: 0, transport, ...more }
}

/** Sends upstream requests to a fetch function. The sinks here are never slow, so nothing is paused. */
export function transportTo(ask: typeof fetch): Transport {
  return ({ method, url, headers, body }, receiver) => {
    const leaving = new AbortController()
    const deliver = async (): Promise<void> => {
      const sent = method === 'GET' ? {} : { body: body as string | Uint8Array<ArrayBuffer> }
      const answer = await ask(url, { method, headers, signal: leaving.signal, ...sent })
      if (leaving.signal.aborted) return
      receiver.head(answer.status, Object.fromEntries(answer.headers))
      for await (const chunk of answer.body ?? []) {
        if (leaving.signal.aborted) return
        receiver.data(chunk)
      }
      receiver.end()
    }
    deliver().catch((error: unknown) => {
      if (!leaving.signal.aborted) receiver.fail(error instanceof Error ? error : new Error(String(error)))
    })
    return { pause: () => {}, resume: () => {}, abort: () => leaving.abort() }
  }
}

export function clientOf(gateway: Gateway, key?: string): GatewayClient {
  const own = { ...(key !== undefined && { authorization: `Bearer ${key}` }) }
  return {
    post: (path, body, headers) =>
      send(gateway, 'POST', path, { ...own, 'content-type': 'application/json', ...headers }, body),
    get: (path, headers) => send(gateway, 'GET', path, { ...own, ...headers }),
    remove: (path, headers) => send(gateway, 'DELETE', path, { ...own, ...headers }),
  }
}

async function send(
  gateway: Gateway,
  method: string,
  target: string,
  headers: Json,
  body?: unknown,
): Promise<ReceivedAnswer> {
  const sent = sendTo(gateway, target, { method, headers: headers as Record<string, string>, body })
  await sent.done
  const { status = 0, writes, text } = sent
  return { status, headers: sent.headers, writes, text, json: sent.json }
}

/** Repeats a request, with other tasks in between, until the answer fits. */
export async function until(
  ask: () => Promise<ReceivedAnswer>,
  fits: (body: Json) => boolean,
): Promise<Json> {
  for (let tries = 0; tries < 1000; tries++) {
    const body = (await ask()).json()
    if (fits(body)) return body
    await new Promise(resolve => setImmediate(resolve))
  }
  throw new Error('No answer fits.')
}

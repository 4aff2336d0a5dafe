/** A gateway on a real socket, between a client under test and a scripted upstream. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { onTestFinished } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createNodeServer } from '../../../packages/toolwire/src/gateway/http/node-server.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import type { ExchangeFacts, Observer } from '../../../packages/toolwire/src/telemetry/observer.ts'
import { baseURL as placeholder } from '../clients/bridge.ts'
import type { Model } from '../clients/model.ts'
import type { RecordedRequest } from './upstream.ts'
import { close, listen, startUpstream } from './upstream.ts'

export const upstreamKey = 'the key of the upstream'

/** One request of the client, and its answer. */
interface ClientRequest {
  readonly method: string
  readonly path: string
  readonly text: string
  readonly status: number
  readonly headers: Headers
  /** The body, once it is complete. */
  readonly answer: Promise<string>
}

export interface GatewayHarness {
  /** The base URL for the client under test. */
  readonly baseURL: string
  /** Records every request. Requests to the placeholder host of `bridge.ts` go to the gateway. */
  readonly fetch: typeof fetch
  readonly requests: readonly ClientRequest[]
  readonly upstreamRequests: readonly RecordedRequest[]
  /** The observed facts of each exchange. */
  readonly facts: readonly ExchangeFacts[]
}

/** Runs until the test is finished. */
export async function startHarness(
  model: Pick<Model, 'reply'>,
  wire: Wire,
  more: Partial<Upstream> = {},
): Promise<GatewayHarness> {
  const upstream = await startUpstream(model)
  const store = createMemoryStore()
  const facts: ExchangeFacts[] = []
  const gateway = createGateway({
    upstreams: [
      { name: 'scripted', wire, baseUrl: upstream.baseUrl, apiKey: upstreamKey, retries: 0, ...more },
    ],
    store,
    observer: recordFacts(facts),
  })
  const server = createNodeServer(gateway)
  const baseURL = `${await listen(server)}/v1`
  onTestFinished(async () => {
    await gateway.close()
    await close(server)
    await upstream.close()
    await store.close()
  })
  const requests: ClientRequest[] = []
  return {
    baseURL,
    fetch: recordingFetch(baseURL, requests),
    requests,
    upstreamRequests: upstream.requests,
    facts,
  }
}

function recordFacts(all: ExchangeFacts[]): Observer {
  return {
    begin(facts) {
      all.push(facts)
      return { facts, wantsViews: false, view: () => {}, viewHead: () => {}, end: () => {} }
    },
  }
}

function recordingFetch(baseURL: string, requests: ClientRequest[]): typeof fetch {
  return async (input, init) => {
    const sent = new Request(input, init)
    const url = sent.url.replace(new URL(placeholder).origin, new URL(baseURL).origin)
    const { method, headers, signal } = sent
    const text = await sent.text()
    const answered = await fetch(url, { method, headers, signal, ...(method !== 'GET' && { body: text }) })
    const answer = answered.clone().text()
    // The text fails when the client disconnects; the client reports that itself.
    answer.catch(() => {})
    requests.push({
      method,
      path: new URL(url).pathname,
      text,
      status: answered.status,
      headers: answered.headers,
      answer,
    })
    return answered
  }
}

/** The exchanges as they begin, grow and end: server-sent events for the inspector and for programs. */
import { sseFrames } from '@toolwire/core/wires'
import type { TraceWatch } from '../../telemetry/observer.ts'
import type { GatewayRoute, RequestContext } from '../context.ts'
import { GatewayError, retryLater } from '../errors.ts'
import { unlessAborted } from '../http/abort.ts'
import { ClientStream } from '../http/client-stream.ts'
import { notKept, traceOwner } from '../routes/system.ts'

/** How often it is looked whether there is something new. Fast enough to be called live. */
const lookMs = 200
const usualHeartbeatMs = 15_000
/** Of one key at the same time; each is a tab or a program that looks. */
const mostFeeds = 50

async function feed(context: RequestContext): Promise<void> {
  const { gateway, sink, observation, signal } = context
  if (gateway.feeds.of(context.share) >= mostFeeds) throw tooManyFeeds()
  const watch = gateway.traces?.watch?.()
  if (watch === undefined) throw notKept('traces')
  gateway.feeds.add(context.share, 1)
  const client = new ClientStream({
    sink,
    clock: gateway.clock,
    heartbeatMs: gateway.heartbeatMs || usualHeartbeatMs,
    frames: sseFrames,
    headers: () => context.headers,
  })
  // It lasts as long as somebody looks.
  context.limit.set(0)
  observation.facts.status = 200
  try {
    const signedIn = gateway.sessions.ownerOf(context.request.headers) !== undefined
    const hello = { version: gateway.version, now: gateway.clock.date(), signed_in: signedIn }
    client.write(eventOf('hello', hello))
    while (!gateway.draining() && !signal.aborted) await tellNews(context, client, watch)
  } catch {
    // The client has gone, or the gateway stops; neither is a failure here.
  } finally {
    gateway.feeds.add(context.share, -1)
    watch.close()
    client.end()
  }
}

function tooManyFeeds(): GatewayError {
  return new GatewayError('rate_limit', `This key has ${mostFeeds} feeds open, and more are not served.`, {
    code: 'too_many_feeds',
    headers: retryLater,
  })
}

async function tellNews(context: RequestContext, client: ClientStream, watch: TraceWatch): Promise<void> {
  const { gateway, signal } = context
  await unlessAborted(signal, new Promise<void>(resolve => void gateway.clock.after(lookMs, resolve)))
  const news = await watch.take(traceOwner(context))
  if (news.length === 0 || client.write(eventOf('exchanges', news))) return
  await unlessAborted(signal, new Promise<void>(resolve => client.onDrain(resolve)))
}

function eventOf(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

export const feedRoutes: readonly GatewayRoute[] = [
  {
    name: 'feed',
    method: 'GET',
    path: '/toolwire/feed',
    operators: 'more',
    unlimited: true,
    handle: feed,
  },
]

/** Asks one of the upstreams that serve a model, and the next if it fails before the client has got anything. */
import type { ExchangeFacts } from '../../telemetry/observer.ts'
import type { RequestContext } from '../context.ts'
import { type ConversationMarks, orderFor } from '../upstream/affinity.ts'
import { FellBack } from '../upstream/fallback.ts'
import type { Destination } from '../upstream/route-model.ts'
import type { NextUpstream, ReadyRun } from './run.ts'

/** One of several upstreams. */
export interface Attempt {
  /** Undefined for the last one. */
  readonly next?: NextUpstream
  /** The client's id of the answer, which an earlier upstream was to give. */
  readonly responseId?: string
  /** Called when the request is ready for the upstream, in place of sending it. */
  readonly onReady?: (ready: ReadyRun) => void
}

/** `attempt` is left out where there is only one upstream. */
type Serve = (destination: Destination, context: RequestContext, attempt?: Attempt) => Promise<void>

export async function onAnyUpstream(
  context: RequestContext,
  found: Destination,
  marks: () => ConversationMarks,
  serve: Serve,
): Promise<void> {
  if (found.others === undefined) return serve(found, context)
  const left = [...(await orderFor(context, found, marks()))]
  const serveNext = (at: RequestContext, attempt: Attempt): Promise<void> => {
    const destination = left.shift()
    if (destination === undefined) throw new TypeError('There is no other upstream to ask.')
    return serve(destination, at, left.length === 0 ? attempt : { ...attempt, next })
  }
  const next: NextUpstream = async (at, responseId) => {
    let found: ReadyRun | undefined
    await serveNext(at, { responseId, onReady: ready => (found = ready) })
    if (found === undefined) throw new TypeError('The request was not made ready.')
    return found
  }
  for (;;) {
    try {
      return await serveNext(context, {})
    } catch (error) {
      noteFallBack(context.observation.facts, error)
    }
  }
}

/** The exchange goes on elsewhere. Throws what is no reason for that. */
export function noteFallBack(facts: ExchangeFacts, error: unknown): void {
  if (!(error instanceof FellBack)) throw error
  facts.failedUpstreams = [...(facts.failedUpstreams ?? []), error.failed]
  delete facts.failure
  delete facts.internal
  delete facts.totalMs
  delete facts.overheadMs
}

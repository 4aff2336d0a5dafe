/** Sends one client the events of a streamed background response, from any event on, as they come. */

import type { RequestContext } from '../context.ts'
import { asGatewayError, GatewayError, recordFailure } from '../errors.ts'
import { unlessAborted } from '../http/abort.ts'
import { ClientStream } from '../http/client-stream.ts'
import type { HeaderMap } from '../http/contract.ts'
import type { EventSource } from './event-logs.ts'

export async function replayEvents(
  context: RequestContext,
  log: EventSource,
  from: number,
  more: HeaderMap = {},
): Promise<void> {
  const { gateway, sink, signal, observation, route, wire, stopwatch } = context
  const { facts } = observation
  const client = new ClientStream({
    sink,
    clock: gateway.clock,
    heartbeatMs: gateway.heartbeatMs,
    frames: (route.wire ?? wire).conversation.frames,
    headers: () => ({ ...context.headers, ...more }),
    ...(observation.wantsViews && {
      onHead: headers => observation.viewHead('client-answer', { line: '200', headers }),
      onWrite: text => observation.view('client-answer', text),
    }),
  })
  // The work has a time limit of its own, and its end is the end of the events.
  context.limit.set(0)
  facts.status = 200
  let next = from
  try {
    client.open()
    for (;;) {
      const found = log.from(next)
      const piece = found instanceof Promise ? await stopwatch.wait(found) : found
      if (piece === undefined) {
        client.write(goneFrame(next))
        break
      }
      next = piece.next
      if (piece.text !== '') {
        if (!client.write(piece.text)) {
          const drained = new Promise<void>(resolve => client.onDrain(resolve))
          await stopwatch.wait(unlessAborted(signal, drained))
        }
      } else if (log.cutBy !== undefined) throw log.cutBy
      else if (log.isClosed) break
      else await stopwatch.wait(log.more(signal))
    }
  } catch (error) {
    const failure = asGatewayError(error)
    if (!client.begun) {
      client.abandon()
      throw failure
    }
    // Only this listener stops. It may come back for the rest, unless the gateway stops too.
    recordFailure(facts, failure)
    client.write(errorFrame(next, 'server_error', failure))
  } finally {
    if (client.firstByteAt !== undefined) facts.firstByteMs = client.firstByteAt - facts.startedAt
    facts.overheadMs = Math.max(0, gateway.clock.now() - facts.startedAt - stopwatch.waitedMs)
    client.end()
  }
}

export function eventsGone(message: string): GatewayError {
  return new GatewayError('invalid_request', `${message} Ask for the response without "stream".`, {
    param: 'stream',
    code: 'events_gone',
    status: 400,
  })
}

/** For a listener so slow that its next events have been dropped. */
function goneFrame(event: number): string {
  const gone = eventsGone(`The events from number ${event} on are no longer here.`)
  return errorFrame(event, 'invalid_request_error', gone)
}

/** It has the number of the last event before it, so that whoever goes on after it misses none: -1 before the first. */
function errorFrame(next: number, type: string, { code, message, param }: GatewayError): string {
  const error = { type, code, message, param: param ?? null }
  const data = JSON.stringify({ type: 'error', error, sequence_number: next - 1 })
  return `event: error\ndata: ${data}\n\n`
}

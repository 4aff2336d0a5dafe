/** Tells one client the events of a streamed background response, from any place on, as they come. */

import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { Stopwatch } from '../exchange/run.ts'
import { ClientStream } from '../http/client-stream.ts'
import type { HeaderMap } from '../http/contract.ts'
import { unlessAborted } from '../http/unless-aborted.ts'
import { asGatewayError, recordFailure } from '../send-error.ts'
import type { EventLog } from './event-logs.ts'

interface Telling {
  readonly headers: HeaderMap
  /** Whoever listens waits for the most part. */
  readonly stopwatch: Stopwatch
}

export async function replayEvents(
  context: RequestContext,
  log: EventLog,
  from: number,
  { headers: more, stopwatch }: Telling = {
    headers: {},
    stopwatch: new Stopwatch(context.gateway.clock.now),
  },
): Promise<void> {
  const { gateway, sink, signal, observation } = context
  const { facts } = observation
  const client = new ClientStream({
    sink,
    clock: gateway.clock,
    heartbeatMs: gateway.heartbeatMs,
    headers() {
      const headers = { ...context.headers, ...more }
      if (observation.wantsViews) observation.viewHead('client-answer', { line: '200', headers })
      return headers
    },
    ...(observation.wantsViews && { onWrite: text => observation.view('client-answer', text) }),
  })
  // The work has a time limit of its own, and its end is the end of the events.
  context.limit.set(0)
  facts.status = 200
  let place = from
  try {
    for (;;) {
      const told = log.from(place)
      if (told === undefined) {
        client.write(goneFrame(place))
        break
      }
      place = told.next
      if (told.text !== '') {
        if (!client.write(told.text)) {
          const drained = new Promise<void>(resolve => client.onDrain(resolve))
          await stopwatch.wait(unlessAborted(signal, drained))
        }
      } else if (log.isClosed) break
      else await stopwatch.wait(log.more(signal))
    }
  } catch (error) {
    const failure = asGatewayError(error)
    if (!client.begun) {
      client.abandon()
      throw failure
    }
    // Only this listener is at its end, and may come back for the rest, unless the gateway stops.
    recordFailure(facts, failure)
    client.write(errorFrame(place, 'server_error', failure))
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

/** A listener so slow that the events it is to hear next have been let go. */
function goneFrame(place: number): string {
  const gone = eventsGone(`The events from number ${place} on are no longer here.`)
  return errorFrame(place, 'invalid_request_error', gone)
}

function errorFrame(place: number, type: string, { code, message, param }: GatewayError): string {
  const error = { type, code, message, param: param ?? null }
  const event = { type: 'error', error, sequence_number: place }
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`
}

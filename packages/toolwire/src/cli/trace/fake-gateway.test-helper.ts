/** `toolwire trace` against a ring of traces, without a network and without time. */
import { pass, wholeExchange } from '../../telemetry/exchange.test-helper.ts'
import type { Observation } from '../../telemetry/observer.ts'
import { createTraceRing, type TraceRing, type TraceRingOptions } from '../../telemetry/traces/trace-ring.ts'
import { InputError, ReachError, UsageError } from '../../terminal/errors.ts'
import { createMemoryIo } from '../../terminal/memory-io.test-helper.ts'
import { parseArguments } from '../arguments.ts'
import { commands } from '../command-table.ts'
import { printError } from '../print-error.ts'
import type { RunningGateway } from '../reach/running-gateways.ts'
import { runTrace } from './trace.ts'

export interface FakeGateway {
  readonly ring: TraceRing
  /** Every request it got. */
  readonly asked: { readonly url: string; readonly init: RequestInit }[]
  fetch(url: string, init: RequestInit): Promise<Response>
}

export function fakeGateway(options: TraceRingOptions = {}): FakeGateway {
  const ring = createTraceRing(options)
  const asked: FakeGateway['asked'] = []
  return {
    ring,
    asked,
    async fetch(url, init) {
      asked.push({ url, init })
      const { pathname, searchParams } = new URL(url)
      const [, root, kind, id] = pathname.split('/')
      if (root !== 'toolwire' || kind !== 'traces')
        return Response.json({ detail: 'Not Found' }, { status: 404 })
      if (id === undefined)
        return Response.json({ object: 'list', data: ring.list(Number(searchParams.get('limit'))) })
      const found = ring.get(decodeURIComponent(id))
      const error = { message: 'There is no such trace, or it was dropped for newer ones.' }
      return found === undefined ? Response.json({ error }, { status: 404 }) : Response.json(found)
    },
  }
}

export interface Setup {
  readonly fetch: FakeGateway['fetch']
  readonly isTTY?: boolean
  readonly columns?: number
  readonly env?: Record<string, string>
  readonly files?: Record<string, string>
  readonly running?: readonly RunningGateway[]
  /** What happens while the command waits; it waits until this throws `enough`. */
  readonly meanwhile?: () => void
}

/** Ends a command that would never end. */
export const enough: Error = new Error('enough')

export async function trace(
  argv: readonly string[],
  { fetch, isTTY = false, columns = 100, env = {}, running = [], files = {}, meanwhile }: Setup,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { io, printed } = createMemoryIo({
    isTTY,
    columns,
    env,
    files,
  })
  const sleep = async (): Promise<void> => (meanwhile === undefined ? Promise.reject(enough) : meanwhile())
  try {
    const args = parseArguments(argv, commands.trace?.options ?? {})
    return { code: await runTrace(args, io, { fetch, sleep, running: () => running }), ...printed }
  } catch (error) {
    if (error === enough) return { code: 130, ...printed }
    if (!(error instanceof UsageError) && !(error instanceof InputError)) throw error
    printError(error, io)
    return { code: error instanceof ReachError ? 4 : 2, ...printed }
  }
}

/** A conversation of two rounds, streamed. */
export const request = { model: 'gpt-5', input: 'Hi \u202e there', stream: true }
export const events = [
  'event: response.created\ndata: {"type":"response.created"}\n\n',
  ': keep-alive\n\n',
  ...Array.from({ length: 9 }, (_, i) => `event: response.output_text.delta\ndata: {"delta":"w${i}"}\n\n`),
  'event: response.completed\ndata: {"type":"response.completed"}\n\n',
].join('')

function converse(observation: Observation): void {
  const headers = { 'content-type': 'application/json', authorization: 'canary' }
  observation.viewHead('client-request', { line: 'POST /v1/responses', headers })
  observation.view('client-request', JSON.stringify(request))
  for (const round of [1, 2]) {
    observation.viewHead('upstream-request', { line: 'POST http://local/v1/chat/completions', headers: {} })
    observation.view('upstream-request', JSON.stringify({ round }))
  }
  observation.viewHead('client-answer', { line: '200', headers: {} })
  observation.view('client-answer', events)
}

export function gatewayWith(during = converse, options: TraceRingOptions = {}): FakeGateway {
  const gateway = fakeGateway(options)
  pass(gateway.ring, wholeExchange, during)
  return gateway
}

export const id = wholeExchange.id ?? ''

/** `toolwire trace` against a ring of traces, without a network and without time. */
import { createTraceRing, type TraceRing, type TraceRingOptions } from '../../telemetry/trace-ring.ts'
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

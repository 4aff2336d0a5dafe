/** The last exchange of this gateway, as `toolwire trace last` shows it. */
import type { WireSet } from '../../config/wires.ts'
import { findBefore, readWholeConversation } from '../../reading/earlier.ts'
import type { TraceReader } from '../../telemetry/observer.ts'
import type { Trace } from '../../telemetry/traces/trace-document.ts'
import { colorsFor } from '../../terminal/colors.ts'
import type { Io } from '../../terminal/io.ts'
import { lastExchange, mostTraces, readTrace, readTraceList } from '../trace/read-trace.ts'
import { showTrace } from '../trace/show.ts'

export async function showLastTrace(traces: TraceReader, wires: WireSet, { stdout, env }: Io): Promise<void> {
  const newest = lastExchange(readTraceList({ data: await traces.list(mostTraces) }) ?? [])
  const find = async (id: string): Promise<Trace | undefined> => readTrace(await traces.get(id))
  const trace = newest === undefined ? undefined : await find(newest.id)
  if (trace === undefined) {
    stdout.write('No exchanges yet.\n')
    return
  }
  const options = { output: stdout, colors: colorsFor(stdout, env), full: false, headers: false, raw: false }
  stdout.write(
    `\n${showTrace(trace, readWholeConversation(trace, wires, await findBefore(trace, find)), options)}\n`,
  )
}

/** The last exchange of this gateway, as `toolwire trace last` shows it. */
import type { WireSet } from '../../config/wires.ts'
import { readConversation } from '../../reading/said.ts'
import type { TraceReader } from '../../telemetry/observer.ts'
import { colorsFor } from '../../terminal/colors.ts'
import type { Io } from '../../terminal/io.ts'
import { lastExchange, mostTraces, readTrace, readTraceList } from '../trace/read-trace.ts'
import { showTrace } from '../trace/show.ts'

export function showLastTrace(traces: TraceReader, wires: WireSet, { stdout, env }: Io): void {
  const newest = lastExchange(readTraceList({ data: traces.list(mostTraces) }) ?? [])
  const trace = newest === undefined ? undefined : readTrace(traces.get(newest.id))
  if (trace === undefined) {
    stdout.write('No exchanges yet.\n')
    return
  }
  const options = { output: stdout, colors: colorsFor(stdout, env), full: false, headers: false, raw: false }
  stdout.write(`\n${showTrace(trace, readConversation(trace, wires), options)}\n`)
}

/** A trace with those before it, read as one. */
import type { Trace } from '../telemetry/traces/trace-document.ts'
import { type Before, readWholeConversation } from './earlier.ts'
import { type Reading, readExchange } from './reading.ts'

export interface Traced {
  readonly trace: Trace
  /** Left out where nobody has looked for them. */
  readonly before?: Before
}

export function readTraced({ trace, before }: Traced, wires: Parameters<typeof readExchange>[1]): Reading {
  const reading = readExchange(trace, wires)
  return before === undefined
    ? reading
    : { ...reading, conversation: readWholeConversation(trace, wires, before) }
}

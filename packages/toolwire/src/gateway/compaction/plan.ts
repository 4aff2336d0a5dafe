/**
 * What a client asks to be summarised, planned before the upstream is asked anything, on the event loop or in a worker
 * thread. What follows from it is plain data: the summary is put into the upstream's request when it is known.
 */
import type { CompactionDemand, Diagnostic, Exchange, WireDefinition } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import type { CompactionPlan } from '../workers/protocol.ts'

export interface PlannedRequest {
  readonly value: JsonObject
  readonly diagnostics: readonly Diagnostic[]
  readonly plan?: CompactionPlan
  /** Set where the answer is the summary. */
  readonly demand?: CompactionDemand
}

interface Planning {
  readonly exchange: Exchange
  /** Converts the request, with a summary in place of its history if there is one. */
  convert(summary?: string): Pick<PlannedRequest, 'value' | 'diagnostics'>
  readonly upstreamWire: WireDefinition
  readonly model: string
  /** The client wants a stream. So is the summary then, which shows sooner whether the upstream makes it. */
  readonly streamed: boolean
  readonly isOffLoop: boolean
  readonly newId: (prefix: string) => string
}

export async function planRequest(planning: Planning): Promise<PlannedRequest> {
  const { exchange, convert, upstreamWire, model, streamed, newId } = planning
  const converted = convert()
  const demand = exchange.compaction
  if (demand === undefined || !(await isDue(demand, converted.value, planning))) return converted
  const { write } = upstreamWire.service.http
  if (demand.isAlone) {
    const { value, diagnostics } = exchange.summaryRequest() ?? converted
    exchange.answerWith(demand)
    // What else there is to say of the conversation matters only to a model that continues it.
    const unread = converted.diagnostics.filter(({ code }) => code === 'compaction_unreadable')
    return { value, diagnostics: [...unread, ...diagnostics], demand }
  }
  const asked = exchange.summaryRequest({ whole: !streamed })
  if (asked === undefined) return converted
  const placeholder = newId('summary_')
  const body = write({ model, streamed, body: asked.value })
  const { value, diagnostics } = convert(placeholder)
  return {
    value,
    diagnostics: [...asked.diagnostics, ...diagnostics],
    plan: { demand, asked: JSON.stringify(body), placeholder },
  }
}

/** As the upstream would be sent it: what an earlier summary stands for does not count. */
async function isDue(
  { threshold }: CompactionDemand,
  value: JsonObject,
  { upstreamWire: wire, model, isOffLoop }: Planning,
): Promise<boolean> {
  if (threshold === undefined) return true
  const { length } = JSON.stringify(value)
  // No token is shorter than a character.
  if (length < threshold) return false
  // Counting loads a tokenizer, which most gateways never need.
  const { countTokensOf } = await import('../routes/count-request.ts')
  const countable = { body: value, bytes: length, history: [] }
  return (await countTokensOf(countable, { wire, model, isOffLoop })).total >= threshold
}

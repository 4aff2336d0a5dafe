/** What happened when within an exchange: bars and dots, in milliseconds since its start. */
import type { Trace, TracePart } from '../../../toolwire/src/telemetry/trace-document.ts'

export interface Bar {
  readonly lane: 'gateway' | 'upstream' | 'tool' | 'client'
  readonly label: string
  readonly from: number
  readonly to: number
  readonly isFailed?: boolean
}

interface Dots {
  readonly label: string
  readonly times: readonly number[]
}

export interface Timeline {
  readonly end: number
  readonly bars: readonly Bar[]
  readonly dots: readonly Dots[]
  readonly retries: readonly number[]
  /** The gateway's own time, and all the time it waited for others. */
  readonly ownMs: number | undefined
  readonly firstTokenMs: number | undefined
}

export function timelineOf(trace: Trace): Timeline | undefined {
  const { views, summary, tool_runs: runs, retry_times_ms: retries = [] } = trace
  const asked = views['upstream-request']?.parts ?? []
  const answered = views['upstream-answer']?.parts ?? []
  const told = views['client-answer']?.parts ?? []
  const all = [...asked, ...answered, ...told]
  if (all.every(({ at_ms }) => at_ms === undefined)) return undefined
  const end = Math.max(
    summary.total_ms ?? 0,
    ...all.map(lastTime),
    ...runs.map(run => (run.at_ms ?? 0) + run.duration_ms),
  )
  const bars: Bar[] = []
  let free = 0
  asked.forEach((part, i) => {
    const sent = part.at_ms ?? free
    const label = i === 0 ? 'guard, reading, conversion' : 'conversion for the next round'
    bars.push({
      lane: 'gateway',
      label,
      from: i === 0 ? 0 : Math.min(sent, afterTools(runs, free)),
      to: sent,
    })
    const answer = answered[i]
    const head = answer?.at_ms ?? end
    const round = asked.length > 1 ? `round ${i + 1}: ` : ''
    bars.push({
      lane: 'upstream',
      label: `${round}waiting for the answer`,
      from: sent,
      to: head,
      isFailed: isBad(answer),
    })
    if (answer !== undefined) {
      free = Math.max(head, Math.min(lastTime(answer), asked[i + 1]?.at_ms ?? end))
      bars.push({ lane: 'upstream', label: `${round}the answer comes`, from: head, to: free })
    } else free = head
  })
  for (const { name, at_ms: at, duration_ms: ms, status } of runs) {
    if (at !== undefined)
      bars.push({ lane: 'tool', label: name, from: at, to: at + ms, isFailed: status !== 'ok' })
  }
  if (summary.state === 'ended')
    bars.push({ lane: 'gateway', label: 'the end', from: Math.max(free, afterTools(runs, 0)), to: end })
  const times = (parts: readonly TracePart[]): number[] =>
    parts.flatMap(({ event_times_ms: events = [] }) => events)
  return {
    end: Math.max(end, 0.1),
    bars: bars.filter(({ from, to }) => to >= from),
    dots: [
      { label: 'events of the upstream', times: times(answered) },
      { label: 'events for the client', times: times(told) },
    ].filter(dots => dots.times.length > 0),
    retries,
    ownMs: summary.overhead_ms,
    firstTokenMs: summary.first_byte_ms,
  }
}

function lastTime({ at_ms: at = 0, event_times_ms: events = [] }: TracePart): number {
  return events.at(-1) ?? at
}

function afterTools(runs: Trace['tool_runs'], otherwise: number): number {
  return Math.max(otherwise, ...runs.map(run => (run.at_ms ?? 0) + run.duration_ms))
}

function isBad(part: TracePart | undefined): boolean {
  return Number(part?.line ?? 200) >= 400
}

/**
 * Where on the scale a line with a round number of milliseconds is drawn, at most about `most` of them.
 * None is close to the end: its number stands to the right of it.
 */
export function ticks(end: number, most: number): number[] {
  const rough = end / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(factor => factor * power).find(each => each >= rough) ?? rough
  const found: number[] = []
  for (let i = 0; i * step <= 0.9 * end && i <= 2 * most; i++) found.push(i * step)
  return found
}

/**
 * What happened when within an exchange, as steps one after the other. Whatever is not the time of an upstream, of a tool
 * or of a pause is the gateway's own, so that the steps add up to the whole. Times are milliseconds since the start.
 */
import type { Trace, TraceAttempt, TracePart } from '../telemetry/traces/trace-document.ts'

type Who = 'gateway' | 'upstream' | 'tool'

export interface TimelineStep {
  readonly who: Who
  readonly what:
    | 'guard'
    | 'conversion'
    | 'connect'
    | 'wait'
    | 'answer'
    | 'pause'
    | 'tool'
    | 'events'
    | 'other'
    | 'end'
  readonly from: number
  readonly to: number
  /** How long it took: without what the gateway did meanwhile. */
  readonly took: number
  /** The upstream, or the tool. */
  readonly name?: string
  readonly round?: number
  /** From 1, within its round. */
  readonly attempt?: number
  /** The status or the code with which it failed. */
  readonly failure?: string
}

export interface Timeline {
  readonly end: number
  readonly steps: readonly TimelineStep[]
  /** Together they are the end; tools that ran at the same time count once. */
  readonly sums: { readonly [who in Who]: number } & { readonly pauses: number }
  /** When the first event of the upstream was complete. */
  readonly first_event?: number
}

type Step = Omit<TimelineStep, 'took'>

/** `undefined` where no times were recorded. */
export function readTimeline(trace: Trace): Timeline | undefined {
  const { summary, views, attempts = [] } = trace
  const parts = Object.values(views).flatMap(view => view.parts)
  const read = views['client-request']?.parts[0]?.at_ms
  if (read === undefined && attempts.length === 0) return undefined
  const answers = views['upstream-answer']?.parts ?? []
  const others = [...upstreamSteps(attempts, answers), ...toolSteps(trace)]
  const ends = [...parts.map(endOf), ...others.map(({ to }) => to)]
  const end = round(ends.reduce((last, each) => Math.max(last, each), summary.total_ms ?? 0))
  const within = others.map(step => ({ ...step, to: Math.min(step.to, end) }))
  const own = gatewaySteps(within, read ?? 0, end)
  const worked = round(Math.max(0, (summary.overhead_ms ?? 0) - sum(own)))
  const steps = [...withoutWork(within, worked), ...own.map(withTook), ...eventSteps(within, worked)].sort(
    (a, b) => a.from - b.from,
  )
  const firstEvent = answers.find(({ event_times_ms: times = [] }) => times.length > 0)?.event_times_ms?.[0]
  return {
    end,
    steps,
    sums: sumsOf(steps, within, end),
    ...(firstEvent !== undefined && { first_event: firstEvent }),
  }
}

function upstreamSteps(attempts: readonly TraceAttempt[], answers: readonly TracePart[]): Step[] {
  return attempts.flatMap((attempt, i) => {
    const { upstream: name, round: number, at_ms: at, connected_ms: connected, status } = attempt
    const next = attempts[i + 1]
    const ended = attempt.ended_ms ?? Math.max(at, next?.at_ms ?? at)
    const failure = attempt.failure ?? ((status ?? 200) >= 400 ? String(status) : undefined)
    const common = { who: 'upstream', name, round: number, attempt: attemptNumber(attempts, i) } as const
    const isConnecting = connected !== undefined && connected > at
    const isRetried = next !== undefined && next.round === number && next.upstream === name
    const answer = answers.find(
      ({ at_ms: begun = -1 }) => begun >= ended && begun < (next?.at_ms ?? Number.POSITIVE_INFINITY),
    )
    const steps: (Step | undefined)[] = [
      isConnecting ? { ...common, what: 'connect', from: at, to: connected } : undefined,
      {
        ...common,
        what: 'wait',
        from: isConnecting ? connected : at,
        to: ended,
        ...(failure !== undefined && { failure }),
      },
      answer === undefined || isRetried
        ? undefined
        : { ...common, what: 'answer', from: ended, to: Math.max(ended, endOf(answer)) },
      isRetried ? { ...common, what: 'pause', from: ended, to: next.at_ms } : undefined,
    ]
    return steps.filter(step => step !== undefined)
  })
}

/** Fallbacks and retries of one round are counted together. */
function attemptNumber(attempts: readonly TraceAttempt[], at: number): number {
  const round = attempts[at]?.round
  return attempts.slice(0, at + 1).filter(attempt => attempt.round === round).length
}

function toolSteps({ tool_runs: runs }: Trace): Step[] {
  return runs.flatMap(({ name, status, at_ms: at, duration_ms: ms }) =>
    at === undefined
      ? []
      : [
          {
            who: 'tool',
            what: 'tool',
            name,
            from: at,
            to: round(at + ms),
            ...(status !== 'ok' && { failure: status }),
          } as const,
        ],
  )
}

/** What lies between the times of others. */
function gatewaySteps(others: readonly Step[], read: number, end: number): Step[] {
  const steps: Step[] = []
  const inOrder = [...others].sort((a, b) => a.from - b.from)
  const add = (what: Step['what'], from: number, to: number): void => {
    if (to > from) steps.push({ who: 'gateway', what, from, to })
  }
  let free = Math.min(read, inOrder[0]?.from ?? end, end)
  add('guard', 0, free)
  for (const { what, from, to } of inOrder) {
    add(what === 'connect' || what === 'wait' ? 'conversion' : 'other', free, from)
    free = Math.max(free, to)
  }
  add(others.length === 0 ? 'other' : 'end', free, end)
  return steps
}

/** While an answer comes, the gateway works on its events: that is no time of the upstream. */
function withoutWork(others: readonly Step[], worked: number): TimelineStep[] {
  const answers = sum(others.filter(({ what }) => what === 'answer'))
  const share = answers === 0 ? 0 : Math.min(1, worked / answers)
  return others.map(step =>
    step.what === 'answer'
      ? { ...step, took: round((step.to - step.from) * (1 - share)) }
      : { ...withTook(step) },
  )
}

function eventSteps(others: readonly Step[], worked: number): TimelineStep[] {
  const answers = others.filter(({ what }) => what === 'answer')
  const took = Math.min(worked, sum(answers))
  const [first] = answers
  const last = answers.at(-1)
  if (first === undefined || last === undefined || took === 0) return []
  return [{ who: 'gateway', what: 'events', from: first.from, to: last.to, took }]
}

function withTook(step: Step): TimelineStep {
  return { ...step, took: round(step.to - step.from) }
}

function sumsOf(steps: readonly TimelineStep[], others: readonly Step[], end: number): Timeline['sums'] {
  const took = (fits: (step: TimelineStep) => boolean): number =>
    round(steps.filter(fits).reduce((all, step) => all + step.took, 0))
  const gateway = took(({ who }) => who === 'gateway')
  const pauses = took(({ what }) => what === 'pause')
  const tool = covered(others.filter(({ who }) => who === 'tool'))
  return { gateway, pauses, tool, upstream: round(Math.max(0, end - gateway - pauses - tool)) }
}

/** How long at least one of them lasted. */
function covered(steps: readonly Step[]): number {
  let all = 0
  let free = 0
  for (const { from, to } of [...steps].sort((a, b) => a.from - b.from)) {
    all += Math.max(0, to - Math.max(free, from))
    free = Math.max(free, to)
  }
  return round(all)
}

function endOf({ at_ms: at = 0, end_ms: end = at, event_times_ms: events = [] }: TracePart): number {
  return Math.max(end, events.at(-1) ?? 0)
}

function sum(steps: readonly Step[]): number {
  return steps.reduce((all, { from, to }) => all + to - from, 0)
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}

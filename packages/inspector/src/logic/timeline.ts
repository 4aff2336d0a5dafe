/** The steps of an exchange as lines of bars and dots. */
import { isObject, parseJson } from '@toolwire/core/json'
import type { Timeline, TimelineStep } from '../../../toolwire/src/reading/timeline.ts'
import type { Trace, TracePart } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { eventsOf } from './events.ts'

export interface Lane {
  readonly key: string
  readonly name: string
  readonly who: TimelineStep['who']
  readonly steps: readonly TimelineStep[]
}

/** The gateway, each upstream in the order in which they were asked, and each run of a tool. */
export function lanesOf({ steps }: Timeline): Lane[] {
  const lanes = new Map<string, { name: string; who: TimelineStep['who']; steps: TimelineStep[] }>()
  steps.forEach((step, i) => {
    const { who, name = '', what } = step
    // What is done while others work has no place of its own on the line.
    if (what === 'events') return
    const key = who === 'gateway' ? who : who === 'tool' ? `tool ${i}` : `upstream ${name}`
    const lane = lanes.get(key)
    if (lane === undefined) lanes.set(key, { name: who === 'gateway' ? 'Gateway' : name, who, steps: [step] })
    else lane.steps.push(step)
  })
  const order: readonly TimelineStep['who'][] = ['gateway', 'upstream', 'tool']
  return [...lanes]
    .map(([key, lane]) => ({ key, ...lane }))
    .sort((a, b) => order.indexOf(a.who) - order.indexOf(b.who))
}

/** Where each round begins, for exchanges with more than one. */
export function roundStarts({ steps }: Timeline): { readonly round: number; readonly at: number }[] {
  const starts = new Map<number, number>()
  for (const { round, from } of steps) if (round !== undefined && !starts.has(round)) starts.set(round, from)
  return starts.size < 2 ? [] : [...starts].map(([round, at]) => ({ round, at }))
}

const words: { readonly [what in TimelineStep['what']]: string } = {
  guard: 'key, place and reading',
  conversion: 'conversion',
  connect: 'connecting',
  wait: 'waiting for the answer',
  answer: 'the answer comes',
  pause: 'pause before the next attempt',
  tool: 'tool',
  events: 'conversion of the events as they come',
  other: 'work in between',
  end: 'the end of the answer',
}

/** `isAgain`: whether there were several attempts in its round. */
export function stepText({ what, name, attempt, failure }: TimelineStep, isAgain: boolean): string {
  const said = what === 'tool' ? (name ?? words.tool) : words[what]
  const which = isAgain && attempt !== undefined ? `attempt ${attempt}: ` : ''
  const how = failure === undefined ? '' : failure === 'failed' ? ', failed' : `, failed with ${failure}`
  return `${which}${said}${how}`
}

export function hasAttempts({ steps }: Timeline): boolean {
  return steps.some(({ attempt = 1 }) => attempt > 1)
}

interface Dots {
  readonly label: string
  readonly times: readonly number[]
}

export function dotsOf({ views }: Trace): Dots[] {
  const dots = (label: string, parts: readonly TracePart[] = []): Dots => ({
    label: parts.some(({ cut }) => cut) ? `${label}, of those kept` : label,
    times: parts.flatMap(({ event_times_ms: events = [] }) => events),
  })
  return [
    dots('from the upstream', views['upstream-answer']?.parts),
    dots('to the client', views['client-answer']?.parts),
  ].filter(({ times }) => times.length > 0)
}

/** All dots of a line as one path, on a scale of 1000. Those that nobody could tell apart are drawn once. */
export function dotPath(times: readonly number[], end: number): string {
  const places = new Set(times.map(ms => Math.round((10_000 * ms) / end) / 10))
  return [...places].map(place => `M${place} 8h0`).join('')
}

/** When the first event came that brings something of the model; many streams begin with events that do not. */
export function firstToken(parts: readonly TracePart[] = []): number | undefined {
  for (const { text, event_times_ms: times } of parts) {
    if (times === undefined) continue
    const found = eventsOf(text, times).find(({ name, data }) => /[._]delta$/.test(name) || hasDelta(data))
    if (found !== undefined) return found.ms
  }
  return undefined
}

/** A chunk of Chat has no name: it is told by what has a value in it. */
function hasDelta(data: string): boolean {
  const chunk = parseJson(data)
  const choices = isObject(chunk) && Array.isArray(chunk.choices) ? chunk.choices : []
  return choices.some(
    choice =>
      isObject(choice) &&
      isObject(choice.delta) &&
      Object.entries(choice.delta).some(([key, value]) => key !== 'role' && value !== null && value !== ''),
  )
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

/**
 * The record of an exchange as the text of a log line: `JSON.stringify(recordOf(facts))` with a level, in a form that a
 * terminal shows as it is. Written member by member, because a gateway writes one for every request.
 */
import { ownText } from '../platform/own-text.ts'
import { printable } from '../terminal/printable.ts'
import { failuresOf, maskedName, recordOf, roundedCost } from './exchange-record.ts'
import type { ExchangeFacts } from './observer.ts'

/** Names repeat: what was masked and quoted once is not looked at again. */
const knownNames = new Map<string, string>()
const mostNames = 1000
const longestName = 200

/** Without the closing brace. */
export function exchangeLine(facts: ExchangeFacts, level: string): string {
  const { usage } = facts
  // What is rare needs no second way to be written.
  if (facts.failure !== undefined || facts.route === 'unknown' || facts.failedUpstreams !== undefined)
    return rareLine(facts, level)
  return (
    `{"time":"${isoTime(facts.at)}","level":"${level}","id":${quoted(facts.id)},"route":${nameText(facts.route)}` +
    numberMember('status', facts.status) +
    nameMember('tenant', facts.tenant) +
    nameMember('wire', facts.wire) +
    nameMember('upstream', facts.upstream) +
    nameMember('upstream_wire', facts.upstreamWire) +
    nameMember('model', facts.model) +
    nameMember('upstream_model', facts.upstreamModel) +
    (facts.streamed === undefined ? '' : `,"streamed":${facts.streamed}`) +
    durationMember('first_byte_ms', facts.firstByteMs) +
    durationMember('total_ms', facts.totalMs) +
    durationMember('overhead_ms', facts.overheadMs) +
    (usage === undefined
      ? ''
      : numberMember('input_tokens', usage.input) +
        numberMember('output_tokens', usage.output) +
        numberMember('cache_read_tokens', usage.cacheRead) +
        numberMember('reasoning_tokens', usage.reasoning)) +
    numberMember('cost_usd', roundedCost(facts.cost)) +
    nameMember('finish', facts.finish) +
    (facts.responseId === undefined ? '' : `,"response_id":${quoted(maskedName(facts.responseId))}`) +
    `,"client_calls":${facts.clientCalls?.length ?? 0},"tool_runs":${facts.toolRuns?.length ?? 0}` +
    `,"tool_failures":${failuresOf(facts)},"losses":${facts.losses?.length ?? 0},"retries":${facts.retries ?? 0}` +
    numberMember('rounds', facts.rounds) +
    `,"abandoned":${facts.abandoned === true}`
  )
}

function rareLine(facts: ExchangeFacts, level: string): string {
  const { time, ...rest } = recordOf(facts)
  return printable(JSON.stringify({ time, level, ...rest }).slice(0, -1))
}

function numberMember(name: string, value: number | undefined): string {
  return value === undefined ? '' : `,"${name}":${Number.isFinite(value) ? value : null}`
}

/** Thousandths without zeros at the end. Writing a number that is no integer takes as long as the rest of the line. */
const fractions: readonly string[] = Array.from({ length: 1000 }, (_, i) => `${i / 1000}`.slice(1))

/** Rounded as in the record. */
function durationMember(name: string, milliseconds: number | undefined): string {
  if (milliseconds === undefined) return ''
  const micros = Math.round(milliseconds * 1000)
  if (!(micros >= 0 && micros < 1e12)) return numberMember(name, micros / 1000)
  const whole = Math.floor(micros / 1000)
  return `,"${name}":${whole}${fractions[micros - whole * 1000]}`
}

function nameMember(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${nameText(value)}`
}

function nameText(name: string): string {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const text = quoted(maskedName(name))
  if (name.length > longestName) return text
  if (knownNames.size >= mostNames) knownNames.clear()
  // A copy, because the name may be a piece of a long body.
  knownNames.set(ownText(name), text)
  return text
}

function quoted(text: string): string {
  return /^[\w.:-]*$/.test(text) ? `"${text}"` : printable(JSON.stringify(text))
}

let second = Number.NaN
let untilSecond = ''

/** `Date.toISOString`, which takes longer than all the rest of the line. */
function isoTime(at: number): string {
  const now = Math.floor(at / 1000)
  if (now !== second) {
    untilSecond = new Date(now * 1000).toISOString().slice(0, -4)
    second = now
  }
  return `${untilSecond}${String(Math.trunc(at - now * 1000)).padStart(3, '0')}Z`
}

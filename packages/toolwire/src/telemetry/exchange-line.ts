/**
 * The record of an exchange as the text of a log line: `JSON.stringify(recordOf(facts))` with a level, in a form that a
 * terminal shows as it is. Written member by member, because a gateway writes one for every request.
 */
import { ownText } from '../platform/own-text.ts'
import { printable } from '../terminal/printable.ts'
import { type ExchangeRecord, failuresOf, maskedName, recordOf, roundedCost } from './exchange-record.ts'
import type { ExchangeFacts } from './observer.ts'

/** Names repeat: what was masked and quoted once is not looked at again. */
const knownNames = new Map<string, string>()
const mostNames = 1000
const longestName = 200

/** Without the closing brace. */
export function exchangeLine(facts: ExchangeFacts, level: string): string {
  return `{"time":"${isoTime(facts.at)}","level":"${level}",${recordText(facts)}`
}

/** All members behind the time, of an exchange that has ended: the log and the traces have the same. */
export function recordText(facts: ExchangeFacts): string {
  facts.recordText ??= membersOf(facts)
  return facts.recordText
}

function membersOf(facts: ExchangeFacts): string {
  const { usage } = facts
  // What is rare needs no second way to be written.
  if (facts.failure !== undefined || facts.route === 'unknown' || facts.failedUpstreams !== undefined)
    return rareMembers(facts)
  return (
    `"id":${quoted(facts.id)}${pathMembers(facts)}` +
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

/** The members that most exchanges on a route have in common, and the facts that they were written from. */
interface PathMembers extends Pick<ExchangeFacts, PathFact> {
  readonly text: string
}

type PathFact =
  | 'status'
  | 'tenant'
  | 'wire'
  | 'upstream'
  | 'upstreamWire'
  | 'model'
  | 'upstreamModel'
  | 'streamed'

/** By route. */
const latestPaths = new Map<string, PathMembers>()

function pathMembers(facts: ExchangeFacts): string {
  const { route, status, tenant, wire, upstream, upstreamWire, model, upstreamModel, streamed } = facts
  const latest = latestPaths.get(route)
  if (
    latest !== undefined &&
    latest.status === status &&
    latest.tenant === tenant &&
    latest.wire === wire &&
    latest.upstream === upstream &&
    latest.upstreamWire === upstreamWire &&
    latest.model === model &&
    latest.upstreamModel === upstreamModel &&
    latest.streamed === streamed
  )
    return latest.text
  const text =
    `,"route":${nameText(route)}` +
    numberMember('status', status) +
    nameMember('tenant', tenant) +
    nameMember('wire', wire) +
    nameMember('upstream', upstream) +
    nameMember('upstream_wire', upstreamWire) +
    nameMember('model', model) +
    nameMember('upstream_model', upstreamModel) +
    (streamed === undefined ? '' : `,"streamed":${streamed}`)
  if ((model?.length ?? 0) + (upstreamModel?.length ?? 0) <= longestName) {
    if (latestPaths.size >= mostNames) latestPaths.clear()
    const path = { status, tenant, wire, upstream, upstreamWire, model, upstreamModel, streamed }
    // A text that is read once is copied to one place, and then as it is.
    latestPaths.set(route, { ...path, text: ownText(text) } as PathMembers)
  }
  return text
}

function rareMembers(facts: ExchangeFacts): string {
  const { time: _, ...rest } = recordOf(facts)
  return printable(JSON.stringify(rest).slice(1, -1))
}

/** What `recordText` wrote. */
export function readRecord(at: number, text: string): ExchangeRecord {
  return { time: new Date(at).toISOString(), ...JSON.parse(`{${text}}`) }
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

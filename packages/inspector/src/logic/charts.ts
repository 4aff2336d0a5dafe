/** The recent past in equal slices of time, for small charts. */
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { isFailed } from './grouping.ts'

export interface Slice {
  readonly from: number
  readonly requests: number
  readonly failures: number
  readonly losses: number
  /** How often each code is among the losses. */
  readonly codes: ReadonlyMap<string, number>
  readonly input: number
  readonly output: number
  /** The median of the total time, in milliseconds. */
  readonly median: number
}

export function slicesOf(summaries: readonly TraceSummary[], count: number): Slice[] {
  const times = summaries.map(({ time }) => Date.parse(time)).filter(Number.isFinite)
  if (times.length === 0) return []
  const first = Math.min(...times)
  const width = Math.max(1000, (Math.max(...times) - first + 1) / count)
  const groups: TraceSummary[][] = Array.from({ length: count }, () => [])
  for (const summary of summaries)
    groups[Math.min(count - 1, Math.floor((Date.parse(summary.time) - first) / width))]?.push(summary)
  return groups.map((group, i) => {
    const sum = (read: (summary: TraceSummary) => number | undefined): number =>
      group.reduce((total, each) => total + (read(each) ?? 0), 0)
    return {
      from: first + i * width,
      requests: group.length,
      failures: group.filter(isFailed).length,
      losses: sum(({ losses }) => losses),
      codes: codesOf(group),
      input: sum(({ input_tokens }) => input_tokens),
      output: sum(({ output_tokens }) => output_tokens),
      median: medianOf(group.flatMap(({ total_ms }) => (total_ms === undefined ? [] : [total_ms]))),
    }
  })
}

function codesOf(group: readonly TraceSummary[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { loss_codes: codes = {} } of group)
    for (const [code, number] of Object.entries(codes)) counts.set(code, (counts.get(code) ?? 0) + number)
  return counts
}

/** Each code with how often it was in each slice, the most frequent first. */
export function lossesByCode(
  past: readonly Slice[],
): { readonly code: string; readonly total: number; readonly counts: readonly number[] }[] {
  const all = new Set(past.flatMap(({ codes }) => [...codes.keys()]))
  return [...all]
    .map(code => {
      const counts = past.map(({ codes }) => codes.get(code) ?? 0)
      return { code, counts, total: counts.reduce((sum, each) => sum + each, 0) }
    })
    .sort((a, b) => b.total - a.total)
}

/** How many exchanges an upstream was asked for, also where another answered in its place, and how many of them it failed. */
export function askedOf(
  name: string,
  summaries: readonly TraceSummary[],
): { readonly asked: number; readonly failed: number } {
  const mine = summaries.filter(({ upstream }) => upstream === name)
  const skipped = summaries.filter(
    ({ upstream, failed_upstreams: all = '' }) => upstream !== name && `, ${all}`.includes(`, ${name} (`),
  )
  return { asked: mine.length + skipped.length, failed: mine.filter(isFailed).length + skipped.length }
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[middle - 1], sorted[middle]]
  if (high === undefined) return 0
  return sorted.length % 2 === 0 && low !== undefined ? (low + high) / 2 : high
}

/** The metrics of several processes as those of one: Prometheus' text format in, and out again. */

interface MetricFamily {
  readonly head: readonly string[]
  readonly isGauge: boolean
  /** By name and labels, in the order in which they were first seen. */
  readonly samples: Map<string, number>
}

/** `departed`: of a process that has ended. What it counted stays, and what was true of it only then does not. */
export interface MetricText {
  readonly text: string
  readonly departed?: boolean
}

/** Counters and histograms are added up; of the gauges those that count something. */
export function mergeMetrics(texts: readonly MetricText[]): string {
  const families = new Map<string, MetricFamily>()
  for (const { text, departed = false } of texts) addText(families, text, departed)
  const lines: string[] = []
  for (const { head, samples } of families.values()) {
    for (const line of head) lines.push(line)
    for (const [name, value] of samples) lines.push(`${name} ${value}`)
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function addText(families: Map<string, MetricFamily>, text: string, departed: boolean): void {
  let help = ''
  let family: MetricFamily | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    if (line.startsWith('# HELP ')) help = line
    else if (line.startsWith('# TYPE ')) {
      const [, , name = '', type] = line.split(' ')
      family = families.get(name) ?? { head: [help, line], isGauge: type === 'gauge', samples: new Map() }
      families.set(name, family)
    } else if (family !== undefined && !(departed && family.isGauge)) addSample(family, line)
  }
}

function addSample({ isGauge, samples }: MetricFamily, line: string): void {
  // The value has no blank, and a label may have many.
  const at = line.lastIndexOf(' ')
  const name = line.slice(0, at)
  const value = Number(line.slice(at + 1))
  const before = samples.get(name)
  if (before === undefined) samples.set(name, value)
  else if (!isGauge) samples.set(name, before + value)
  // What is said of the gateway is said by each; it began with the first of them.
  else if (/_info\b/.test(name)) samples.set(name, Math.max(before, value))
  else if (/_time_seconds\b/.test(name)) samples.set(name, Math.min(before, value))
  else samples.set(name, before + value)
}

/**
 * Counters, histograms and gauges in Prometheus' text format. Decision 16 explains why this is not a package.
 * Prometheus keeps every series that it has ever seen, so the number of label values is bounded here.
 */

/** Stands for all values beyond the bound. */
const other = 'other'
const maxLabelLength = 100

/** Returns the first `limit` different values as they are, and `other` for all later ones. */
export function createLabelBound(limit: number): (value: string) => string {
  const seen = new Set<string>()
  return value => {
    if (seen.has(value)) return value
    // UTF-8 has no lone surrogates: all would be written as U+FFFD, and two series could get the same name.
    const label = value.slice(0, maxLabelLength).replace(/\p{Surrogate}/gu, '\ufffd')
    if (seen.has(label)) return label
    if (seen.size >= limit) return other
    seen.add(label)
    return label
  }
}

export interface Family {
  /** Appends the lines of this family. */
  write(lines: string[]): void
}

export interface Counter extends Family {
  add(labels: readonly string[], amount?: number): void
  /** One series, for whoever adds to it often. */
  of(labels: readonly string[]): CounterSeries
}

export interface Histogram extends Family {
  observe(labels: readonly string[], value: number): void
  of(labels: readonly string[]): Distribution
}

interface Series<Value> {
  /** As Prometheus reads them. */
  readonly labels: string
  readonly value: Value
}

interface SeriesNode<Value> {
  series: Series<Value> | undefined
  readonly next: Map<string, SeriesNode<Value>>
}

const newNode = <Value>(): SeriesNode<Value> => ({ series: undefined, next: new Map() })

/** One series for each combination of labels, found label by label: joining them to a key is three times slower. */
export class SeriesTree<Value> {
  readonly all: Series<Value>[] = []
  readonly #names: readonly string[]
  readonly #create: (labels: readonly string[]) => Value
  readonly #root: SeriesNode<Value> = newNode()

  constructor(names: readonly string[], create: (labels: readonly string[]) => Value) {
    this.#names = names
    this.#create = create
  }

  of(labels: readonly string[]): Value {
    let node = this.#root
    for (const label of labels) {
      let next = node.next.get(label)
      if (next === undefined) {
        next = newNode()
        node.next.set(label, next)
      }
      node = next
    }
    if (node.series === undefined) {
      node.series = { labels: labelText(this.#names, labels), value: this.#create(labels) }
      this.all.push(node.series)
    }
    return node.series.value
  }
}

export class CounterSeries {
  total = 0

  add(amount: number): void {
    if (amount > 0 && Number.isFinite(amount)) this.total += amount
  }
}

export function createCounter(name: string, help: string, labelNames: readonly string[] = []): Counter {
  const series = new SeriesTree(labelNames, () => new CounterSeries())
  // A counter without labels exists from the start, so that its first increment shows as a rate.
  if (labelNames.length === 0) series.of([])
  return {
    add(labels, amount = 1) {
      if (amount > 0 && Number.isFinite(amount)) series.of(labels).add(amount)
    },
    of: labels => series.of(labels),
    write(lines) {
      lines.push(...head(name, 'counter', help))
      for (const { labels, value } of series.all) lines.push(`${name}${inBraces(labels)} ${value.total}`)
    },
  }
}

export class Distribution {
  /** One more than there are bounds: the last counts the values above all of them. */
  readonly counts: number[]
  sum = 0
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = new Array<number>(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    if (!(value >= 0 && Number.isFinite(value))) return
    let index = 0
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? 0)) index++
    this.counts[index] = (this.counts[index] ?? 0) + 1
    this.sum += value
  }
}

/** `bounds` ascend. A value belongs to the first bound that is not below it. */
export function createHistogram(
  name: string,
  help: string,
  labelNames: readonly string[],
  bounds: readonly number[],
): Histogram {
  const series = new SeriesTree(labelNames, () => new Distribution(bounds))
  return {
    observe(labels, value) {
      if (value >= 0 && Number.isFinite(value)) series.of(labels).observe(value)
    },
    of: labels => series.of(labels),
    write(lines) {
      lines.push(...head(name, 'histogram', help))
      for (const { labels, value } of series.all) {
        const before = labels === '' ? '' : `${labels},`
        let total = 0
        for (const [i, count] of value.counts.entries()) {
          total += count
          lines.push(`${name}_bucket{${before}le="${bounds[i] ?? '+Inf'}"} ${total}`)
        }
        lines.push(`${name}_sum${inBraces(labels)} ${value.sum}`, `${name}_count${inBraces(labels)} ${total}`)
      }
    },
  }
}

/** A value that is read when the metrics are written. */
export function createGauge(
  name: string,
  help: string,
  read: () => number,
  labels: Readonly<Record<string, string>> = {},
): Family {
  const text = labelText(Object.keys(labels), Object.values(labels))
  return {
    write(lines) {
      lines.push(...head(name, 'gauge', help), `${name}${inBraces(text)} ${read()}`)
    },
  }
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${type}`]
}

function labelText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',')
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function inBraces(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

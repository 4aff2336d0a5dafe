/** Counters and histograms in Prometheus' text form. Labels are few and bounded, so that series are too. */

/** What stands for all values beyond the bound. */
const other = 'other'
const longestLabel = 100

/** Lets the first `limit` different values through; all later ones are one. */
export function createLabelBound(limit: number): (value: string) => string {
  const seen = new Set<string>()
  return value => {
    if (seen.has(value)) return value
    // Half a character would be written like any other half, and make two series of one name.
    const label = value.slice(0, longestLabel).replace(/\p{Surrogate}/gu, '\ufffd')
    if (seen.has(label)) return label
    if (seen.size >= limit) return other
    seen.add(label)
    return label
  }
}

export interface Family {
  /** Adds this family's lines. */
  write(lines: string[]): void
}

export interface Counter extends Family {
  add(labels: readonly string[], amount?: number): void
}

export interface Histogram extends Family {
  observe(labels: readonly string[], value: number): void
}

/** One series for each combination of labels, found label by label: no text is made of them until they are written. */
class SeriesTree<Value> {
  readonly #names: readonly string[]
  readonly #create: () => Value
  readonly #root: Branch<Value> = { value: undefined, below: undefined }
  readonly #all = new Map<string, Value>()

  constructor(names: readonly string[], create: () => Value) {
    this.#names = names
    this.#create = create
  }

  of(labels: readonly string[]): Value {
    let branch = this.#root
    for (const label of labels) branch = branchBelow(branch, label)
    if (branch.value === undefined) {
      branch.value = this.#create()
      this.#all.set(labelText(this.#names, labels), branch.value)
    }
    return branch.value
  }

  /** With their labels as they are written. */
  [Symbol.iterator](): Iterator<[string, Value]> {
    return this.#all[Symbol.iterator]()
  }
}

interface Branch<Value> {
  value: Value | undefined
  below: Map<string, Branch<Value>> | undefined
}

function branchBelow<Value>(branch: Branch<Value>, label: string): Branch<Value> {
  branch.below ??= new Map()
  let next = branch.below.get(label)
  if (next === undefined) {
    next = { value: undefined, below: undefined }
    branch.below.set(label, next)
  }
  return next
}

export function createCounter(name: string, help: string, labelNames: readonly string[] = []): Counter {
  const series = new SeriesTree(labelNames, () => ({ total: 0 }))
  // A counter without labels is there from the beginning, so that its first step can be seen.
  if (labelNames.length === 0) series.of([])
  return {
    add(labels, amount = 1) {
      if (!(amount > 0 && Number.isFinite(amount))) return
      series.of(labels).total += amount
    },
    write(lines) {
      lines.push(...head(name, 'counter', help))
      for (const [labels, { total }] of series) lines.push(`${name}${inBraces(labels)} ${total}`)
    },
  }
}

interface Distribution {
  /** One more than there are bounds: the last is for what is above all of them. */
  readonly counts: number[]
  sum: number
}

/** `bounds` rise. A value belongs to the first bound that is not below it. */
export function createHistogram(
  name: string,
  help: string,
  labelNames: readonly string[],
  bounds: readonly number[],
): Histogram {
  const series = new SeriesTree<Distribution>(labelNames, () => ({
    counts: new Array<number>(bounds.length + 1).fill(0),
    sum: 0,
  }))
  return {
    observe(labels, value) {
      if (!(value >= 0 && Number.isFinite(value))) return
      const found = series.of(labels)
      let index = 0
      while (index < bounds.length && value > (bounds[index] ?? 0)) index++
      found.counts[index] = (found.counts[index] ?? 0) + 1
      found.sum += value
    },
    write(lines) {
      lines.push(...head(name, 'histogram', help))
      for (const [labels, { counts, sum }] of series) {
        const before = labels === '' ? '' : `${labels},`
        let total = 0
        for (const [i, count] of counts.entries()) {
          total += count
          lines.push(`${name}_bucket{${before}le="${bounds[i] ?? '+Inf'}"} ${total}`)
        }
        lines.push(`${name}_sum${inBraces(labels)} ${sum}`, `${name}_count${inBraces(labels)} ${total}`)
      }
    },
  }
}

/** A value that is asked for when the metrics are written. */
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

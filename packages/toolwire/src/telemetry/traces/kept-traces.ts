/**
 * Traces that outlive the gateway: the ring in memory, and behind it a store. What has ended goes there every moment, for
 * as long as the ring has it; whoever reads gets both as one list.
 */
import type { StoredTrace, TraceBounds } from '../../platform/stored-trace.ts'
import type { TraceReader, TraceWatch } from '../observer.ts'
import type { Trace, TraceSummary } from './trace-document.ts'
import type { EndedTraces, TraceRing } from './trace-ring.ts'

/** Where traces are kept from one run to the next. */
export interface TraceKeeper {
  addTraces?(traces: readonly StoredTrace[], bounds: TraceBounds): Promise<void>
  listTraces?(limit: number, owner?: string): Promise<readonly string[]>
  getTrace?(id: string, owner?: string): Promise<string | undefined>
}

export class KeptTraces implements TraceReader {
  readonly #ring: TraceRing
  readonly #keeper: TraceKeeper
  readonly #bounds: TraceBounds
  readonly #ended: EndedTraces
  #flushing: Promise<void> | undefined

  constructor(ring: TraceRing, keeper: TraceKeeper, bounds: TraceBounds) {
    this.#ring = ring
    this.#keeper = keeper
    this.#bounds = bounds
    this.#ended = ring.watchEnded()
  }

  async list(limit: number, owner?: string): Promise<readonly TraceSummary[]> {
    const recent = await this.#ring.inTurns.list(limit, owner)
    const known = new Set(recent.map(({ id }) => id))
    const stored = await this.#stored(() => this.#keeper.listTraces?.(limit + known.size, owner), [])
    const older = stored.map(text => JSON.parse(this.#ring.mask(text)) as TraceSummary)
    return [...recent, ...older.filter(({ id }) => !known.has(id))].slice(0, limit)
  }

  async get(id: string, owner?: string): Promise<Trace | undefined> {
    const recent = await this.#ring.inTurns.get(id, owner)
    if (recent !== undefined) return recent
    const text = await this.#stored(() => this.#keeper.getTrace?.(id, owner), undefined)
    return text === undefined ? undefined : (JSON.parse(this.#ring.mask(text)) as Trace)
  }

  watch(): TraceWatch {
    return this.#ring.inTurns.watch()
  }

  /** Writes what has ended. What the store cannot take now stays in the ring, and is tried again with the next ones. */
  flush(): Promise<void> {
    this.#flushing ??= this.#ended
      .give(async traces => this.#keeper.addTraces?.(traces.map(storedOf), this.#bounds))
      .catch(() => {})
      .finally(() => {
        this.#flushing = undefined
      })
    return this.#flushing
  }

  async close(): Promise<void> {
    await this.#flushing
    await this.flush()
    this.#ended.close()
  }

  /** Those in memory can be read while the store is in trouble. */
  async #stored<T>(read: () => Promise<T> | undefined, otherwise: T): Promise<T> {
    try {
      return (await read()) ?? otherwise
    } catch {
      return otherwise
    }
  }
}

function storedOf({ owner, trace }: { readonly owner: string; readonly trace: Trace }): StoredTrace {
  const { id, response_id: answerId = '' } = trace.summary
  return { owner, id, answerId, summary: JSON.stringify(trace.summary), trace: JSON.stringify(trace) }
}

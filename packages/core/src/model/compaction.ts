/** Compaction: a summary takes the place of the conversation before it. */
import type { Path } from './diagnostic.ts'
import type { ResidueEntry } from './residue.ts'

/** What a request asks for. On servers of its own wire that compact, it stays as it was sent. */
export interface CompactionDemand {
  /** What asks for it. */
  readonly path: Path
  /** From how many input tokens on; absent: at once. */
  readonly threshold?: number
  /** The summary is the whole answer; otherwise the conversation goes on after it. */
  readonly isAlone: boolean
  /** In place of the usual instructions for the summary. */
  readonly instructions?: string
  /** It is to be met here, and was taken out of the request. */
  readonly isTaken?: boolean
  /** The field of the request that asks, and what else that field holds. */
  readonly field?: { readonly key: string; readonly left: readonly ResidueEntry[] }
}

/** What a request leaves to an upstream that makes summaries itself. */
export interface NativeCompaction {
  readonly demand?: CompactionDemand
  /** It holds summaries that nobody but their maker can read. */
  readonly hasItems: boolean
}

/** A summary and how it applies to the conversation before it. */
export interface Compaction {
  readonly summary: string
  /** How many characters of the last turns stay beside it. */
  readonly tail: number
}

/** What a codec knows of an item or block that holds a compaction. */
export interface CompactionPart {
  /** The field that only the maker can read. */
  readonly field: string
  readonly sealed?: string
  /** What the client can read of it. */
  readonly summary?: string
  /** Known here, and in no need of being opened. */
  readonly opened?: Compaction
}

/** A trace that outlives the gateway, as telemetry writes it and a store keeps it. */
export interface StoredTrace {
  /** Whose it is; empty where nobody was known. */
  readonly owner: string
  readonly id: string
  /** The id of its answer; empty where it has none. */
  readonly answerId: string
  /** JSON text: the trace as it stands in the list, and all of it. */
  readonly summary: string
  readonly trace: string
}

export interface TraceBounds {
  readonly entries: number
  readonly bytes: number
}

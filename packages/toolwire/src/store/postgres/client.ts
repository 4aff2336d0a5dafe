/** The part of a connection of `pg` that is used. */
import type { Row } from '../shared/procedures.ts'

export interface Query {
  readonly text: string
  readonly values: readonly unknown[]
  readonly rowMode: 'array'
  /** After so many milliseconds without an answer it rejects, and its connection is closed. */
  readonly query_timeout?: number
}

export interface PostgresClient {
  query(query: string | Query): Promise<{ readonly rows: readonly Row[] }>
  release(destroy?: boolean): void
  on(event: 'error' | 'end', listener: (error?: unknown) => void): unknown
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
}

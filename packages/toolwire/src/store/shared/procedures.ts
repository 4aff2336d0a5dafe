/**
 * What a server provides to `SharedStore`: procedures that run there, each as one atomic step and one round trip. So no
 * gateway that dies or hangs leaves a transaction open. Redis has them as scripts, Postgres as functions, with the same
 * names, arguments and rows.
 */
export type ResponseProcedure =
  | 'save_response'
  | 'get_response'
  | 'fail_response'
  | 'unfinished'
  | 'delete_record'
  | 'request_cancel'
  | 'to_stop'
  | 'context'
  | 'get_items'
  | 'weigh_response'
  | 'weigh_context'
  | 'weigh_items'

export type ConversationProcedure =
  | 'create_conversation'
  | 'get_conversation'
  | 'update_conversation'
  | 'append_items'
  | 'list_items'
  | 'weigh_page'
  | 'get_item'
  | 'delete_item'

export type EventProcedure = 'append_events' | 'save_with_events' | 'read_events' | 'trim_events'

export type UpkeepProcedure =
  | 'claim_ids'
  | 'swap_claim'
  | 'owners_of'
  | 'secret'
  | 'add_usage'
  | 'read_usage'
  | 'trim_usage'
  | 'add_counts'
  | 'trim_counts'
  | 'sweep'
  | 'moment'
  | 'write_moment'
  | 'open_lease'
  | 'renew_lease'
  | 'end_lease'

export type ProcedureName = ResponseProcedure | ConversationProcedure | EventProcedure | UpkeepProcedure

export type Argument = string | number | null | readonly string[]

export type Row = readonly (string | null)[]

export interface Procedures {
  readonly kind: string
  /** Rejects with a `StoreError`. */
  call(name: ProcedureName, ...args: readonly Argument[]): Promise<readonly Row[]>
  /** Calls back with the name that `append_events` was given, for each time that a gateway did so, until it is closed. */
  listen(onWake: (name: string) => void): Promise<void>
  close(): Promise<void>
}

/** The messages between the event loop and a worker thread: plain data and bytes. */
import type {
  CompactionDemand,
  ConvertedAnswer,
  Diagnostic,
  ExchangeOptions,
  KeptReasoning,
  Path,
  SentCall,
  ServerCallRecord,
} from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import type { HeldReference, ReceivedRequest } from '@toolwire/core/wires'
import type { Item } from '../../store/store.ts'
import type { FailureKind } from '../errors.ts'
import type { PeekFields } from '../exchange/peek-request.ts'
import type { SealKeyRing } from '../sealing/seal-keys.ts'
import type { Limits } from '../settings.ts'

/** `read` comes first; only `answer` and `extend` need no request. */
export interface Jobs {
  read(job: ReadJob): ReadRequest
  /** The ids of the calls of earlier answers, where the gateway may have records of calls beside them. */
  sentCallIds(state: FoundState | undefined): readonly string[]
  convert(job: ConvertJob): Promise<ConvertedRequest>
  /** After `convert`: the items to be stored from this one on, as many as the event loop takes at a time. */
  takeInput(from: number): readonly Item[]
  /** The client's bytes, where they pass unread. */
  takeBytes(job: undefined): { readonly bytes: Uint8Array }
  /** For an upstream of the client's own wire that knows the model by this name. */
  rewrite(job: RewriteJob): { readonly bytes: Uint8Array }
  count(job: CountJob): Promise<TokenCount>
  answer(job: AnswerJob): LargeAnswer
  /** The request of the next round. */
  extend(job: ExtendJob): { readonly bytes: Uint8Array }
  /** Forgets the request. */
  release(job: undefined): void
}

export type JobName = keyof Jobs

export interface WorkerMessage {
  readonly job: JobName
  readonly data: never
}

interface JobFailure {
  readonly kind: FailureKind
  readonly message: string
  readonly code: string | undefined
  readonly param: string | undefined
  readonly status: number | undefined
  readonly cause: string | undefined
}

export type Reply = { readonly value: unknown } | { readonly error: JobFailure }

export interface ReadJob extends Omit<ReceivedRequest, 'body'> {
  readonly bytes: Uint8Array
  /** The client's. */
  readonly wire: string
  readonly limits: Pick<Limits, 'depth' | 'nodes' | 'headNodes'>
  readonly fields: PeekFields
}

export interface ReadRequest {
  readonly model: string | undefined
  readonly streamed: boolean
  /** The request without its history: all that the way back depends on, and what the answer repeats. */
  readonly head: JsonObject
  /** How many lists, objects and members it has. */
  readonly nodes: number
  /** Nothing in its text can mean something else to the upstream than it did here. */
  readonly isPlain: boolean
  /** It may ask for a summary. */
  readonly mayCompact: boolean
  /** To what an upstream holds. */
  readonly references: readonly HeldReference[]
  /** The ids of stored items that the history refers to. */
  readonly referred: readonly string[]
  /** Those whose reasoning the client did not return. */
  readonly calls: readonly SentCall[]
}

/** What a worker seals and opens with. */
export interface Sealing {
  readonly keys: SealKeyRing
  readonly owner: string
  readonly sealsOwnWire: boolean
}

export interface ConvertJob {
  readonly upstreamWire: string
  readonly upstream: string
  readonly sealing: Sealing
  /** The reasoning that is kept for its calls. */
  readonly kept: ReadonlyMap<string, readonly string[]>
  /** The records of server tool calls, by the ids of calls in it. */
  readonly records: ReadonlyMap<string, ServerCallRecord>
  /** As far as they are plain data. */
  readonly options: Partial<ExchangeOptions>
  /** The upstream's name of the model. */
  readonly model: string
  readonly isRenamed: boolean
  /** The client's bytes may be sent if nothing has to be changed. */
  readonly isPlain: boolean
  /** Where it has ids of others, which are left out. */
  readonly foreign: readonly Path[]
  readonly streamed: boolean
  readonly state: FoundState | undefined
  /** Fields that the upstream's request must not have. */
  readonly late: readonly string[]
  /** The client wants a shorter conversation. */
  readonly isWindow: boolean
}

/** What the next request to an upstream has that the one before had not. */
export interface ExtendJob {
  readonly bytes: Uint8Array
  readonly historyField: string
  readonly added: readonly unknown[]
  /** Other fields that are not the same; `undefined` for one that is left out. */
  readonly changed: Readonly<Record<string, unknown>>
}

export interface RewriteJob {
  readonly model: string
  readonly foreign: readonly Path[]
}

export interface ConvertedRequest {
  /** The client's own, where nothing had to be changed. */
  readonly bytes: Uint8Array
  readonly passes: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** How many items of it are to be stored. */
  readonly inputCount: number
  readonly plan: CompactionPlan | undefined
  /** Set where the answer is a summary. */
  readonly demand: CompactionDemand | undefined
  /** The messages of the user, where the client wants a shorter conversation. */
  readonly window: readonly unknown[] | undefined
}

export interface AnswerJob {
  readonly bytes: Uint8Array
  /** The client's. */
  readonly wire: string
  readonly upstreamWire: string
  readonly upstream: string
  readonly sealing: Sealing
  readonly options: Partial<ExchangeOptions>
  /** What the exchange was opened with; absent where the client's bytes passed unread. */
  readonly request: { readonly head: JsonObject; readonly clientRequest: JsonObject } | undefined
  readonly limits: Pick<Limits, 'depth' | 'nodes'>
  readonly requestId: string
  /** Seconds since 1970. */
  readonly now: number
  /** Set for a background response. */
  readonly receipt: JsonObject | undefined
  readonly isStored: boolean
  /** The ids in it are to be recorded as the client's. */
  readonly claimsIds: boolean
  /** Set where the client wants a list of what was lost: what was lost of its request. */
  readonly losses: readonly Diagnostic[] | undefined
}

export interface LargeAnswer {
  readonly bytes: Uint8Array
  /** These are the upstream's bytes. */
  readonly isUnchanged: boolean
  readonly status: number
  readonly diagnostics: readonly Diagnostic[]
  readonly summary: Pick<ConvertedAnswer, 'finish' | 'usage' | 'calls'>
  /** Set when the answer reports an error. */
  readonly failure: string | undefined
  readonly ids: readonly string[]
  readonly kept: KeptReasoning | undefined
  /** What is to be stored, where it is. */
  readonly stored: StoredParts | undefined
}

/** What the store has of what a request refers to. Plain data, so that the request can be put together in a worker. */
export interface FoundState {
  readonly history: readonly Item[]
  /** The items that references in the input name, by id; absent where the upstream looks them up. */
  readonly referred?: ReadonlyMap<string, Item>
  readonly isStored: boolean
  /** The connection remembers the answer. */
  readonly isKept: boolean
  readonly previousId?: string | undefined
  readonly conversationId?: string | undefined
  /** The response of the upstream's own that comes before the history. */
  readonly heldId?: string | undefined
}

/** A summary that has to be made before the conversation goes on. */
export interface CompactionPlan {
  readonly demand: CompactionDemand
  /** The upstream's request for it. */
  readonly asked: string
  /** Stands for it in the upstream's request. Nobody can have guessed it. */
  readonly placeholder: string
  /** Once it is made. */
  summary?: string
}

/** A response as it is stored. */
export interface StoredParts {
  readonly id: string
  readonly status: string
  readonly response: string
  readonly output: readonly Item[]
}

export interface CountJob {
  readonly model: string
  /** What the request continues. */
  readonly history: readonly Item[]
}

export interface TokenCount {
  readonly total: number
  readonly method: string
}

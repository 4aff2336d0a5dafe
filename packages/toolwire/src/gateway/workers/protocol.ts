/** The messages between the event loop and a worker thread: plain data and bytes. */
import type {
  CompactionDemand,
  ConvertedAnswer,
  Diagnostic,
  ExchangeOptions,
  KeptReasoning,
  NativeCompaction,
  Path,
  SentCall,
  ServerCallRecord,
} from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import type { HeldReference, ReceivedRequest } from '@toolwire/core/wires'
import type { TextPiece } from '../../platform/text-slices.ts'
import type { Traced } from '../../reading/read-traced.ts'
import type { Item } from '../../store/store.ts'
import type { FailureKind } from '../errors.ts'
import type { PeekFields } from '../exchange/peek-request.ts'
import type { Compared } from '../inspector/on-wires.ts'
import type { SealKeyRing } from '../sealing/seal-keys.ts'
import type { Limits } from '../settings.ts'
import type { MessageFacts } from '../sockets/message.ts'

/** `read` comes before what needs a request: `sentCallIds`, `convert`, `takeBytes`, `copyBytes`, `rewrite` and `count`. */
export interface Jobs {
  read(job: ReadJob): ReadRequest
  /** The ids of the calls of earlier answers, where the gateway may have records of calls beside them. */
  sentCallIds(state: CrossingState | undefined): readonly string[]
  convert(job: ConvertJob): Promise<ConvertedRequest>
  /** After `convert` or `answer`: what is to be stored, a slice at a time. */
  takeTexts(job: undefined): { readonly slice: readonly TextPiece[]; readonly isLast: boolean }
  /** The client's bytes, where they pass unread. */
  takeBytes(job: undefined): { readonly bytes: Uint8Array }
  /** The same, where it needs them too. */
  copyBytes(job: undefined): { readonly bytes: Uint8Array }
  /** For an upstream of the client's own wire that knows the model by this name. */
  rewrite(job: RewriteJob): { readonly bytes: Uint8Array }
  count(job: CountJob): Promise<TokenCount>
  /** A long message of a socket. */
  readMessage(job: MessageJob): Promise<ReadMessage>
  answer(job: AnswerJob): Promise<LargeAnswer>
  /** The request of the next round. */
  extend(job: ExtendJob): { readonly bytes: Uint8Array }
  /** Texts for the jobs that follow, a slice at a time. */
  give(job: GiveJob): void
  /** The items that were given, as clients see them: a list, or without `hasMore` the only one. */
  showItems(job: { readonly hasMore: boolean | undefined }): { readonly bytes: Uint8Array }
  /** A trace, and how people read it. */
  readTrace(traced: Traced): { readonly bytes: Uint8Array }
  compareWires(job: CompareJob): { readonly bytes: Uint8Array }
  /** Forgets the request and the texts. */
  release(job: undefined): void
}

export type JobName = keyof Jobs

export interface WorkerMessage {
  readonly job: JobName
  readonly data: never
}

export interface JobFailure {
  readonly kind: FailureKind
  readonly message: string
  readonly code: string | undefined
  readonly param: string | undefined
  readonly status: number | undefined
  readonly cause: string | undefined
}

export type Reply = { readonly value: unknown } | { readonly error: JobFailure }

export interface MessageJob {
  readonly bytes: Uint8Array
  readonly limits: Pick<Limits, 'depth' | 'nodes'>
}

/** A message, or why it was refused. */
export type ReadMessage = {
  /** The request in it. */
  readonly bytes: Uint8Array
  readonly lane: string | undefined
} & (
  | { readonly message: MessageFacts; readonly failure?: never }
  | { readonly message?: never; readonly failure: JobFailure }
)

export interface ReadJob extends Omit<ReceivedRequest, 'body'> {
  readonly bytes: Uint8Array
  /** The client's. */
  readonly wire: string
  readonly limits: Pick<Limits, 'depth' | 'nodes' | 'headNodes'>
  readonly fields: PeekFields
  /** Whether it is to be told about how many tokens there are. */
  readonly isMetered: boolean
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
  /** It may ask for a summary, or hold one. */
  readonly mayCompact: boolean
  /** About so many tokens; 0 where nobody wants to know. */
  readonly tokens: number
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
  readonly state: CrossingState | undefined
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
  /** Items of it are to be stored. */
  readonly hasInput: boolean
  readonly plan: CompactionPlan | undefined
  /** Set where the answer is a summary. */
  readonly demand: CompactionDemand | undefined
  /** What is left to the upstream. */
  readonly native: NativeCompaction | undefined
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
  readonly summary: Pick<ConvertedAnswer, 'finish' | 'usage' | 'calls' | 'isCompacted'>
  /** Set when the answer reports an error. */
  readonly failure: string | undefined
  readonly ids: readonly string[]
  readonly kept: KeptReasoning | undefined
  /** What is to be stored, where it is: its texts are to be taken, the response first, then its output. */
  readonly stored: Pick<StoredParts, 'id' | 'status'> | undefined
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

/** The same without its texts, which have been given before. */
export interface CrossingState extends Omit<FoundState, 'history' | 'referred'> {
  readonly isReferred: boolean
}

/** What a worker has been given: what a request continues, what it refers to, or items to show. */
export type TextList = 'history' | 'referred' | 'items'

export interface CompareJob extends Compared {
  /** The wire that it is of, and all that it is compared on. */
  readonly from: string
  readonly wires: readonly string[]
}

interface GiveJob {
  readonly list: TextList
  readonly slice: readonly TextPiece[]
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
  readonly responsePieces?: readonly string[]
  readonly output: readonly Item[]
}

export interface CountJob {
  readonly model: string
}

export interface TokenCount {
  readonly total: number
  readonly method: string
}

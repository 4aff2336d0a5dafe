/** The messages between the event loop and a worker thread. */
import type { FailureKind } from '../errors.ts'
import type { TokenCount } from '../routes/count-request.ts'
import type { AnswerJob, LargeAnswer } from './large-answer.ts'
import type { ConvertedRequest, ConvertJob, ReadJob, ReadRequest, RewriteJob } from './large-request.ts'

/** `read` comes first; only `answer` needs no request. */
export interface Jobs {
  read(job: ReadJob): ReadRequest
  convert(job: ConvertJob): ConvertedRequest
  /** The client's bytes, where they pass unread. */
  takeBytes(job: undefined): { readonly bytes: Uint8Array }
  /** For an upstream of the client's own wire that knows the model by this name. */
  rewrite(job: RewriteJob): { readonly bytes: Uint8Array }
  count(model: string): Promise<TokenCount>
  answer(job: AnswerJob): LargeAnswer
  /** Forgets the request. */
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

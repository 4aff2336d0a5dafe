/**
 * The web types that the scripted model uses. Core is compiled without ambient types; in this room only this file
 * accesses the globals.
 */
import type { SignalLike } from '../runtime/host.ts'

/** What the scripted model needs of a `Response`. */
export interface ResponseLike {
  readonly ok: boolean
  readonly status: number
  readonly headers: HeadersLike
  json(): Promise<unknown>
  text(): Promise<string>
}

export interface HeadersLike {
  get(name: string): string | null
}

/** The platform's type of `fetch` where it is known, so that official clients accept this one. */
export type Fetch = typeof globalThis extends { fetch: infer Known }
  ? Known
  : (input: unknown, init?: unknown) => Promise<ResponseLike>

export interface RequestLike {
  readonly url: string
  readonly method: string
  readonly headers: Iterable<readonly [string, string]>
  readonly signal: SignalLike
  text(): Promise<string>
}

interface StreamSource {
  pull(controller: StreamController): Promise<void>
  cancel(): void
}

interface StreamController {
  enqueue(chunk: Uint8Array): void
  close(): void
  error(reason: unknown): void
}

interface Web {
  readonly Request: new (input: unknown, init?: unknown) => RequestLike
  readonly Response: new (body: unknown, init: object) => ResponseLike
  readonly Headers: new (init: Readonly<Record<string, string>>) => HeadersLike
  readonly ReadableStream: new (source: StreamSource, strategy: { highWaterMark: number }) => object
  readonly TextEncoder: new () => { encode(text: string): Uint8Array }
}

export const web: Web = globalThis as unknown as Web

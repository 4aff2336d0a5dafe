/** What the page asks the gateway, and what it has without asking: imported documents, or an exported file. */

import type { Reading } from '../../../toolwire/src/reading/reading.ts'
import type { Trace, TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'

/** One exchange with everything that is shown of it. */
export interface ExchangeDocument {
  readonly trace: Trace
  readonly reading: Reading
}

class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401
}

export async function fetchJson<T>(path: string, init?: RequestInit): Promise<T> {
  // What browsers say of it is in their own words.
  const response = await fetch(path, init).catch(() => {
    throw new Error('The gateway cannot be reached.')
  })
  const value: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw new ApiError(response.status, messageOf(value) ?? `HTTP ${response.status}`)
  return value as T
}

export function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): RequestInit & { path: string } {
  return {
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

/** Every wire has its own form of an error; all of them have a message somewhere. */
export function messageOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { error, message } = value as { error?: unknown; message?: unknown }
  return typeof message === 'string' ? message : messageOf(error)
}

const local = new Map<string, ExchangeDocument>()

export function keepLocal(documents: readonly ExchangeDocument[]): void {
  for (const document of documents) local.set(document.trace.summary.id, document)
}

export function localSummaries(): TraceSummary[] {
  return [...local.values()].map(({ trace }) => trace.summary).sort((a, b) => (a.time < b.time ? 1 : -1))
}

export function isLocal(id: string): boolean {
  return local.has(id)
}

export async function loadExchange(id: string): Promise<ExchangeDocument> {
  const known = local.get(id)
  if (known !== undefined) return known
  return fetchJson<ExchangeDocument>(`/toolwire/traces/${encodeURIComponent(id)}/reading`)
}

/** The documents in an exported file. */
export const embedded: readonly ExchangeDocument[] | undefined = readEmbedded()

function readEmbedded(): readonly ExchangeDocument[] | undefined {
  const text = document.getElementById('toolwire-documents')?.textContent
  return text == null ? undefined : (JSON.parse(text) as ExchangeDocument[])
}

/**
 * A request as a model of any wire understands it, read without the library's codecs so that it can prove them wrong. It
 * accepts what clients send, and requires what every server requires: each call is followed by its result, and each
 * result follows its call.
 */
import { z } from 'zod'
import { refuseUnless } from '../clients/scripted-wire.ts'

export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly schema: { readonly [key: string]: unknown }
}

export interface HistoryCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export interface HistoryResult {
  readonly id: string
  readonly text: string
  readonly images: readonly string[]
}

export type Entry =
  | { readonly by: 'system' | 'user'; readonly text: string; readonly images: readonly string[] }
  | { readonly by: 'assistant'; readonly text: string; readonly calls: readonly HistoryCall[] }
  | { readonly by: 'tools'; readonly results: readonly HistoryResult[] }

export interface History {
  readonly entries: readonly Entry[]
  readonly tools: readonly OfferedTool[]
  readonly stream: boolean
  /** The client requested the usage of a stream, on wires where that is an option. */
  readonly usage: boolean
}

/** Shapes that all wires share. */
export const contentShape = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish()
export const schemaShape = z.record(z.string(), z.unknown()).nullish()
export const nameShape: z.ZodString = z.string().regex(/^[\w-]{1,64}$/)

export type Content = string | readonly ContentPart[] | null | undefined

interface ContentPart {
  readonly type: string
  readonly [key: string]: unknown
}

export function textOf(content: Content): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(part => (typeof part.text === 'string' ? part.text : '')).join('')
}

/** The images of a content in the form of any wire, each as a URL. */
export function imagesOf(content: Content): string[] {
  if (typeof content === 'string') return []
  return (content ?? []).flatMap(part => {
    const { image_url, source } = part as {
      image_url?: string | { url: string }
      source?: { type: string; media_type: string; data: string; url: string }
    }
    if (image_url !== undefined) return [typeof image_url === 'string' ? image_url : image_url.url]
    if (source === undefined) return []
    return [source.type === 'base64' ? `data:${source.media_type};base64,${source.data}` : source.url]
  })
}

/** Adds an entry to the list; calls and results of one turn are merged. */
export function add(entries: Entry[], entry: Entry): void {
  const last = entries.at(-1)
  if (last?.by === 'assistant' && entry.by === 'assistant')
    entries.splice(-1, 1, {
      by: 'assistant',
      text: last.text + entry.text,
      calls: [...last.calls, ...entry.calls],
    })
  else if (last?.by === 'tools' && entry.by === 'tools')
    entries.splice(-1, 1, { by: 'tools', results: [...last.results, ...entry.results] })
  else entries.push(entry)
}

function checkPairs(entries: readonly Entry[]): void {
  const seen = new Set<string>()
  for (const [n, entry] of entries.entries()) {
    if (entry.by === 'tools')
      refuseUnless(
        entries[n - 1]?.by === 'assistant',
        `Results without a call before them: ${JSON.stringify(entry)}.`,
      )
    if (entry.by !== 'assistant' || entry.calls.length === 0) continue
    const ids = entry.calls.map(({ id }) => id)
    const next = entries[n + 1]
    const answered = next?.by === 'tools' ? next.results.map(({ id }) => id) : []
    refuseUnless(
      JSON.stringify(ids.toSorted()) === JSON.stringify(answered.toSorted()),
      `The calls ${ids} were answered by the results ${answered}.`,
    )
    for (const id of ids) {
      refuseUnless(!seen.has(id), `The id ${id} names two calls.`)
      seen.add(id)
    }
  }
}

/** A history whose calls and results are paired and whose tools have different names. */
export function checked(entries: readonly Entry[], rest: Omit<History, 'entries'>): History {
  checkPairs(entries)
  refuseUnless(
    new Set(rest.tools.map(tool => tool.name)).size === rest.tools.length,
    'Two tools have the same name.',
  )
  return { entries, ...rest }
}

export function roleOf(role: string): 'system' | 'user' {
  refuseUnless(['system', 'developer', 'user'].includes(role), `There is no role ${role}.`)
  return role === 'user' ? 'user' : 'system'
}

export const textsOf = (history: History | undefined, by: 'system' | 'user' | 'assistant'): string[] =>
  (history?.entries ?? []).flatMap(entry => (entry.by === by && entry.text !== '' ? [entry.text] : []))

export const callsOf = (history: History | undefined): HistoryCall[] =>
  (history?.entries ?? []).flatMap(entry => (entry.by === 'assistant' ? entry.calls : []))

export const resultsOf = (history: History | undefined): HistoryResult[] =>
  (history?.entries ?? []).flatMap(entry => (entry.by === 'tools' ? entry.results : []))

export const images = (history: History | undefined): string[] =>
  (history?.entries ?? []).flatMap(entry =>
    entry.by === 'tools'
      ? entry.results.flatMap(result => result.images)
      : entry.by === 'assistant'
        ? []
        : entry.images,
  )

/** What is left out of a file that others will read. */
import type { ContextReading } from '../../../toolwire/src/reading/context.ts'
import type { Said } from '../../../toolwire/src/reading/said.ts'
import { createMasker, maskHeader } from '../../../toolwire/src/telemetry/mask-secrets.ts'
import type { ViewName } from '../../../toolwire/src/telemetry/observer.ts'
import type { Trace, TracePart, TraceView } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import type { ExchangeDocument } from '../state/api.ts'

export const blankings = {
  headers: 'header values',
  system: 'instructions',
  user: 'what the user said',
  results: 'results of tools',
  answer: 'what the model wrote',
} as const
export type Blanking = keyof typeof blankings

const blank = '█ blanked'
/** As the gateway masks what it records: an exchange may have come from a file of another program. */
const masker = createMasker()
const maskName = (name: string, value: string): string => maskHeader(name, value, masker)
/** What looks like a key, beside those. */
const keyLike = /\b(?:sk|pk|rk|tw|ghp|gho|xox[abp]|AKIA|AIza)[-_]?[A-Za-z0-9_-]{16,}\b/g
/** Shorter lines stand in many texts by chance. */
const shortLine = 6

/** Which of what was said goes with which choice. What may quote any of it goes with all. */
const choiceOf: { readonly [who in Said['who']]: Exclude<Blanking, 'headers'> | 'any' } = {
  system: 'system',
  user: 'user',
  result: 'results',
  assistant: 'answer',
  thinking: 'answer',
  call: 'answer',
  refusal: 'answer',
  error: 'any',
  other: 'any',
}

/** Whether the choice leaves anything of the bodies. */
export function leavesBodies(chosen: ReadonlySet<Blanking>): boolean {
  return [...chosen].every(name => name === 'headers')
}

/**
 * The document without what is to be blanked, and without anything that looks like a key. A body has what was said in
 * pieces, escaped, and once more for every turn, so all bodies go as soon as anything in them has to.
 */
export function cleaned(document: ExchangeDocument, chosen: ReadonlySet<Blanking>): ExchangeDocument {
  const { trace, reading } = withHeaders(document, chosen.has('headers') ? () => blank : maskName)
  return withoutKeys(leavesBodies(chosen) ? { trace, reading } : withoutBodies({ trace, reading }, chosen))
}

function withHeaders(
  { trace, reading }: ExchangeDocument,
  change: (name: string, value: string) => string,
): ExchangeDocument {
  const views = mapParts(trace, part => ({
    ...part,
    headers: Object.fromEntries(
      Object.entries(part.headers ?? {}).map(([name, value]) => [name, change(name, value)]),
    ),
  }))
  return { trace: { ...trace, views }, reading }
}

function withoutBodies(
  { trace, reading }: ExchangeDocument,
  chosen: ReadonlySet<Blanking>,
): ExchangeDocument {
  const { conversation } = reading
  const isBlanked = ({ who }: Said): boolean => {
    const choice = choiceOf[who]
    return choice === 'any' || chosen.has(choice)
  }
  const all = [...(conversation.before ?? []), ...conversation.history, ...conversation.answer]
  const withoutQuotes = quoteRemover(all.filter(isBlanked).map(({ text }) => text))
  const clean = (said: Said): Said => {
    const { path: _, image, ...rest } = said
    if (isBlanked(said)) return { ...rest, text: blank }
    return { ...rest, text: withoutQuotes(said.text), ...(image !== undefined && { image }) }
  }
  const bare = ({ code, severity }: Trace['losses'][number]): Trace['losses'][number] => ({
    code,
    severity,
    path: [],
    message: blank,
  })
  const { failure, losses, notes, summary } = trace
  const { prompt, ...facts } = summary
  return {
    trace: {
      ...trace,
      summary: {
        ...facts,
        ...(prompt !== undefined && !chosen.has('user') && { prompt: withoutQuotes(prompt) }),
      },
      ...(failure !== undefined && { failure: { code: failure.code, message: blank } }),
      losses: losses.map(bare),
      ...(notes !== undefined && { notes: notes.map(bare) }),
      views: mapParts(trace, part => ({ ...part, text: part.text === '' ? '' : blank })),
    },
    reading: {
      ...reading,
      conversation: {
        ...conversation,
        ...(conversation.before !== undefined && { before: conversation.before.map(clean) }),
        history: conversation.history.map(clean),
        answer: conversation.answer.map(clean),
      },
      ...(reading.context !== undefined && { context: withoutBody(reading.context) }),
      request: { pairs: [] },
      answer: { pairs: [] },
    },
  }
}

/** With several rounds, what was counted is a body of its own. */
function withoutBody({ body: _, ...context }: ContextReading): ContextReading {
  return context
}

/** Takes out of a text what it quotes of others, as they wrote it or as JSON writes it. */
function quoteRemover(texts: readonly string[]): (text: string) => string {
  const quotes = new Set<string>()
  for (const text of texts) {
    for (const piece of [text, ...text.split('\n'), ...stringsIn(text)]) {
      const plain = piece.trim()
      if (plain.length < shortLine) continue
      quotes.add(plain)
      quotes.add(plain.replaceAll(/\s+/g, ' '))
      quotes.add(JSON.stringify(plain).slice(1, -1))
    }
  }
  const longestFirst = [...quotes].sort((a, b) => b.length - a.length)
  return text => longestFirst.reduce((rest, quote) => rest.replaceAll(quote, blank), text)
}

/** The names and strings of JSON, such as the arguments of a call. */
function stringsIn(text: string): string[] {
  const found: string[] = []
  try {
    JSON.parse(text, (key, value) => {
      found.push(key)
      if (typeof value === 'string') found.push(value)
      return value
    })
  } catch {
    // It is no JSON.
  }
  return found
}

function mapParts(trace: Trace, change: (part: TracePart) => TracePart): Trace['views'] {
  const views: { [name in ViewName]?: TraceView } = {}
  for (const [name, view] of Object.entries(trace.views) as [ViewName, TraceView][])
    views[name] = { ...view, parts: view.parts.map(change) }
  return views
}

function withoutKeys<T>(value: T): T {
  const clean = (inner: unknown): unknown => {
    if (typeof inner === 'string') return masker.text(inner.replace(keyLike, '***'))
    if (Array.isArray(inner)) return inner.map(clean)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([key, member]) => [key, clean(member)]))
  }
  return clean(value) as T
}

/** The result of a count, and the tally that collects it. */

import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import type { Diagnostic, Path } from '../model/diagnostic.ts'
import type { TokenFraming, WireConversation } from '../wires/define-wire.ts'
import type { Wire } from '../wires/registry.ts'
import { conversationOf } from '../wires/registry.ts'
import type { ErrorBound, TokenCounter } from './counter.ts'

/** On which wire, with which counter and for which model tokens are counted. */
export interface CountOptions {
  /** The wire the body is written for. */
  readonly wire: Wire
  readonly counter: TokenCounter
  /** For what images and tools cost; the body's own model when left out. */
  readonly model?: string
}

/** What one tool or message of a request takes. */
export interface TokenPart {
  /** Its path in the body; empty for what is not part of the body. */
  readonly path: (string | number)[]
  readonly kind: 'tool' | 'message' | 'item' | 'instructions' | 'overhead'
  /** The tool's name, or the role and the called tools. */
  readonly label: string
  readonly tokens: number
}

/** How many tokens a request takes, part by part, and how exact that is. */
export interface TokenCount {
  readonly total: number
  readonly method: string
  readonly errorBound: ErrorBound
  /** In the order of the body; their tokens add up to the total. */
  readonly parts: TokenPart[]
  /** What the total does not hold, or holds by an assumption. */
  readonly uncounted: { readonly path: (string | number)[]; readonly what: string }[]
  /** What was found wrong in reading the body. */
  readonly diagnostics: Diagnostic[]
}

export interface Tally {
  readonly codec: WireConversation
  readonly framing: TokenFraming
  readonly counter: TokenCounter
  add(part: TokenPart): void
  uncounted(path: Path, what: string): void
  result(): TokenCount
}

export const countOptionNames: KnownOptions<CountOptions> = { wire: true, counter: true, model: true }

/** Options are code, so a wrong one is thrown at once. */
export function codecFor(options: CountOptions): WireConversation {
  refuseUnknownOptions('Counting', options, countOptionNames)
  const { wire, counter } = options
  const codec = conversationOf(wire, 'wire')
  if (typeof counter?.count !== 'function')
    throw new TypeError(
      '"counter" must be a TokenCounter, such as estimateCounter or what loadCounter gives.',
    )
  return codec
}

export function createTally(
  { counter }: CountOptions,
  codec: WireConversation,
  diagnostics: Diagnostic[],
): Tally {
  const { framing } = codec
  const parts: TokenPart[] = []
  const uncounted: TokenCount['uncounted'] = []
  return {
    codec,
    framing,
    counter,
    add: part => parts.push(part),
    uncounted: (path, what) => uncounted.push({ path: [...path], what }),
    result: () => ({
      total: parts.reduce((sum, { tokens }) => sum + tokens, 0),
      method: `${counter.method}, ${methods[framing.tools]}`,
      errorBound: boundOf(counter, framing),
      parts,
      uncounted,
      diagnostics,
    }),
  }
}

const methods: { readonly [T in TokenFraming['tools']]: string } = {
  namespace: 'with message frames and tools written as types',
  json: 'with tools as JSON and the published prompt for tools',
}

/** A server's frame around the texts is not public, so that a request's count is never exact. */
function boundOf({ errorBound }: TokenCounter, { tools }: TokenFraming): ErrorBound {
  const { percent } = errorBound
  return {
    kind: 'estimate',
    // The bound of the texts; the framing around them has none that could be measured.
    ...(errorBound.kind === 'estimate' && percent !== undefined && { percent }),
    note: `${errorBound.note} ${frameNotes[tools]}`,
  }
}

const frameNotes: { readonly [T in TokenFraming['tools']]: string } = {
  namespace:
    'What stands around the texts gives the 26 counts published for gpt-3.5, gpt-4 and gpt-4o; newer models and ' +
    'the Responses wire are assumed to do the same.',
  json: 'How the provider frames messages, calls and definitions is not public.',
}

/** Base64 and the like: long, and without anything that texts have between words. */
const data = /^[A-Za-z0-9+/=_-]{2000,}$/

interface JsonText {
  readonly text: string
  /** Something in it was not text, or the value could not be written. */
  readonly partial: boolean
}

/** A value as the JSON that would be sent, without the data that no model reads as text. */
export function jsonText(value: unknown): JsonText {
  let partial = false
  try {
    const text = JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner !== 'string' || !data.test(inner)) return inner
      partial = true
      return ''
    })
    return { text: text ?? '', partial }
  } catch {
    // Nested deeper than the engine can follow.
    return { text: '', partial: true }
  }
}

/** The tokens of one message or item: its texts, calls and results, and what the wire puts around them. */
import type { Part, ReasoningPart, ResultPart, Turn } from '../model/conversation.ts'
import type { Path } from '../model/diagnostic.ts'
import type { TokenFraming } from '../wires/define-wire.ts'
import { jsonText } from './count-result.ts'
import type { TokenCounter } from './counter.ts'
import { imageTokens } from './images.ts'

export interface TurnContext {
  readonly counter: TokenCounter
  readonly framing: TokenFraming
  readonly model: string | undefined
  /** The names of calls by their ids, for results that carry only the id. */
  readonly callNames: ReadonlyMap<string, string>
  /** Told of what could not be counted, and why. */
  uncounted(path: Path, what: string): void
}

/** `name`: what the message calls its speaker. `endsLine`: the system text that tools are put after. */
export function countTurn(
  turn: Turn,
  context: TurnContext,
  { name, endsLine = false }: { readonly name?: string; readonly endsLine?: boolean } = {},
): number {
  const { counter, framing } = context
  const results = turn.parts.filter(part => part.kind === 'result')
  const others = turn.parts.filter(part => part.kind !== 'result')
  let tokens = 0
  for (const result of results) tokens += countResult(result, context)
  if (results.length > 0 && others.length === 0) return tokens
  // Instructions outside the conversation are a message only where messages have roles.
  if (framing.countsRole || turn.instructions !== true) tokens += framing.perMessage
  if (framing.countsRole) tokens += counter.count(turn.role)
  if (name !== undefined) tokens += counter.count(name) + framing.perName
  const last = endsLine ? others.findLastIndex(part => part.kind === 'text') : -1
  others.forEach((part, i) => {
    tokens +=
      i === last && part.kind === 'text' ? counter.count(endLine(part.text)) : countPart(part, context)
  })
  const calls = others.filter(part => part.kind === 'call').length
  return tokens + parallelTokens(calls, framing)
}

/** What calls side by side cost beyond each of them. */
export function parallelTokens(calls: number, { parallel }: TokenFraming): number {
  return calls < 2 ? 0 : parallel.once + parallel.each * (calls - 1)
}

function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}

function countResult(result: ResultPart, context: TurnContext): number {
  const { counter, framing, callNames } = context
  const { callId, content } = result
  const name = result.name ?? (callId === undefined ? undefined : callNames.get(callId))
  let tokens = callId === undefined ? framing.perLegacyResult : framing.perResult
  if (framing.countsRole && name !== undefined) tokens += counter.count(name)
  if (!framing.countsRole) tokens += framing.perMessage
  for (const part of content) tokens += countPart(part, context)
  return tokens
}

function countPart(part: Part, context: TurnContext): number {
  const { counter, framing } = context
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return counter.count(part.text)
    case 'call': {
      const { namespace, name, input } = part
      const full = namespace === undefined ? name : `${namespace}.${name}`
      return counter.count(full) + counter.count(input) + framing.perCall
    }
    case 'result':
      return countResult(part, context)
    case 'reasoning':
      return countReasoning(part, context)
    case 'image': {
      const { tokens, known } = imageTokens(part, context.model, framing)
      if (!known) context.uncounted(part.path, 'an image of unknown size, taken as 1024 by 1024')
      return tokens
    }
    case 'file': {
      if (part.source.type === 'text') return counter.count(part.source.text)
      context.uncounted(part.path, 'a file')
      return part.filename === undefined ? 0 : counter.count(part.filename)
    }
    case 'hosted':
      return countJson(part.value, part.path, `a ${part.type} item`, context)
    case 'opaque':
      if (part.readElsewhere === true) return 0
      if (typeof part.value === 'string') return counter.count(part.value)
      return countJson(part.value, part.path, 'data', context)
  }
}

function countJson(value: unknown, path: Path, what: string, context: TurnContext): number {
  const { text, partial } = jsonText(value)
  if (partial) context.uncounted(path, what)
  return context.counter.count(text)
}

/** Sealed reasoning is taken as text of as many bytes, at four bytes a token; base64 has four letters for three. */
function countReasoning({ summary, text, seal, path }: ReasoningPart, context: TurnContext): number {
  const shown = text.length > 0 ? text : seal === undefined || seal.value === '' ? summary : []
  if (shown.length > 0) return shown.reduce((sum, piece) => sum + context.counter.count(piece), 0)
  if (seal === undefined) return 0
  context.uncounted(path, 'sealed reasoning, taken as a token for four of its bytes')
  return Math.ceil((seal.value.length * 3) / 16)
}

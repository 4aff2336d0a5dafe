/** What ends an answer early: stop sequences, the limit on tokens, and the model that always runs out of them. */
import { isHighHalf } from './json.ts'
import type { Plan } from './plan.ts'
import type { DemoRequest } from './read-request.ts'

/** A token is taken to be so many characters: near enough for a model that has no tokens. */
const tokenLength = 4

export function tokensFor(length: number): number {
  return Math.ceil(length / tokenLength)
}

export function withinLimits(plan: Plan, { stop, maxTokens, behaviour }: DemoRequest): Plan {
  const stopped = { ...plan, text: beforeStop(plan.text, stop) }
  const cut = behaviour === 'truncate' ? broken(stopped) : stopped
  return maxTokens === undefined ? cut : cutAfter(cut, maxTokens)
}

function beforeStop(text: string, stop: readonly string[]): string {
  const places = stop.map(mark => text.indexOf(mark)).filter(at => at >= 0)
  return places.length === 0 ? text : text.slice(0, Math.min(...places))
}

/** Breaks off within the last call, or within the text when there is none. */
function broken(plan: Plan): Plan {
  const last = plan.calls.at(-1)
  if (last === undefined) return { ...plan, text: head(plan.text, half(plan.text)), finish: 'length' }
  const input = head(last.input, half(last.input))
  return { ...plan, calls: plan.calls.with(-1, { ...last, input }), finish: 'length' }
}

const half = (text: string): number => Math.floor(text.length / 2)

export function usedTokens({ reasoning, text, refusal, calls }: Plan): { all: number; reasoning: number } {
  const inCalls = calls.reduce(
    (sum, { name, input }) => sum + tokensFor(name.length) + tokensFor(input.length),
    0,
  )
  const thought = tokensFor(reasoning.length)
  return { reasoning: thought, all: thought + tokensFor(text.length) + tokensFor(refusal.length) + inCalls }
}

function cutAfter(plan: Plan, most: number): Plan {
  if (usedTokens(plan).all <= most) return plan
  let left = most
  const take = (text: string): string => {
    const kept = head(text, left * tokenLength)
    left -= tokensFor(kept.length)
    return kept
  }
  const reasoning = take(plan.reasoning)
  const text = take(plan.text)
  const refusal = take(plan.refusal)
  const calls = plan.calls.flatMap(call => {
    // A name is said whole or not at all.
    if (tokensFor(call.name.length) > left) {
      left = 0
      return []
    }
    left -= tokensFor(call.name.length)
    return [{ ...call, input: take(call.input) }]
  })
  return { ...plan, reasoning, text, refusal, calls, finish: 'length' }
}

/** The beginning of a text, never ending between the halves of a character. */
function head(text: string, length: number): string {
  if (length >= text.length) return text
  const end = Math.max(0, length)
  return text.slice(0, end > 0 && isHighHalf(text.charCodeAt(end - 1)) ? end - 1 : end)
}

/** The text in pieces of so many characters. */
export function piecesOf(text: string, size: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const piece = head(text.slice(at, at + size + 1), size) || text.slice(at, at + 2)
    pieces.push(piece)
    at += piece.length
  }
  return pieces
}

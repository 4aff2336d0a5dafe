/**
 * Puts reasoning back where it stood in its answer. Some clients return all of it before the texts and the calls, and for
 * those that return none it is put there; an upstream that thinks between its calls refuses it there.
 */
import type { AnswerPlace, Part, ReasoningPart, TextPart, Turn } from '../../../model/conversation.ts'

interface Waiting {
  readonly part: ReasoningPart
  readonly place: AnswerPlace
}

const start: AnswerPlace = { text: 0, calls: 0 }

/** Parts are moved towards the end only, so that what a client has left in its place stays there. */
export function reasoningInPlace(parts: readonly Part[]): readonly Part[] {
  const early = earlyReasoning(parts)
  if (early.length === 0) return parts
  const moved = new Set<Part>(early.map(({ part }) => part))
  const out: Part[] = []
  let placed = 0
  let here = start
  const add = (part: Part): void => {
    out.push(part)
    here = after(here, part)
    for (let next = early[placed]; next !== undefined && isReached(next.place, here); next = early[placed]) {
      out.push(next.part)
      placed++
    }
  }
  for (const part of parts) {
    if (moved.has(part)) continue
    let rest = part
    while (isPlain(rest)) {
      const length = lengthUntil(early[placed], here)
      if (length <= 0 || length >= rest.text.length) break
      add({ ...rest, text: rest.text.slice(0, length) })
      rest = { ...rest, text: rest.text.slice(length) }
    }
    add(rest)
  }
  return out
}

/** The same for an answer whose items are turns: what has a turn of its own moves behind the turns before its place. */
export function turnsInPlace(turns: readonly Turn[]): readonly Turn[] {
  if (!turns.some(isPlacedAlone)) return turns
  const answers: (readonly Turn[])[] = []
  let answer: Turn[] = []
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      answer.push(turn)
      continue
    }
    answers.push(answerInPlace(answer), [turn])
    answer = []
  }
  return [...answers, answerInPlace(answer)].flat()
}

function isPlacedAlone({ parts: [part, ...others] }: Turn): boolean {
  return part?.kind === 'reasoning' && part.place !== undefined && others.length === 0
}

function answerInPlace(answer: readonly Turn[]): readonly Turn[] {
  const places = new Map(
    earlyReasoning(answer.flatMap(({ parts }) => parts)).map(({ part, place }) => [part as Part, place]),
  )
  if (places.size === 0) return answer
  const out: Turn[] = []
  const waiting: { readonly turn: Turn; readonly place: AnswerPlace }[] = []
  const take = (isDue: (place: AnswerPlace) => boolean): typeof waiting => {
    const end = waiting.findIndex(({ place }) => !isDue(place))
    return waiting.splice(0, end === -1 ? waiting.length : end)
  }
  let here = start
  for (const turn of answer) {
    const [part] = turn.parts
    const place = part && isPlacedAlone(turn) ? places.get(part) : undefined
    if (place !== undefined) {
      waiting.push({ turn, place })
      continue
    }
    const [before, end] = [here, turn.parts.reduce(after, here)]
    // Its place may be in the middle of what the client has made one turn.
    const inside = take(place => isPassed(place, end)).flatMap(({ turn: { parts }, place }) =>
      parts.map(part => ({ ...part, place: relativeTo(before, place) })),
    )
    out.push(inside.length === 0 ? turn : { ...turn, parts: reasoningInPlace([...inside, ...turn.parts]) })
    for (const { turn } of take(place => isReached(place, end))) out.push(turn)
    here = end
  }
  return out
}

function relativeTo(before: AnswerPlace, { text, calls }: AnswerPlace): AnswerPlace {
  return { text: text - before.text, calls: calls - before.calls }
}

/** Reached before the end of what ends here. */
function isPassed(place: AnswerPlace, here: AnswerPlace): boolean {
  return isReached(place, here) && (place.text < here.text || place.calls < here.calls)
}

/** What stands before its place, as far as the client has returned what comes before it. */
function earlyReasoning(parts: readonly Part[]): readonly Waiting[] {
  const early: Waiting[] = []
  const end = parts.reduce(after, start)
  let here = start
  for (const part of parts) {
    here = after(here, part)
    if (part.kind !== 'reasoning' || part.place === undefined) continue
    const { text, calls } = part.place
    const place = { text: Math.min(text, end.text), calls: Math.min(calls, end.calls) }
    if (!isReached(place, here)) early.push({ part, place })
  }
  return early
}

function after(place: AnswerPlace, part: Part): AnswerPlace {
  if (part.kind === 'text') return { ...place, text: place.text + part.text.length }
  return part.kind === 'call' ? { ...place, calls: place.calls + 1 } : place
}

function isReached(place: AnswerPlace, here: AnswerPlace): boolean {
  return place.text <= here.text && place.calls <= here.calls
}

/** Characters of the next text that come before the next part; 0 if calls come before it too. */
function lengthUntil(next: Waiting | undefined, here: AnswerPlace): number {
  return next === undefined || next.place.calls > here.calls ? 0 : next.place.text - here.text
}

/** A text that says nothing about some of its characters can be cut. */
function isPlain(part: Part): part is TextPart {
  return part.kind === 'text' && part.citations === undefined && part.residue === undefined
}

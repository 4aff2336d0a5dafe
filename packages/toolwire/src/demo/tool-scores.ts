/** How well tools fit the words of a message: by their names first, then parameters and descriptions. */
import { formulaIn, takesFormula } from './formula.ts'
import type { Message } from './message.ts'
import type { DemoTool } from './read-tools.ts'
import type { Slot } from './slots.ts'
import { slotsOf } from './slots.ts'
import { isStopWord, meaningOf, wordsIn } from './words.ts'

export interface ToolProfile {
  readonly tool: DemoTool
  readonly slots: readonly Slot[]
  /** What each meaning counts when a message has it. */
  readonly weights: ReadonlyMap<string, number>
}

export interface Fit {
  readonly profile: ToolProfile
  readonly score: number
  /** The meanings of the message that speak for the tool. */
  readonly reasons: readonly string[]
}

const weightOf = { name: 4, value: 2, parameter: 1.5, description: 1 } as const

/** The beginning of a description says what a tool does; the rest is advice. */
const describingWords = 40

export function profileOf(tool: DemoTool): ToolProfile {
  const slots = slotsOf(tool.parameters)
  const weights = new Map<string, number>()
  const add = (words: readonly string[], weight: number): void => {
    for (const word of words) {
      if (isStopWord(word) || word.length < 2) continue
      const meaning = meaningOf(word)
      weights.set(meaning, Math.max(weights.get(meaning) ?? 0, weight))
    }
  }
  add(wordsIn(tool.description, describingWords), weightOf.description)
  for (const { words, values } of slots) {
    add(words, weightOf.parameter)
    for (const value of values) if (typeof value === 'string') add(wordsIn(value, 4), weightOf.value)
  }
  add(wordsIn(tool.name, 12), weightOf.name)
  return { tool, slots, weights }
}

/** The words that name tools and parameters, by meaning. */
export function vocabularyOf(profiles: readonly ToolProfile[]): Set<string> {
  return new Set(
    profiles.flatMap(({ tool, slots }) => [
      ...wordsIn(tool.name, 12).map(meaningOf),
      ...slots.flatMap(({ meanings }) => [...meanings]),
    ]),
  )
}

/** The best first. A word that many tools share says less about each. */
export function rank(profiles: readonly ToolProfile[], message: Message): Fit[] {
  const shared = new Map<string, number>()
  for (const { weights } of profiles)
    for (const meaning of message.meanings.keys())
      if (weights.has(meaning)) shared.set(meaning, (shared.get(meaning) ?? 0) + 1)
  const rarity = (meaning: string): number => 1 + Math.log(profiles.length / (shared.get(meaning) ?? 1))
  return profiles
    .map(profile => fitOf(profile, message, rarity))
    .sort((one, other) => other.score - one.score)
}

function fitOf(profile: ToolProfile, message: Message, rarity: (meaning: string) => number): Fit {
  const reasons = [...message.meanings.keys()].filter(meaning => profile.weights.has(meaning))
  const words = reasons.reduce(
    (sum, meaning) => sum + (profile.weights.get(meaning) ?? 0) * rarity(meaning),
    0,
  )
  return { profile, reasons, score: words + numbersFor(profile, message) }
}

/** "2 + 3" speaks for a tool that wants two numbers, and more for one that wants a sum. */
function numbersFor({ slots }: ToolProfile, { numbers, text }: Message): number {
  const wanted = slots.filter(({ kind, isRequired }) => kind === 'number' && isRequired).length
  const forNumbers = wanted > 1 && numbers.length >= wanted ? 1 : 0
  return slots.some(takesFormula) && formulaIn(text) !== undefined ? 2 : forNumbers
}

/** What a tool must reach to be called without being forced. */
const enough = 1

/** What must speak for a further tool beside what already speaks for a better one. */
const enoughMore: number = weightOf.name

const mostTools = 4

/** The tools to call: the best, and others that account for words the better ones leave unexplained. */
export function pickTools(
  fits: readonly Fit[],
  { mustCall, isParallel }: { readonly mustCall: boolean; readonly isParallel: boolean },
): Fit[] {
  const [best] = fits
  if (best === undefined || (best.score < enough && !mustCall)) return []
  const picked = [best]
  const explained = new Set(best.reasons)
  if (!isParallel) return picked
  for (const fit of fits.slice(1)) {
    if (picked.length === mostTools) break
    const own = fit.reasons.filter(meaning => !explained.has(meaning))
    const score = own.reduce((sum, meaning) => sum + (fit.profile.weights.get(meaning) ?? 0), 0)
    if (score < enoughMore) continue
    picked.push({ ...fit, reasons: own })
    for (const meaning of own) explained.add(meaning)
  }
  return picked
}

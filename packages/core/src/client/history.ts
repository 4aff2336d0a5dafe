/** The turns of a conversation in the wire's own grouping: up to the last answer, and since then. */
import type { Answer } from '../model/answer.ts'
import {
  type CallPart,
  isCall,
  isResult,
  type Part,
  type ResultPart,
  type Turn,
} from '../model/conversation.ts'
import { filterResidue, type Residue, type ResidueEntry } from '../model/residue.ts'
import type { ClientHabits } from '../wires/define-wire.ts'

export interface History {
  /** Everything up to and including the last answer. */
  readonly settled: readonly Turn[]
  /** What came after it: results and new turns. */
  readonly fresh: readonly Turn[]
}

export function allTurns({ settled, fresh }: History): Turn[] {
  return [...settled, ...fresh]
}

export function addAnswer({ settled, fresh }: History, answer: Answer, habits: ClientHabits): History {
  const turns = answer.turns.filter(({ parts }) => parts.length > 0)
  return { settled: [...settled, ...fresh, ...turns.map(turn => forReplay(turn, habits))], fresh: [] }
}

/** An answer is sent back unchanged, except for fields that only answers have. */
function forReplay(turn: Turn, habits: ClientHabits): Turn {
  const parts = turn.parts.map((part): Part => {
    const clean = { ...part, ...replayed(part.residue, habits) }
    if (clean.kind !== 'text') return clean
    const { logprobs: _, ...text } = clean
    return text
  })
  return { ...turn, parts, ...replayed(turn.residue, habits) }
}

function replayed(
  residue: Residue | undefined,
  { addedFields, emptyFields }: ClientHabits,
): { residue?: Residue } {
  if (residue === undefined) return {}
  const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0)
  const goesBack = ([path, value]: ResidueEntry): boolean => {
    const name = String(path.at(-1))
    return !addedFields.has(name) && !(emptyFields.has(name) && isEmpty(value))
  }
  return { residue: filterResidue(residue, goesBack) }
}

/**
 * Adds results after the last answer, in the order of its calls. Results that are already there keep their content.
 * `fit` groups them as the wire requires.
 */
export function addResults(
  { settled, fresh }: History,
  results: readonly ResultPart[],
  fit: (turns: readonly Turn[]) => readonly Turn[],
): History {
  const known = fresh.flatMap(({ parts }) => parts).filter(isResult)
  const order = new Map(lastCalls(settled).map(({ id }, i) => [id, i]))
  const position = ({ callId }: ResultPart): number => order.get(callId) ?? order.size
  const sorted = [...known, ...results].sort((a, b) => position(a) - position(b))
  const others = fresh.flatMap(turn => {
    const parts = turn.parts.filter(part => !isResult(part))
    return parts.length === 0 && turn.parts.length > 0 ? [] : [{ ...turn, parts }]
  })
  // Existing results lose their residue, so that all results are grouped again.
  const turn: Turn = { role: 'tool', parts: sorted.map(({ residue: _, ...part }) => part), root: [] }
  return { settled, fresh: sorted.length === 0 ? others : [...fit([turn]), ...others] }
}

/** The calls of the last answer: those of all assistant turns since the last turn of another role. */
function lastCalls(settled: readonly Turn[]): CallPart[] {
  const since = settled.findLastIndex(({ role }) => role !== 'assistant') + 1
  return settled
    .slice(since)
    .flatMap(({ parts }) => parts)
    .filter(isCall)
}

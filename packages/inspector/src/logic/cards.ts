/** What was said as blocks to draw: each call with its result, neighbours of one speaker together. */
import type { Said } from '../../../toolwire/src/reading/said.ts'

export interface CallCard {
  readonly kind: 'call'
  readonly call: Said
  readonly result: Said | undefined
  readonly ms: number | undefined
}

interface SaidBlock {
  readonly kind: 'said'
  readonly said: Said
}

export type Block = CallCard | SaidBlock

interface Run {
  readonly call_id: string
  readonly duration_ms: number
}

/** `runs`: the tools that the gateway ran; `clientMs`: how long the client took for the calls of the turn before. */
export function blocksOf(said: readonly Said[], runs: readonly Run[], clientMs?: number): Block[] {
  const results = new Map<string, Said>()
  for (const each of said)
    if (each.who === 'result' && each.callId !== undefined) results.set(each.callId, each)
  const durations = new Map(runs.map(({ call_id, duration_ms }) => [call_id, duration_ms]))
  const lastCalls = callsOfLastTurn(said)
  const used = new Set<Said>()
  const blocks: Block[] = []
  for (const each of said) {
    if (each.who === 'call') {
      const result = each.callId === undefined ? undefined : results.get(each.callId)
      if (result !== undefined) used.add(result)
      const ms = durations.get(each.callId ?? '') ?? (lastCalls.has(each) ? clientMs : undefined)
      blocks.push({ kind: 'call', call: each, result, ms })
    } else if (each.who !== 'result' || !used.has(each)) blocks.push({ kind: 'said', said: each })
  }
  return blocks
}

/** How many of the first blocks were said in the requests before. */
export function earlierBlocks(blocks: readonly Block[], before: readonly Said[]): number {
  const told = new Set(before)
  const end = blocks.findIndex(block => !told.has(block.kind === 'call' ? block.call : block.said))
  return end === -1 ? blocks.length : end
}

/** The calls whose results are what this request adds. */
function callsOfLastTurn(said: readonly Said[]): ReadonlySet<Said> {
  const last = said.findLastIndex(({ who }) => who === 'call')
  const calls = new Set<Said>()
  for (let i = last; i >= 0; i--) {
    const each = said[i]
    if (each === undefined || (each.who !== 'call' && each.who !== 'result')) break
    if (each.who === 'call') calls.add(each)
  }
  return calls
}

/** Arguments as people read them: JSON by lines, anything else as it is. */
export function prettyArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

import type { Draft } from '../../json/object.ts'
import type { Usage } from '../../model/answer.ts'
import type { Residue } from '../../model/residue.ts'

interface Shares {
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
  readonly reasoning: number | undefined
}

/** Token counts, with those of their shares that are known. */
export function makeUsage(input: number, output: number, shares: Shares, residue: Residue): Usage {
  const { cacheRead, cacheWrite, reasoning } = shares
  const usage: Draft<Usage> = { input, output, residue }
  if (cacheRead !== undefined) usage.cacheRead = cacheRead
  if (cacheWrite !== undefined) usage.cacheWrite = cacheWrite
  if (reasoning !== undefined) usage.reasoning = reasoning
  return usage
}

/** Adds up what several answers have used. */

import { compact } from '../../json/object.ts'
import type { Usage } from '../../model/answer.ts'

export const noUsage: Usage = Object.freeze({ input: 0, output: 0 })

/** Details that neither side reports stay absent. What only one wire says of its usage is not added up. */
export function addUsage(total: Usage, more: Usage | undefined): Usage {
  if (more === undefined) return total
  const sum = (key: 'cacheRead' | 'cacheWrite' | 'reasoning'): number | undefined =>
    total[key] === undefined && more[key] === undefined ? undefined : (total[key] ?? 0) + (more[key] ?? 0)
  return {
    input: total.input + more.input,
    output: total.output + more.output,
    ...compact({
      cacheRead: sum('cacheRead'),
      cacheWrite: sum('cacheWrite'),
      reasoning: sum('reasoning'),
    }),
  }
}

/** All checks of a whole world. A counter of memory or work is a line in `budgets.ts`; another check is a module. */
import type { Check } from '../contract.ts'
import { budgets } from './budgets.ts'
import { nothingLeft } from './nothing-left.ts'
import { onceOnly } from './once-only.ts'

export const checks: readonly Check[] = [onceOnly, nothingLeft, budgets]

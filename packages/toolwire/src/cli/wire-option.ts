import type { Wire } from '@toolwire/core'
import { checkChoice } from './arguments.ts'

const wires: readonly Wire[] = ['chat', 'responses', 'messages']

export function wireOption(flag: string, value: string): Wire
export function wireOption(flag: string, value: string | undefined): Wire | undefined
export function wireOption(flag: string, value: string | undefined): Wire | undefined {
  if (value === undefined) return undefined
  checkChoice(flag, value, wires)
  return value as Wire
}

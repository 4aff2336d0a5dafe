/** Small questions about values that come from anywhere. */
import { printable } from '../terminal/printable.ts'

export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const longest = 60

/** A value as a message shows it. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (value === undefined) return 'nothing'
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function') return 'a function'
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return printable(shown.length > longest ? `${shown.slice(0, longest - 1)}…` : shown)
}

/** Small helpers for JSON values that come from anywhere, shared by the command and the configuration. */
import { printable } from './terminal/printable.ts'

export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value, or `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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

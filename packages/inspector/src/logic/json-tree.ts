/** The value of a body, and single values of it. */

import { parseJson } from '@toolwire/core/json'
import { parseBeginning } from '../../../toolwire/src/telemetry/traces/json-beginning.ts'

export type Path = readonly (string | number)[]

export const idOf = (path: Path): string => JSON.stringify(path)

export function sizeOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined
}

/** The value of a body, as far as it was kept; `undefined` where it is no JSON. The last line of one that was cut says so. */
export function bodyValue({ text, cut }: { readonly text: string; readonly cut: boolean }): unknown {
  if (!cut) return parseJson(text)
  return /^\s*[{[]/.test(text) ? parseBeginning(text.slice(0, text.lastIndexOf('\n'))) : undefined
}

/** The value at a path; `undefined` where there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let here = value
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined
    here = (here as Record<string | number, unknown>)[step]
  }
  return here
}

const peekLength = 160

/** A value on one line. Of long texts and large objects no more is looked at than is shown. */
export function peek(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.slice(0, peekLength)) + (value.length > peekLength ? '…' : '')
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.length} ]`
  if (typeof value === 'object' && value !== null) {
    const keys = Object.keys(value)
    const hint = describing
      .map(key => (value as Record<string, unknown>)[key])
      .find(text => typeof text === 'string')
    const shown = hint === undefined ? keys.slice(0, 4).join(', ') : String(hint).slice(0, 60)
    return keys.length === 0 ? '{}' : `{ ${shown}${hint === undefined && keys.length > 4 ? ', …' : ''} }`
  }
  return String(value)
}

/** Whether a line of a tree shows it in part only. */
export function isLongText(value: unknown): value is string {
  return typeof value === 'string' && (value.length > peekLength || value.includes('\n'))
}

/** Members that say best what an object is. */
const describing = ['name', 'role', 'type']

/**
 * The members of a JSON object, found without parsing it: one pass over the characters of the outermost object. Whatever
 * is unusual is left to the parser.
 */
import type { JsonMeter } from '@toolwire/core/json'
import { closingQuote, skipSpace, valueEnd } from '@toolwire/core/json'
import { ownText } from '../../platform/own-text.ts'

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d

/** A member: its name stands from `keyAt` and its value from `start` to `end`. Returns whether to go on. */
type OnMember = (key: string, keyAt: number, start: number, end: number) => boolean

/**
 * Whether this is certainly one object within the meter's limits, whose names have no escapes, which may spell any name.
 * Values are not checked.
 */
export function scanMembers(text: string, meter: JsonMeter, onMember: OnMember): boolean {
  let at = skipSpace(text, 0)
  if (text.charCodeAt(at) !== openBrace) return false
  do {
    const keyAt = skipSpace(text, at + 1)
    if (text.charCodeAt(keyAt) !== quote) return false
    const keyEnd = closingQuote(text, keyAt + 1)
    if (keyEnd === -1) return false
    const colonAt = skipSpace(text, keyEnd + 1)
    if (text.charCodeAt(colonAt) !== colon) return false
    const start = skipSpace(text, colonAt + 1)
    const end = valueEnd(text, start, meter)
    meter.counted++
    if (end === -1 || meter.counted > meter.nodes) return false
    const key = text.slice(keyAt + 1, keyEnd)
    if (key.includes('\\') || !onMember(key, keyAt, start, end)) return false
    at = skipSpace(text, end)
  } while (text.charCodeAt(at) === comma)
  return text.charCodeAt(at) === closeBrace && skipSpace(text, at + 1) === text.length
}

/** The value of a string without escapes and characters beyond ASCII; `undefined` where it is anything else. */
export function plainString(text: string, start: number, end: number): string | undefined {
  const value = text.slice(start + 1, end - 1)
  return text.charCodeAt(start) === quote && /^[ !#-[\]-~]*$/.test(value) ? ownName(value) : undefined
}

/** Names repeat: one copy serves for all requests. */
const knownNames = new Map<string, string>()
const mostNames = 1000
const longestName = 200
/** V8 copies shorter pieces itself. */
const shortName = 13

/** Names are kept in facts, records and caches, long after the body that they stood in. */
function ownName(name: string): string {
  if (name.length < shortName) return name
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const own = ownText(name)
  if (name.length > longestName) return own
  if (knownNames.size >= mostNames) knownNames.clear()
  knownNames.set(own, own)
  return own
}

/**
 * From the argument text that a model wrote to the object a handler can take. What does not parse is an error
 * and never other arguments; mending is done only on request, and said.
 */
import { isObject, type JsonObject, show } from '../../json/json.ts'
import { scanJson } from '../../json/scan-json.ts'
import { describeError } from '../errors.ts'
import { repairJson } from './repair-json.ts'

export interface ParseOptions {
  /** `true` mends certain slips of JSON; a function of your own gets the text and gives another. */
  readonly repair?: boolean | ((text: string) => string)
}

export type ParsedArguments =
  | {
      readonly ok: true
      readonly value: JsonObject
      /** The text was mended before it could be parsed. */
      readonly repaired: boolean
    }
  | {
      readonly ok: false
      /** The text is no JSON, or it is JSON but no arguments. */
      readonly code: 'invalid_json' | 'invalid_arguments'
      /** Written for the model, so that it can correct itself. */
      readonly message: string
      /** Where in the text. */
      readonly position?: number
    }

type ParseFailure = Extract<ParsedArguments, { readonly ok: false }>

/** The arguments of a call. Empty text means no arguments. */
export function parseArguments(text: string, options: ParseOptions = {}): ParsedArguments {
  return readArguments(text, options).parsed
}

interface ReadArguments {
  readonly parsed: ParsedArguments
  /** What was parsed: the model's own text, or what mending made of it. Parsed again, it gives the same. */
  readonly source: string
}

export function readArguments(text: string, { repair = false }: ParseOptions = {}): ReadArguments {
  const strict = parseStrict(text)
  if (strict.ok || repair === false || typeof text !== 'string') return { parsed: strict, source: text }
  const mended = repairText(text, repair)
  if (typeof mended !== 'string') return { parsed: mended, source: text }
  const parsed = parseStrict(mended)
  if (parsed.ok) return { parsed: { ...parsed, repaired: true }, source: mended }
  const message = repair === true ? strict.message : `${strict.message} Mending it did not help.`
  return { parsed: { ...strict, message }, source: text }
}

function parseStrict(text: string): ParsedArguments {
  if (typeof text !== 'string')
    return parseFailure('invalid_arguments', `The arguments must be given as JSON text; got ${show(text)}.`)
  if (text.trim() === '') return { ok: true, value: {}, repaired: false }
  const read = readJson(text)
  if (!read.ok) {
    const message = `The arguments are not JSON that can be read. ${read.message}`
    return { ...parseFailure('invalid_json', message), position: read.position }
  }
  const { value } = read
  if (isObject(value)) return { ok: true, value, repaired: false }
  return parseFailure('invalid_arguments', `The arguments must be a JSON object; got ${kindOf(value)}.`)
}

/** Models of some servers encode the object twice, so that a string comes which holds the JSON. */
function repairText(text: string, repair: true | ((text: string) => string)): string | ParseFailure {
  if (repair === true) {
    const once = repairJson(text)
    const inner = once.startsWith('"') ? readJson(once) : undefined
    return inner?.ok === true && typeof inner.value === 'string' ? repairJson(inner.value) : once
  }
  try {
    const mended: unknown = repair(text)
    if (typeof mended === 'string') return mended
    return parseFailure('invalid_json', `The arguments could not be mended: "repair" gave ${show(mended)}.`)
  } catch (thrown) {
    return parseFailure('invalid_json', `The arguments could not be mended: ${describeError(thrown).message}`)
  }
}

function parseFailure(code: ParseFailure['code'], message: string): ParseFailure {
  return { ok: false, code, message }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? 'a text' : show(value)
}

export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      /** Where it goes wrong, and how: whole sentences. */
      readonly message: string
      readonly position: number
    }

/** Nothing that a tool takes or a step gives is nested this deep. */
const maxDepth = 512

export function readJson(text: string): ReadJson {
  const found = scanJson(text, maxDepth)
  if (found === undefined) return { ok: true, value: JSON.parse(text) }
  const { position, problem, cutOff } = found
  const message = cutOff
    ? `After its ${text.length} characters, ${problem}.${excerpt(text, position)} Send it whole.`
    : `At character ${position + 1} of ${text.length}, ${problem}.${excerpt(text, position)}`
  return { ok: false, message, position }
}

/** What stands around the place, on one line. */
function excerpt(text: string, position: number): string {
  const from = Math.max(0, position - 20)
  const excerpt = text.slice(from, position + 20)
  return ` Near: ${JSON.stringify(`${from > 0 ? '…' : ''}${excerpt}${position + 20 < text.length ? '…' : ''}`)}`
}

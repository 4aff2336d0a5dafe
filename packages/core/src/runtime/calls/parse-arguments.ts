/**
 * From the argument text that a model wrote to the object a handler can take. What does not parse is an error
 * and never other arguments; mending is done only on request, and said.
 */
import { isObject, type JsonObject } from '../../json/object.ts'
import { show } from '../../json/text.ts'
import { describeThrown } from '../describe-error.ts'
import { readJson } from './read-json.ts'
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

type Refused = Extract<ParsedArguments, { readonly ok: false }>

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
  const mended = mend(text, repair)
  if (typeof mended !== 'string') return { parsed: mended, source: text }
  const parsed = parseStrict(mended)
  if (parsed.ok) return { parsed: { ...parsed, repaired: true }, source: mended }
  const message = repair === true ? strict.message : `${strict.message} Mending it did not help.`
  return { parsed: { ...strict, message }, source: text }
}

function parseStrict(text: string): ParsedArguments {
  if (typeof text !== 'string')
    return refuse('invalid_arguments', `The arguments must be given as JSON text; got ${show(text)}.`)
  if (text.trim() === '') return { ok: true, value: {}, repaired: false }
  const read = readJson(text)
  if (!read.ok) {
    const message = `The arguments are not JSON that can be read. ${read.message}`
    return { ...refuse('invalid_json', message), position: read.position }
  }
  const { value } = read
  if (isObject(value)) return { ok: true, value, repaired: false }
  return refuse('invalid_arguments', `The arguments must be a JSON object; got ${kindOf(value)}.`)
}

/** Models of some servers encode the object twice, so that a string comes which holds the JSON. */
function mend(text: string, repair: true | ((text: string) => string)): string | Refused {
  if (repair === true) {
    const once = repairJson(text)
    const inner = once.startsWith('"') ? readJson(once) : undefined
    return inner?.ok === true && typeof inner.value === 'string' ? repairJson(inner.value) : once
  }
  try {
    const mended: unknown = repair(text)
    if (typeof mended === 'string') return mended
    return refuse('invalid_json', `The arguments could not be mended: "repair" gave ${show(mended)}.`)
  } catch (thrown) {
    return refuse('invalid_json', `The arguments could not be mended: ${describeThrown(thrown).message}`)
  }
}

function refuse(code: Refused['code'], message: string): Refused {
  return { ok: false, code, message }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? 'a text' : show(value)
}

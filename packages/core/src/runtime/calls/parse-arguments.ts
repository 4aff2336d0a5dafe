/**
 * Parses JSON that a model wrote, above all the arguments of a call. Text that does not parse is an error with its
 * position, so that the model can correct it. It is repaired only on request, and the result says so.
 */
import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { isObject, type JsonObject } from '../../json/object.ts'
import { scanJson } from '../../json/scan-json.ts'
import { show } from '../../json/text.ts'
import { describeError } from '../errors.ts'
import { repairJson } from './repair-json.ts'

/** Whether broken arguments may be repaired. */
export interface ParseOptions {
  /** `true` repairs slips whose meaning is certain. A function gets the text and returns JSON. */
  readonly repair?: boolean | ((text: string) => string)
}

/** Arguments as an object, or why there is none. */
export type ParsedArguments =
  | {
      readonly ok: true
      readonly value: JsonObject
      /** The text had to be repaired before it could be parsed. */
      readonly repaired: boolean
    }
  | {
      readonly ok: false
      /** `invalid_arguments`: the text is JSON, but not an object. */
      readonly code: 'invalid_json' | 'invalid_arguments'
      /** Written for the model, so that it can correct itself. */
      readonly message: string
      /** Index into the text. */
      readonly position?: number
    }

type ParseFailure = Extract<ParsedArguments, { readonly ok: false }>

const known: KnownOptions<ParseOptions> = { repair: true }

/** The arguments of a call. Empty text means no arguments. */
export function parseArguments(text: string, options: ParseOptions = {}): ParsedArguments {
  refuseUnknownOptions('parseArguments', options, known)
  return readArguments(text, options).parsed
}

interface ReadArguments {
  readonly parsed: ParsedArguments
  /** The text that was parsed: the model's own, or the repaired one. Parsing it again gives the same value. */
  readonly source: string
}

export function readArguments(text: string, { repair = false }: ParseOptions = {}): ReadArguments {
  const strict = parseStrict(text)
  if (strict.ok || repair === false || typeof text !== 'string') return { parsed: strict, source: text }
  const repaired = repairText(text, repair)
  if (typeof repaired !== 'string') return { parsed: repaired, source: text }
  const parsed = parseStrict(repaired)
  if (parsed.ok) return { parsed: { ...parsed, repaired: true }, source: repaired }
  const message = repair === true ? strict.message : `${strict.message} Repairing it did not help.`
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

/** Some servers encode the object twice, so that the text is a JSON string that contains JSON. */
function repairText(text: string, repair: true | ((text: string) => string)): string | ParseFailure {
  if (repair === true) {
    const once = repairJson(text)
    const inner = once.startsWith('"') ? readJson(once) : undefined
    return inner?.ok === true && typeof inner.value === 'string' ? repairJson(inner.value) : once
  }
  try {
    const repaired: unknown = repair(text)
    if (typeof repaired === 'string') return repaired
    const problem = `The arguments could not be repaired: "repair" returned ${show(repaired)}.`
    return parseFailure('invalid_json', problem)
  } catch (thrown) {
    const { message } = describeError(thrown)
    return parseFailure('invalid_json', `The arguments could not be repaired: ${message}`)
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
      /** Full sentences with the position and the problem, written for the model. */
      readonly message: string
      readonly position: number
    }

/** Far deeper than real arguments, and shallow enough for code that recurses over the value. */
const maxDepth = 512

/** Like `JSON.parse`, but limits the depth and refuses numbers that JavaScript would change. */
export function readJson(text: string): ReadJson {
  const found = scanJson(text, maxDepth)
  if (found === undefined) return { ok: true, value: JSON.parse(text) }
  const { position, problem, cutOff } = found
  const message = cutOff
    ? `After its ${text.length} characters, ${problem}.${excerpt(text, position)} Send it whole.`
    : `At character ${position + 1} of ${text.length}, ${problem}.${excerpt(text, position)}`
  return { ok: false, message, position }
}

function excerpt(text: string, position: number): string {
  const from = Math.max(0, position - 20)
  const to = position + 20
  const before = from > 0 ? '…' : ''
  const after = to < text.length ? '…' : ''
  return ` Near: ${JSON.stringify(`${before}${text.slice(from, to)}${after}`)}`
}

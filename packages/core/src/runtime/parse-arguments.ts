/**
 * From the argument text that a model wrote to the object a handler can take. What does not parse is an error
 * and never other arguments; mending is done only on request, and said.
 */
import { isObject, type JsonObject, show } from '../model/json.ts'
import { scanJson } from './json-scan.ts'
import { repairJson } from './repair-json.ts'
import { describeThrown } from './thrown.ts'

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

/** Nothing that a tool takes is nested this deep. */
const maxDepth = 512

/** The arguments of a call. Empty text means no arguments. */
export function parseArguments(text: string, { repair = false }: ParseOptions = {}): ParsedArguments {
  const strict = parseStrict(text)
  if (strict.ok || repair === false || typeof text !== 'string') return strict
  const mended = mend(text, repair)
  if (typeof mended !== 'string') return mended
  const parsed = parseStrict(mended)
  if (parsed.ok) return { ...parsed, repaired: true }
  return repair === true ? strict : { ...strict, message: `${strict.message} Mending it did not help.` }
}

function parseStrict(text: string): ParsedArguments {
  if (typeof text !== 'string')
    return refuse('invalid_arguments', `The arguments must be given as JSON text; got ${show(text)}.`)
  if (text.trim() === '') return { ok: true, value: {}, repaired: false }
  const problem = scanJson(text, maxDepth)
  if (problem !== undefined) {
    const { position, problem: what, cutOff } = problem
    const remedy = cutOff ? ' Send them whole.' : ''
    const message = `The arguments are not JSON that can be read. At character ${position + 1} of ${text.length}, ${what}.${near(text, position)}${remedy}`
    return { ...refuse('invalid_json', message), position }
  }
  const value: unknown = JSON.parse(text)
  if (isObject(value)) return { ok: true, value, repaired: false }
  return refuse('invalid_arguments', `The arguments must be a JSON object; got ${kindOf(value)}.`)
}

/** Models of some servers encode the object twice, so that a string comes which holds the JSON. */
function mend(text: string, repair: true | ((text: string) => string)): string | Refused {
  if (repair === true) {
    const once = repairJson(text)
    if (!once.startsWith('"') || scanJson(once, maxDepth) !== undefined) return once
    return repairJson(JSON.parse(once) as string)
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

/** What stands around the place, on one line. */
function near(text: string, position: number): string {
  const from = Math.max(0, position - 20)
  const excerpt = text.slice(from, position + 20)
  return ` Near: ${JSON.stringify(`${from > 0 ? '…' : ''}${excerpt}${position + 20 < text.length ? '…' : ''}`)}`
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? 'a text' : show(value)
}

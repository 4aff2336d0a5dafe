/** The results of calls in a sentence each: their key facts, failures and images. */
import type { JsonObject } from '@toolwire/core/json'
import { isObject, own, parseJson } from '@toolwire/core/json'
import { ownString, shorten } from './json.ts'
import type { CallResult } from './read-messages.ts'

/** The gateway puts `[tool error]` before failed results, because Chat has no field for that. */
const failedText = /^(?:\[tool error\]|error:)\s*/i

/** A longer result is not parsed; its beginning is quoted. */
const longestJson = 200_000
const longestText = 300
const longestFact = 120
const mostFacts = 8
const maxDepth = 5

export interface ResultSentence {
  readonly text: string
  readonly isFailure: boolean
}

export function describeResult({ name, input, text, images }: CallResult): ResultSentence {
  const value = text.length <= longestJson ? parseJson(text) : undefined
  const failure = isObject(value)
    ? errorIn(value)
    : failedText.test(text)
      ? text.replace(failedText, '')
      : undefined
  const about = name + subjectOf(input)
  if (failure !== undefined)
    return { text: sentence(`${about} failed: ${shorten(failure, longestText)}`), isFailure: true }
  const facts = typeof value === 'object' && value !== null ? factsOf(value) : shorten(text, longestText)
  const shown = images === 0 ? '' : images === 1 ? 'an image' : `${images} images`
  const parts = [facts, shown].filter(part => part !== '').join('; ')
  return {
    text: sentence(parts === '' ? `${about} returned nothing` : `${about}: ${parts}`),
    isFailure: false,
  }
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** " for Oslo", from the first short text among the arguments. */
function subjectOf(input: string): string {
  const args = parseJson(input)
  const texts = isObject(args) ? Object.values(args) : []
  const text = texts.find(one => typeof one === 'string' && one !== '' && one.length <= 40)
  return text === undefined ? '' : ` for ${String(text)}`
}

function errorIn(value: JsonObject): string | undefined {
  const error = own(value, 'error')
  if (typeof error === 'string' && error !== '') return error
  if (isObject(error)) return ownString(error, 'message') ?? factsOf(error)
  return own(value, 'isError') === true ? factsOf(value) : undefined
}

/** The first values of a JSON tree, each with the keys that lead to it: `sky clouds many, days 1 Mon`. */
function factsOf(value: object): string {
  const facts: string[] = []
  const visit = (item: unknown, keys: readonly (string | number)[]): void => {
    if (facts.length > mostFacts || keys.length > maxDepth) return
    if (Array.isArray(item)) item.slice(0, mostFacts).forEach((one, i) => void visit(one, [...keys, i + 1]))
    else if (isObject(item)) for (const key of Object.keys(item)) visit(item[key], [...keys, key])
    else facts.push([...keys, shorten(String(item), longestFact)].join(' '))
  }
  visit(value, [])
  return facts.slice(0, mostFacts).join(', ') + (facts.length > mostFacts ? ' and more' : '')
}

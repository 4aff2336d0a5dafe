/** The results of calls told in words: their key facts, failures, and images. */
import { isObject, own, ownString, parseJson, shorten } from './json.ts'
import type { CallResult } from './read-messages.ts'

/** How results that failed are marked where the wire has no field for it. */
const errorMark = '[tool error]'

/** Longer results are quoted by their beginning and not taken apart. */
const longestJson = 200_000
const longestText = 300
const mostFacts = 8
const mostItems = 5
const maxDepth = 4

export interface ToldResult {
  readonly sentence: string
  readonly isFailure: boolean
}

export function tellResult(result: CallResult): ToldResult {
  const about = `${result.name}${subjectOf(result.input)}`
  const text = result.text.trim()
  const failure = failureIn(text)
  if (failure !== undefined) return { sentence: sentence(`${about} failed: ${failure}`), isFailure: true }
  const parts = [text === '' ? '' : factsOf(text), imagesOf(result.images)].filter(part => part !== '')
  const told = parts.length === 0 ? `${about} returned nothing` : `${about}: ${parts.join('; ')}`
  return { sentence: sentence(told), isFailure: false }
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function imagesOf(count: number): string {
  if (count === 0) return ''
  return count === 1 ? 'an image' : `${count} images`
}

/** " for Oslo", from the first short text among the arguments. */
function subjectOf(input: string): string {
  const value = input.length > 2000 ? undefined : parseJson(input)
  if (!isObject(value)) return ''
  const text = Object.values(value).find(one => typeof one === 'string' && one !== '' && one.length <= 40)
  return text === undefined ? '' : ` for ${String(text)}`
}

function failureIn(text: string): string | undefined {
  if (text.startsWith(errorMark))
    return shorten(text.slice(errorMark.length).trim(), longestText) || 'no reason given'
  const value = parsed(text)
  if (!isObject(value)) {
    const match = /^(?:error|exception|failed)\b[:\s-]*/i.exec(text)
    return match === null ? undefined : shorten(text.slice(match[0].length), longestText) || text
  }
  const error = own(value, 'error')
  if (typeof error === 'string' && error !== '') return shorten(error, longestText)
  if (isObject(error)) return shorten(ownString(error, 'message') ?? factsOfValue(error), longestText)
  const isMarked = own(value, 'isError') === true || own(value, 'is_error') === true
  return isMarked ? shorten(factsOfValue(value), longestText) : undefined
}

function parsed(text: string): unknown {
  return text.length <= longestJson && /^[[{"\d-]|^(?:true|false|null)$/.test(text)
    ? parseJson(text)
    : undefined
}

function factsOf(text: string): string {
  const value = parsed(text)
  return value === undefined ? shorten(oneLine(text), longestText) : factsOfValue(value)
}

function factsOfValue(value: unknown): string {
  const facts: string[] = []
  addFacts(value, '', 0, facts)
  const shown = facts.slice(0, mostFacts)
  return facts.length === 0 ? 'nothing' : shown.join(', ') + (facts.length > mostFacts ? ' and more' : '')
}

function addFacts(value: unknown, name: string, depth: number, facts: string[]): void {
  if (facts.length > mostFacts) return
  const label = name === '' ? '' : `${name} `
  if (Array.isArray(value)) {
    if (value.length === 0) facts.push(`${label}none`)
    else if (value.every(item => typeof item !== 'object' || item === null))
      facts.push(
        `${label}${value.slice(0, mostItems).map(leaf).join(' / ')}${value.length > mostItems ? ' / …' : ''}`,
      )
    else if (depth < maxDepth)
      value.slice(0, mostItems).forEach((item, i) => {
        addFacts(item, `${name === '' ? 'item' : name} ${i + 1}`, depth + 1, facts)
      })
  } else if (isObject(value)) {
    if (depth >= maxDepth) return
    for (const key of Object.keys(value)) {
      if (facts.length > mostFacts) return
      addFacts(value[key], name === '' ? key : `${name} ${key}`, depth + 1, facts)
    }
  } else facts.push(label + leaf(value))
}

function leaf(value: unknown): string {
  return typeof value === 'string' ? shorten(oneLine(value), 120) : String(value)
}

/** Only the beginning is ever shown, so only that is looked at. */
function oneLine(text: string): string {
  return text.slice(0, 4 * longestText).replace(/\s+/g, ' ')
}

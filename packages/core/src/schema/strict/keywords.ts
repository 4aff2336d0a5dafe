/**
 * What becomes of each keyword outside the strict subset. What a model should know moves into the description;
 * what tells it nothing is removed; what carries structure ends the conversion.
 */
import { isObject, type JsonObject, own } from '../../json/json.ts'
import { shorten } from '../validate/run.ts'

type Fate = 'remove' | 'describe' | 'refuse'

const described: ReadonlySet<string> = new Set([
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'propertyNames',
  'contains',
  'minContains',
  'maxContains',
  'dependentRequired',
  'pattern',
  'format',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
])

const refused: ReadonlySet<string> = new Set([
  'not',
  'if',
  'patternProperties',
  'dependentSchemas',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  '$dynamicRef',
  '$recursiveRef',
  'allOf',
  'oneOf',
  '$ref',
  'extends',
  'disallow',
])

export function fateOf(keyword: string, value: unknown, node: JsonObject): Fate {
  if (hasNoEffect(keyword, value, node)) return 'remove'
  if (keyword === 'dependencies') {
    return isObject(value) && Object.values(value).every(Array.isArray) ? 'describe' : 'refuse'
  }
  if (refused.has(keyword)) return 'refuse'
  return described.has(keyword) ? 'describe' : 'remove'
}

function hasNoEffect(keyword: string, value: unknown, node: JsonObject): boolean {
  if (value === false && ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'].includes(keyword)) return true
  if (isObject(value) && Object.keys(value).length === 0) {
    return ['patternProperties', 'dependentSchemas', 'dependentRequired', 'dependencies'].includes(keyword)
  }
  // Every object is closed anyway, and `items` leaves no item unevaluated.
  if (keyword === 'unevaluatedProperties') return value === false
  if (keyword === 'unevaluatedItems') return isObject(own(node, 'items'))
  return (keyword === 'minContains' || keyword === 'maxContains') && !Object.hasOwn(node, 'contains')
}

/** `(uniqueItems: true)`: the keyword as a reader of the description meets it. */
export function asNote(keyword: string, value: unknown): string {
  // A text among the values is quoted, to tell "5" from 5 and "" from nothing.
  const isValue = keyword === 'default' || keyword === 'example'
  const text = typeof value === 'string' && !isValue ? value : (JSON.stringify(value) ?? '')
  return `(${keyword}: ${shorten(text, 300)})`
}

/** Why a keyword ends the conversion, and what its author can do. */
export function refusalOf(keyword: string): string {
  return keyword === 'prefixItems'
    ? itemsByPosition
    : `"${keyword}" has no strict form; say the rule in the description instead.`
}

export const itemsByPosition =
  'Items by position have no strict form; use an object with one property per position.'

export function describeWith(description: unknown, notes: readonly string[]): string {
  const text = typeof description === 'string' ? description : ''
  return [text, ...notes].filter(part => part !== '').join(' ')
}

/** Keywords that say nothing about which values pass. */
const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$comment',
  '$schema',
  '$id',
  '$anchor',
  '$vocabulary',
  '$defs',
  'definitions',
  'discriminator',
  'externalDocs',
  'xml',
])

function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith('x-')
}

/** The keywords that constrain, without those in `except`. */
export function constraintsOf(node: JsonObject, except: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(node).filter(([keyword]) => !isAnnotation(keyword) && !except.includes(keyword)),
  )
}

export function annotationsOf(node: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([keyword]) => isAnnotation(keyword)))
}

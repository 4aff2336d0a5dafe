/**
 * What happens to each keyword outside the strict subset. A constraint that helps the model moves into the
 * description, a keyword without effect is removed, and one that defines structure makes the conversion fail.
 */
import { isObject, type JsonObject, own } from '../../json/object.ts'
import { shorten } from '../validate/check.ts'

type KeywordAction = 'remove' | 'describe' | 'refuse'

/** Annotations that help the model. */
const hints = ['default', 'examples', 'example', 'deprecated', 'readOnly', 'writeOnly']

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
  ...hints,
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

export function actionFor(keyword: string, value: unknown, node: JsonObject): KeywordAction {
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
  // The conversion closes every object, and `items` evaluates every item.
  if (keyword === 'unevaluatedProperties') return value === false
  if (keyword === 'unevaluatedItems') return isObject(own(node, 'items'))
  return (keyword === 'minContains' || keyword === 'maxContains') && !Object.hasOwn(node, 'contains')
}

/** `(uniqueItems: true)`: the keyword as text for the description. */
export function descriptionNote(keyword: string, value: unknown): string {
  // String values are quoted, to distinguish "5" from 5 and "" from an absent value.
  const isValue = keyword === 'default' || keyword === 'example'
  const text = typeof value === 'string' && !isValue ? value : (JSON.stringify(value) ?? '')
  return `(${keyword}: ${shorten(text, 300)})`
}

/** Why a keyword makes the conversion fail, and what its author can do. */
export function refusalMessage(keyword: string): string {
  return keyword === 'prefixItems'
    ? positionalItemsMessage
    : `"${keyword}" has no strict form; say the rule in the description instead.`
}

export const positionalItemsMessage =
  'Items by position have no strict form; use an object with one property per position.'

export function appendNotes(description: unknown, notes: readonly string[]): string {
  const text = typeof description === 'string' ? description : ''
  return [text, ...notes].filter(part => part !== '').join(' ')
}

/** Keywords that do not affect which values are valid. */
const annotations: ReadonlySet<string> = new Set([
  'title',
  'description',
  ...hints,
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

/** The keywords that are not annotations, without those in `except`. */
export function constraintsOf(node: JsonObject, except: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(node).filter(([keyword]) => !isAnnotation(keyword) && !except.includes(keyword)),
  )
}

export function annotationsOf(node: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(node).filter(([keyword]) => isAnnotation(keyword)))
}

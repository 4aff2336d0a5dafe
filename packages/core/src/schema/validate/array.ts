/** Checks of the keywords about arrays. */
import { own } from '../../json/object.ts'
import { canonical } from '../equal.ts'
import {
  addIssues,
  type Check,
  countOf,
  issue,
  noIssues,
  numberKeyword,
  type SchemaContext,
  type ValidationIssue,
} from './check.ts'

export function arrayChecks(context: SchemaContext): Check[] {
  const unique = own(context.schema, 'uniqueItems') === true ? [uniqueCheck] : []
  return [...unique, ...itemCheck(context), ...containsCheck(context)]
}

const uniqueCheck: Check = (value, at) => {
  if (!Array.isArray(value)) return noIssues
  const indexes = new Map<string, number>()
  for (const [index, item] of value.entries()) {
    const text = canonical(item)
    const earlier = indexes.get(text)
    if (earlier !== undefined)
      return issue(at, 'uniqueItems', `must not repeat items: ${earlier} and ${index} are the same`)
    indexes.set(text, index)
  }
  return noIssues
}

/** The first items by position (`prefixItems`, or the older `items` list), the rest by one schema. */
function itemCheck({ schema, path, resource, compiler }: SchemaContext): Check[] {
  const items = own(schema, 'items')
  const listKey = Array.isArray(items) ? 'items' : 'prefixItems'
  const restKey = Array.isArray(items) ? 'additionalItems' : 'items'
  const list = own(schema, listKey)
  if (list !== undefined && !Array.isArray(list)) compiler.reportMalformed([...path, listKey], 'a list')
  const byIndex = Array.isArray(list)
    ? list.map((member, index) => compiler.compile(member, [...path, listKey, index], resource))
    : []
  const extra = own(schema, restKey)
  const rest = extra === undefined ? undefined : compiler.compile(extra, [...path, restKey], resource)
  if (byIndex.length === 0 && rest === undefined) return []
  return [
    (value, at, state, evaluated) => {
      if (!Array.isArray(value)) return noIssues
      const found: ValidationIssue[] = []
      for (const [index, item] of value.entries()) {
        const check = byIndex[index] ?? rest
        if (check === undefined) break
        evaluated?.items.add(index)
        const issues =
          index >= byIndex.length && extra === false
            ? issue(at, restKey, `must have at most ${countOf(byIndex.length, 'item')}, has ${value.length}`)
            : check(item, { parent: at, key: index }, state, undefined)
        if (!addIssues(found, issues, state) || (index >= byIndex.length && extra === false)) break
      }
      return found.length === 0 ? noIssues : found
    },
  ]
}

function containsCheck(context: SchemaContext): Check[] {
  const { schema, path, resource, compiler } = context
  const contains = own(schema, 'contains')
  if (contains === undefined) return []
  const check = compiler.compile(contains, [...path, 'contains'], resource)
  const min = numberKeyword(context, 'minContains') ?? 1
  const max = numberKeyword(context, 'maxContains') ?? Number.POSITIVE_INFINITY
  return [
    (value, at, state, evaluated) => {
      if (!Array.isArray(value)) return noIssues
      let matching = 0
      for (const [index, item] of value.entries()) {
        if (check(item, { parent: at, key: index }, state, undefined).length > 0) continue
        matching++
        evaluated?.items.add(index)
      }
      if (matching >= min && matching <= max) return noIssues
      const [keyword, bound] =
        matching < min
          ? ['contains', `at least ${countOf(min, 'item')}`]
          : ['maxContains', `at most ${countOf(max, 'item')}`]
      return issue(at, keyword, `must contain ${bound} of the required form, has ${matching}`)
    },
  ]
}

/** The keywords that look into arrays. */
import { own } from '../../json/json.ts'
import { canonical } from '../equal.ts'
import { type Check, collect, count, issue, limitOf, none, type Site, type ValidationIssue } from './run.ts'

export function arrayChecks(site: Site): Check[] {
  const unique = own(site.schema, 'uniqueItems') === true ? [uniqueCheck] : []
  return [...unique, ...itemCheck(site), ...containsCheck(site)]
}

const uniqueCheck: Check = (value, place) => {
  if (!Array.isArray(value)) return none
  const first = new Map<string, number>()
  for (const [index, item] of value.entries()) {
    const text = canonical(item)
    const earlier = first.get(text)
    if (earlier !== undefined)
      return issue(place, 'uniqueItems', `must not repeat items: ${earlier} and ${index} are the same`)
    first.set(text, index)
  }
  return none
}

/** The first items by position (`prefixItems`, or the older `items` list), the rest by one schema. */
function itemCheck({ schema, path, resource, compiler }: Site): Check[] {
  const items = own(schema, 'items')
  const listKey = Array.isArray(items) ? 'items' : 'prefixItems'
  const restKey = Array.isArray(items) ? 'additionalItems' : 'items'
  const list = own(schema, listKey)
  if (list !== undefined && !Array.isArray(list)) compiler.malformed([...path, listKey], 'a list')
  const byIndex = Array.isArray(list)
    ? list.map((member, index) => compiler.compile(member, [...path, listKey, index], resource))
    : []
  const extra = own(schema, restKey)
  const rest = extra === undefined ? undefined : compiler.compile(extra, [...path, restKey], resource)
  if (byIndex.length === 0 && rest === undefined) return []
  return [
    (value, place, run, seen) => {
      if (!Array.isArray(value)) return none
      const found: ValidationIssue[] = []
      for (const [index, item] of value.entries()) {
        const check = byIndex[index] ?? rest
        if (check === undefined) break
        seen?.items.add(index)
        const issues =
          index >= byIndex.length && extra === false
            ? issue(place, restKey, `must have at most ${count(byIndex.length, 'item')}, has ${value.length}`)
            : check(item, { parent: place, key: index }, run, undefined)
        if (!collect(found, issues, run) || (index >= byIndex.length && extra === false)) break
      }
      return found.length === 0 ? none : found
    },
  ]
}

function containsCheck(site: Site): Check[] {
  const { schema, path, resource, compiler } = site
  const contains = own(schema, 'contains')
  if (contains === undefined) return []
  const check = compiler.compile(contains, [...path, 'contains'], resource)
  const min = limitOf(site, 'minContains') ?? 1
  const max = limitOf(site, 'maxContains') ?? Number.POSITIVE_INFINITY
  return [
    (value, place, run, seen) => {
      if (!Array.isArray(value)) return none
      let fitting = 0
      for (const [index, item] of value.entries()) {
        if (check(item, { parent: place, key: index }, run, undefined).length > 0) continue
        fitting++
        seen?.items.add(index)
      }
      if (fitting >= min && fitting <= max) return none
      const [keyword, bound] =
        fitting < min
          ? ['contains', `at least ${count(min, 'item')}`]
          : ['maxContains', `at most ${count(max, 'item')}`]
      return issue(place, keyword, `must contain ${bound} of the asked form, has ${fitting}`)
    },
  ]
}

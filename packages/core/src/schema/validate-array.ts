/** The keywords that look into arrays. */
import { own } from '../model/json.ts'
import { canonical } from './equal.ts'
import { type Check, collect, issue, none, type Site, type ValidationIssue } from './validate-run.ts'

export function arrayChecks(site: Site): Check[] {
  const { schema, path, compiler } = site
  const checks: Check[] = []
  for (const [keyword, sign] of countRules) {
    const limit = own(schema, keyword)
    if (typeof limit === 'number') checks.push(countCheck(keyword, limit, sign))
    else if (limit !== undefined) compiler.malformed([...path, keyword], 'a number')
  }
  if (own(schema, 'uniqueItems') === true) checks.push(uniqueCheck)
  checks.push(...itemCheck(site), ...containsCheck(site))
  return checks
}

const countRules = [
  ['minItems', 1],
  ['maxItems', -1],
] as const

function countCheck(keyword: string, limit: number, sign: 1 | -1): Check {
  return (value, place) => {
    if (!Array.isArray(value) || (value.length - limit) * sign >= 0) return none
    return issue(
      place,
      keyword,
      `must have ${sign === 1 ? 'at least' : 'at most'} ${limit} items, has ${value.length}`,
    )
  }
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
            ? issue(place, restKey, `must have at most ${byIndex.length} items, has ${value.length}`)
            : check(item, { parent: place, key: index }, run, undefined)
        if (!collect(found, issues, run) || (index >= byIndex.length && extra === false)) break
      }
      return found.length === 0 ? none : found
    },
  ]
}

function containsCheck({ schema, path, resource, compiler }: Site): Check[] {
  const contains = own(schema, 'contains')
  if (contains === undefined) return []
  const check = compiler.compile(contains, [...path, 'contains'], resource)
  const limit = (keyword: string, otherwise: number): number => {
    const value = own(schema, keyword)
    if (value !== undefined && typeof value !== 'number') compiler.malformed([...path, keyword], 'a number')
    return typeof value === 'number' ? value : otherwise
  }
  const min = limit('minContains', 1)
  const max = limit('maxContains', Number.POSITIVE_INFINITY)
  return [
    (value, place, run, seen) => {
      if (!Array.isArray(value)) return none
      let count = 0
      for (const [index, item] of value.entries()) {
        if (check(item, { parent: place, key: index }, run, undefined).length > 0) continue
        count++
        seen?.items.add(index)
      }
      if (count < min)
        return issue(place, 'contains', `must contain at least ${min} items of the asked form, has ${count}`)
      if (count > max)
        return issue(
          place,
          'maxContains',
          `must contain at most ${max} items of the asked form, has ${count}`,
        )
      return none
    },
  ]
}

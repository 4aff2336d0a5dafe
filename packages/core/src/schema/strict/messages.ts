/** The names of locations in strict mode's messages, and messages that both the check and the conversion use. */
import type { Path } from '../../model/diagnostic.ts'
import { isDefinitionKeyword } from '../walk.ts'

/** `"unit"`, `each item of "tags"`, `branch 2 of the definition "Filter"`; `the root` for an empty path. */
export function locationName(path: Path): string {
  let name = 'the root'
  // From the start, since a property may have the name of a keyword.
  for (let index = 0; index < path.length; index++) {
    const [keyword, next] = [path[index], path[index + 1]]
    const isDefinition = isDefinitionKeyword(keyword)
    if (next !== undefined && (isDefinition || keyword === 'properties')) {
      name = `${isDefinition ? 'the definition ' : ''}${JSON.stringify(next)}`
      index++
    } else if (typeof next === 'number') {
      name = `${keyword === 'items' || keyword === 'prefixItems' ? 'item' : 'branch'} ${next + 1} of ${name}`
      index++
    } else if (keyword === 'items') {
      name = `each item of ${name}`
    }
  }
  return name
}

/** `locationName` at the start of a sentence. */
export function sentenceSubject(path: Path): string {
  const name = locationName(path)
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

export const strictMessages = {
  root: 'The root needs "type": "object".',
  rootUnion: 'The root must not be a union; put the union into a property of an object.',
  array: (path: Path): string => `${sentenceSubject(path)} is an array and needs "items": say what it holds.`,
  undeclared: (name: unknown): string =>
    `${JSON.stringify(name)} is listed in "required" but not declared in "properties"; declare it, or take it off the list.`,
  values: {
    enum: '"enum" must list strings, numbers, booleans or null, and at least one.',
    const: '"const" must be a string, a number, a boolean or null.',
  },
} as const

/** How strict mode's messages call a place, and those that both the judge and the conversion need. */
import type { Path } from '../../model/diagnostic.ts'
import { isContainer } from '../walk.ts'

/** `"unit"`, `each item of "tags"`, `branch 2 of the definition "Filter"`; `the root` for an empty path. */
export function nameOf(path: Path): string {
  let name = 'the root'
  // From the front, since a property may have the name of a keyword.
  for (let index = 0; index < path.length; index++) {
    const [keyword, next] = [path[index], path[index + 1]]
    const isDefinition = isContainer(keyword)
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

/** The same at the beginning of a sentence. */
export function subject(path: Path): string {
  const name = nameOf(path)
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

export const words = {
  root: 'The root needs "type": "object".',
  rootUnion: 'The root must not be a union; put the union into a property of an object.',
  array: (path: Path): string => `${subject(path)} is an array and needs "items": say what it holds.`,
  undeclared: (name: unknown): string =>
    `${JSON.stringify(name)} is listed in "required" but not declared in "properties"; declare it, or take it off the list.`,
  values: {
    enum: '"enum" must list strings, numbers, booleans or null, and at least one.',
    const: '"const" must be a string, a number, a boolean or null.',
  },
} as const

/** Leaves out parts of a JSON value. */
import type { Path } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'

/** A copy of the value that lacks what is at the paths. Each list and object on a path is copied once. */
export function withoutPaths(body: JsonObject, paths: readonly Path[]): JsonObject {
  return paths.length === 0 ? body : (copyWithout(body, paths, 0) as JsonObject)
}

function copyWithout(value: unknown, paths: readonly Path[], depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>
  for (const [step, group] of groupByStep(paths, depth)) {
    if (!Object.hasOwn(copy, step)) continue
    if (group.some(path => path.length === depth + 1)) delete copy[step]
    else copy[step] = copyWithout(copy[step], group, depth + 1)
  }
  return copy
}

function groupByStep(paths: readonly Path[], depth: number): ReadonlyMap<string | number, readonly Path[]> {
  const groups = new Map<string | number, Path[]>()
  for (const path of paths) {
    const step = path[depth]
    if (step === undefined) continue
    const group = groups.get(step)
    if (group === undefined) groups.set(step, [path])
    else group.push(path)
  }
  return groups
}

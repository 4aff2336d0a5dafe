/**
 * Finds references that come back to themselves without going deeper into the value, such as
 * `{ $ref: '#' }` at the root. They mean nothing, and following them would never end.
 */
import { isObject, type JsonObject, own } from '../../json/json.ts'
import type { RefIndex } from './refs.ts'

const single = ['not', 'if', 'then', 'else'] as const
const lists = ['allOf', 'anyOf', 'oneOf'] as const

interface Frame {
  readonly schema: JsonObject
  /** The last schema on the way here that was left through its reference. */
  readonly leftByRef: JsonObject | undefined
  readonly next: { readonly schema: JsonObject; readonly resource: JsonObject; readonly viaRef: boolean }[]
}

/** The schemas whose own `$ref` closes such a circle. `starts` are all schemas, each with its resource. */
export function findRefCycles(starts: ReadonlyMap<JsonObject, JsonObject>, refs: RefIndex): Set<JsonObject> {
  const done = new Set<JsonObject>()
  const open = new Set<JsonObject>()
  const cyclic = new Set<JsonObject>()
  for (const [start, resource] of starts) {
    if (done.has(start)) continue
    // An explicit stack: a chain of definitions can be longer than the call stack is deep.
    const stack: Frame[] = [{ schema: start, leftByRef: undefined, next: edges(start, resource, refs) }]
    open.add(start)
    while (stack.length > 0) {
      const frame = stack[stack.length - 1]
      if (frame === undefined) break
      const edge = frame.next.pop()
      if (edge === undefined) {
        open.delete(frame.schema)
        done.add(frame.schema)
        stack.pop()
      } else if (open.has(edge.schema)) {
        // Only a reference can close a circle; the last one on the way is part of it.
        const holder = edge.viaRef ? frame.schema : frame.leftByRef
        if (holder !== undefined) cyclic.add(holder)
      } else if (!done.has(edge.schema)) {
        open.add(edge.schema)
        const leftByRef = edge.viaRef ? frame.schema : frame.leftByRef
        stack.push({ schema: edge.schema, leftByRef, next: edges(edge.schema, edge.resource, refs) })
      }
    }
  }
  return cyclic
}

function edges(schema: JsonObject, enclosing: JsonObject, refs: RefIndex): Frame['next'] {
  const resource = refs.enter(schema, enclosing)
  const next: Frame['next'] = []
  const add = (value: unknown): void => {
    if (isObject(value)) next.push({ schema: value, resource, viaRef: false })
  }
  for (const keyword of single) add(own(schema, keyword))
  for (const keyword of lists) {
    const members = own(schema, keyword)
    if (Array.isArray(members)) members.forEach(add)
  }
  const dependent = own(schema, 'dependentSchemas') ?? own(schema, 'dependencies')
  if (isObject(dependent)) Object.values(dependent).forEach(add)
  const ref = own(schema, '$ref')
  const target = typeof ref === 'string' ? refs.resolve(ref, resource) : undefined
  if (target !== undefined && isObject(target.schema)) {
    next.push({ schema: target.schema, resource: target.resource, viaRef: true })
  }
  return next
}

/**
 * Finds cycles of references. Both searches use an explicit stack, because a chain of definitions can be longer
 * than the call stack is deep.
 */
import { isObject, type JsonObject, own } from '../../json/object.ts'
import type { RefIndex } from './refs.ts'

const schemaKeywords = ['not', 'if', 'then', 'else'] as const
const schemaListKeywords = ['allOf', 'anyOf', 'oneOf'] as const

interface InPlaceFrame {
  readonly schema: JsonObject
  /** The last schema on the current path that was left through its reference. */
  readonly leftByRef: JsonObject | undefined
  readonly next: { readonly schema: JsonObject; readonly resource: JsonObject; readonly viaRef: boolean }[]
}

/**
 * The schemas whose `$ref` leads back to themselves without descending into the value, such as `{ $ref: '#' }` at
 * the root. Such a reference has no meaning, and following it would never end.
 */
export function findRefCycles(refs: RefIndex): Set<JsonObject> {
  const done = new Set<JsonObject>()
  const open = new Set<JsonObject>()
  const cyclic = new Set<JsonObject>()
  for (const [start, resource] of refs.schemas) {
    if (done.has(start)) continue
    const stack: InPlaceFrame[] = [
      { schema: start, leftByRef: undefined, next: inPlaceEdges(start, resource, refs) },
    ]
    open.add(start)
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const edge = frame.next.pop()
      if (edge === undefined) {
        open.delete(frame.schema)
        done.add(frame.schema)
        stack.pop()
        continue
      }
      const leftByRef = edge.viaRef ? frame.schema : frame.leftByRef
      if (open.has(edge.schema)) {
        // Only a reference can close a cycle, so the last one on the path belongs to it.
        if (leftByRef !== undefined) cyclic.add(leftByRef)
      } else if (!done.has(edge.schema)) {
        open.add(edge.schema)
        stack.push({ schema: edge.schema, leftByRef, next: inPlaceEdges(edge.schema, edge.resource, refs) })
      }
    }
  }
  return cyclic
}

/** The schemas that apply to the same value as `schema` does. */
function inPlaceEdges(schema: JsonObject, enclosing: JsonObject, refs: RefIndex): InPlaceFrame['next'] {
  const resource = refs.resourceOf(schema, enclosing)
  const next: InPlaceFrame['next'] = []
  const add = (value: unknown): void => {
    if (isObject(value)) next.push({ schema: value, resource, viaRef: false })
  }
  for (const keyword of schemaKeywords) add(own(schema, keyword))
  for (const keyword of schemaListKeywords) {
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

/** The targets of references that lie on any cycle: the strongly connected components, by Tarjan's algorithm. */
export function findCyclicTargets(refs: RefIndex, root: JsonObject): Set<JsonObject> {
  const order = new Map<JsonObject, number>()
  const low = new Map<JsonObject, number>()
  const component: JsonObject[] = []
  const inComponent = new Set<JsonObject>()
  const cyclic = new Set<JsonObject>()
  const targets = new Set<JsonObject>()
  interface Frame {
    readonly node: JsonObject
    readonly next: { node: JsonObject; resource: JsonObject }[]
  }

  const open = (node: JsonObject, enclosing: JsonObject): Frame => {
    order.set(node, order.size)
    low.set(node, order.size - 1)
    component.push(node)
    inComponent.add(node)
    const { resource, children, target } = refs.edgesOf(node, enclosing)
    const next = children.map(child => ({ node: child, resource }))
    if (target !== undefined && isObject(target.schema)) {
      targets.add(target.schema)
      if (target.schema === node) cyclic.add(node)
      next.push({ node: target.schema, resource: target.resource })
    }
    return { node, next }
  }

  const close = (node: JsonObject): void => {
    if (low.get(node) !== order.get(node)) return
    const members = component.splice(component.lastIndexOf(node))
    for (const member of members) {
      inComponent.delete(member)
      if (members.length > 1) cyclic.add(member)
    }
  }

  const lower = (node: JsonObject, to: number | undefined): void => {
    low.set(node, Math.min(low.get(node) ?? 0, to ?? 0))
  }

  const stack: Frame[] = [open(root, root)]
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const edge = frame.next.pop()
    if (edge === undefined) {
      stack.pop()
      close(frame.node)
      const parent = stack.at(-1)
      if (parent !== undefined) lower(parent.node, low.get(frame.node))
    } else if (!order.has(edge.node)) {
      stack.push(open(edge.node, edge.resource))
    } else if (inComponent.has(edge.node)) {
      lower(frame.node, order.get(edge.node))
    }
  }
  return new Set([...cyclic].filter(node => targets.has(node)))
}

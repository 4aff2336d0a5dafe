/** Which referred schemas contain a way back to themselves. */
import { isObject, type JsonObject, own } from '../model/json.ts'
import type { RefIndex } from './refs.ts'
import { childrenOf } from './walk.ts'

/**
 * The targets of references that lie on a circle. A walk with an explicit stack (Tarjan's strong components):
 * chains of definitions may be longer than the call stack is deep.
 */
export function findCyclicTargets(refs: RefIndex, root: JsonObject): Set<JsonObject> {
  const order = new Map<JsonObject, number>()
  const low = new Map<JsonObject, number>()
  const component: JsonObject[] = []
  const inside = new Set<JsonObject>()
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
    inside.add(node)
    const resource = refs.enter(node, enclosing)
    // A definition is only reached by a reference; standing inside a schema does not make it part of it.
    const next = childrenOf(node).flatMap(({ path, schema }) =>
      isObject(schema) && path[0] !== '$defs' && path[0] !== 'definitions'
        ? [{ node: schema, resource }]
        : [],
    )
    const ref = own(node, '$ref')
    const target = typeof ref === 'string' ? refs.resolve(ref, resource) : undefined
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
      inside.delete(member)
      if (members.length > 1) cyclic.add(member)
    }
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
    } else if (inside.has(edge.node)) {
      lower(frame.node, order.get(edge.node))
    }
  }

  function lower(node: JsonObject, to: number | undefined): void {
    low.set(node, Math.min(low.get(node) ?? 0, to ?? 0))
  }

  return new Set([...cyclic].filter(node => targets.has(node)))
}

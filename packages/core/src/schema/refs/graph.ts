/** Which referred schemas contain a way back to themselves. */
import { isObject, type JsonObject } from '../../json/json.ts'
import type { RefIndex } from './refs.ts'

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
    const { resource, children, target } = refs.ways(node, enclosing)
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

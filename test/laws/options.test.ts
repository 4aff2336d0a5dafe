/** The laws hold under every combination of options, on one wire and between any two. */
import type { CustomCall, FunctionCall } from '@toolwire/core'
import { convertToolParams } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyOf } from '../support/arbitraries/bodies.ts'
import { optionsTo } from '../support/arbitraries/options.ts'
import { lostLeaves } from '../support/fixtures/leaves.ts'
import { pairs } from '../support/wires.ts'

describe.each(pairs)('tools from %s to %s, with any options', (from, to) => {
  test(`Accounting: every text and number of ${from} tools is converted to ${to} or reported, with any options.`, () => {
    fc.assert(
      fc.property(bodyOf(from), optionsTo(to), (body, options) => {
        const lost = lostLeaves(body, marked => convertToolParams(marked, { ...options, from, to }))
        expect(lost).toEqual([])
      }),
    )
  })

  test(`Undo: a call is restored from ${to} to the ${from} tool with the same description, with any options.`, () => {
    fc.assert(
      fc.property(bodyOf(from), optionsTo(to), (body, options) => {
        const declared = new Map<string, string>()
        const tools = (body.tools as Record<string, unknown>[]).map((tool, i) =>
          describeTool(tool, `about-${i}`, declared),
        )
        const { value, undo } = convertToolParams({ ...body, tools }, { ...options, from, to })
        for (const { call, text } of callables((value.tools ?? []) as Record<string, unknown>[])) {
          const description = [...declared.keys()].find(mark => text.includes(`${mark}.`))
          if (description === undefined) continue
          const restored = undo.restoreCall(call)
          const namespace = 'namespace' in restored ? restored.namespace : undefined
          const identity = JSON.stringify([restored.kind, restored.name, namespace ?? null])
          const twins = [...declared.values()].filter(one => one === declared.get(description))
          if (twins.length === 1) expect(identity).toBe(declared.get(description))
        }
      }),
    )
  })
})

/** Sets a description on every function and custom tool that identifies it. */
function describeTool(
  tool: Record<string, unknown>,
  mark: string,
  declared: Map<string, string>,
  namespace?: string,
): Record<string, unknown> {
  const { type } = tool
  if (type === 'namespace') {
    const inner = (tool.tools as Record<string, unknown>[]).map((one, i) =>
      describeTool(one, `${mark}-${i}`, declared, String(tool.name)),
    )
    return { ...tool, tools: inner, description: 'group' }
  }
  const custom = type === 'custom' && tool.input_schema === undefined
  const hosted = typeof type === 'string' && !['function', 'custom'].includes(type)
  if (hosted) return tool
  const key = tool.function ? 'function' : tool.custom ? 'custom' : undefined
  const holder = (key === undefined ? tool : tool[key]) as { name: string }
  declared.set(mark, JSON.stringify([custom ? 'custom' : 'function', holder.name, namespace ?? null]))
  const described = { ...holder, description: `${mark}.` }
  return key === undefined ? described : { ...tool, [key]: described }
}

function callables(
  tools: readonly Record<string, unknown>[],
  namespace?: string,
): { call: FunctionCall | CustomCall; text: string }[] {
  return tools.flatMap(tool => {
    const { type } = tool
    if (type === 'namespace') return callables(tool.tools as Record<string, unknown>[], String(tool.name))
    const holder = (tool.function ?? tool.custom ?? tool) as { name?: string; description?: string }
    if (holder.name === undefined || holder.description === undefined) return []
    const where = { name: holder.name, ...(namespace === undefined ? {} : { namespace }) }
    const custom = type === 'custom' && tool.input_schema === undefined
    const call: FunctionCall | CustomCall = custom
      ? { kind: 'custom', ...where, input: '' }
      : { kind: 'function', ...where, arguments: '{}' }
    return [{ call, text: holder.description }]
  })
}

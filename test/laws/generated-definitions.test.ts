/** The laws for generated tools. fast-check prints the seed when one breaks. */
import type { CustomCall, FunctionCall, HostedCall } from '@toolwire/core'
import { convertToolParams, convertTools } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toolsOf } from '../support/arbitraries/tools.ts'
import { isCovered, leaves, lostLeaves, markLeaves } from '../support/fixtures/leaves.ts'
import { wires } from '../support/wires.ts'

const leftOut = new Set<string>(['tool_dropped', 'hosted_tool_dropped', 'duplicate_tool_removed'])

describe.each(wires)('tools of %s', from => {
  test(`Identity: tools of ${from} are not changed by a conversion to their own wire.`, () => {
    fc.assert(
      fc.property(toolsOf(from), tools => {
        const { value, diagnostics } = convertTools(tools, { from, to: from })
        expect(value).toEqual(tools)
        // Deprecated fields and unknown types are reported on their own wire too.
        expect(
          diagnostics.filter(({ code }) => code !== 'legacy_functions' && code !== 'unknown_type'),
        ).toEqual([])
      }),
    )
  })

  describe.each(wires)('to %s', to => {
    test(`Accounting: every text and number of tools of ${from} is converted to ${to} or reported. [D6]`, () => {
      fc.assert(
        fc.property(toolsOf(from), tools => {
          expect(lostLeaves(tools, marked => convertTools(marked, { from, to }))).toEqual([])
        }),
      )
    })

    test(`Accounting: every tool of ${from} is converted to ${to} or reported as dropped. [D6]`, () => {
      const twice = fc.tuple(toolsOf(from), fc.nat()).map(([tools, at]) => {
        const again = tools[at % Math.max(1, tools.length)]
        return again === undefined ? tools : [...tools, structuredClone(again)]
      })
      fc.assert(
        fc.property(twice, tools => {
          const { value, diagnostics } = convertTools(tools, { from, to })
          const left = diagnostics.filter(({ code }) => leftOut.has(code))
          const kept = toolPaths(tools).filter(path => !isCovered(path, left))
          expect(toolPaths(value)).toHaveLength(kept.length)
        }),
      )
    })

    test(`Accounting: schemas of ${from} tools are converted to ${to} completely and in their key order.`, () => {
      fc.assert(
        fc.property(toolsOf(from), tools => {
          const schemas = new Set(
            findSchemas(convertTools(tools, { from, to }).value).map(text => JSON.stringify(text)),
          )
          const dropped = convertTools(tools, { from, to }).diagnostics
          for (const { path, schema } of locateSchemas(tools)) {
            if (Object.keys(schema).length === 0 || isCovered(path, dropped)) continue
            expect(schemas).toContain(JSON.stringify(schema))
          }
        }),
      )
    })

    test(`Idempotence: tools of ${from} are not changed again after their conversion to ${to}.`, () => {
      fc.assert(
        fc.property(toolsOf(from), tools => {
          const once = convertTools(tools, { from, to }).value
          expect(convertTools(once, { from: to, to }).value).toEqual(once)
        }),
      )
    })

    test(`Undo: a call to a tool converted from ${from} to ${to} is restored to a call of the declared tool.`, () => {
      fc.assert(
        fc.property(toolsOf(from), tools => {
          const { value, undo } = convertTools(tools, { from, to })
          const calls = value.flatMap(tool => callables(tool))
          const restored = calls.map(call => identify(undo.restoreCall(call)))
          const declared = new Set(tools.flatMap(tool => identities(tool)))
          for (const identity of restored) expect([...declared]).toContain(identity)
          // Two tools share a name on the target only if they were one and the same to the client.
          expect(new Set(calls.map(call => JSON.stringify(call))).size).toBe(new Set(restored).size)
        }),
      )
    })

    test(`Totality: converting tools from ${from} to ${to} does not throw, whatever value it gets.`, () => {
      fc.assert(
        fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())), fc.jsonValue(), (tools, choice) => {
          convertTools(tools, { from, to })
          convertToolParams(
            { tools, tool_choice: choice, functions: tools, function_call: choice, input: tools },
            { from, to },
          )
          convertToolParams(tools, { from, to })
        }),
      )
    })
  })
})

/** The path of each callable tool, in namespaces too. */
function toolPaths(tools: readonly unknown[]): (string | number)[][] {
  return tools.flatMap((tool, i) => {
    const { type, tools: inner } = tool as { type?: unknown; tools?: unknown[] }
    return type === 'namespace' && inner ? inner.map((_, at) => [i, 'tools', at]) : [[i]]
  })
}

interface Named {
  name: string
}

/** A call to every function and custom tool of the list. */
function callables(tool: unknown, namespace?: string): (FunctionCall | CustomCall)[] {
  const { type, name, function: fn, custom, tools, input_schema } = tool as Record<string, unknown>
  if (type === 'namespace') return (tools as unknown[]).flatMap(inner => callables(inner, String(name)))
  const hosted = typeof type === 'string' && !['function', 'custom'].includes(type)
  if (hosted) return []
  const where = {
    name: ((fn ?? custom ?? tool) as Named).name,
    ...(namespace === undefined ? {} : { namespace }),
  }
  const isCustom = type === 'custom' && input_schema === undefined
  return [
    isCustom
      ? { kind: 'custom', ...where, input: 'i' }
      : { kind: 'function', ...where, arguments: '{"input":"i"}' },
  ]
}

function identify(call: FunctionCall | CustomCall | HostedCall): string {
  if (call.kind === 'hosted') return JSON.stringify(['hosted', call.type, call.namespace ?? ''])
  if (call.kind === 'custom') expect(call.input).toBe('i')
  if (call.kind === 'function') expect(call.arguments).toBe('{"input":"i"}')
  return JSON.stringify([call.kind, call.name, call.namespace ?? ''])
}

/** What identifies a declared tool for its client. */
function identities(tool: Record<string, unknown>): string[] {
  if (tool.type === 'namespace') {
    const inner = tool.tools as Record<string, unknown>[]
    const hosted = inner
      .filter(one => callables(one).length === 0)
      .map(one => JSON.stringify(['hosted', one.type, tool.name]))
    return [...callables(tool).map(identify), ...hosted]
  }
  const calls = callables(tool)
  return calls.length === 0 ? [JSON.stringify(['hosted', tool.type, ''])] : calls.map(identify)
}

function locateSchemas(tools: readonly unknown[]): { path: (string | number)[]; schema: object }[] {
  return leavesOfKey(tools, ['parameters', 'input_schema', 'output_schema'])
}

function findSchemas(value: unknown): object[] {
  return leavesOfKey(value, ['parameters', 'input_schema', 'output_schema']).map(({ schema }) => schema)
}

/** Outermost schemas only; a schema is not searched for others. */
function leavesOfKey(
  value: unknown,
  keys: readonly string[],
  path: (string | number)[] = [],
): { path: (string | number)[]; schema: object }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, Array.isArray(value) ? Number(key) : key]
    if (keys.includes(key) && typeof inner === 'object' && inner !== null)
      return [{ path: at, schema: inner }]
    return leavesOfKey(inner, keys, at)
  })
}

test('The function markLeaves marks every text and number.', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const kinds = leaves(value).filter(
        ({ value: leaf }) => typeof leaf === 'string' || typeof leaf === 'number',
      )
      expect(markLeaves(value).marks.length).toBe(kinds.length)
    }),
  )
})

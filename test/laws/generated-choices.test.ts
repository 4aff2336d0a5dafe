/** The laws for generated tools with tool choices: a choice never loses the tool it names. */
import { convertToolParams } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyOf } from '../support/arbitraries/bodies.ts'
import { isCovered, lostLeaves } from '../support/fixtures/leaves.ts'
import { wires } from '../support/wires.ts'

describe.each(wires)('tools and tool choices of %s', from => {
  test(`Identity: tools and tool choices of ${from} are not changed by a conversion to their own wire.`, () => {
    fc.assert(
      fc.property(bodyOf(from), body => {
        const { value, diagnostics } = convertToolParams(body, { from, to: from })
        expect(value).toEqual(body)
        // Deprecated fields and unknown types are reported on their own wire too.
        expect(
          diagnostics.filter(({ code }) => code !== 'legacy_functions' && code !== 'unknown_type'),
        ).toEqual([])
      }),
    )
  })

  describe.each(wires)('to %s', to => {
    test(`Accounting: every text and number of tools and tool choices of ${from} is converted to ${to} or reported.`, () => {
      fc.assert(
        fc.property(bodyOf(from), body => {
          expect(lostLeaves(body, marked => convertToolParams(marked, { from, to }))).toEqual([])
        }),
      )
    })

    test(`A tool choice of ${from} still names the same tool on ${to}.`, () => {
      fc.assert(
        fc.property(bodyOf(from), body => {
          const before = chosen(body.tool_choice)
          const { value, diagnostics, undo } = convertToolParams(body, { from, to })
          const after = chosen(value.tool_choice)
          if (before === undefined || after === undefined) {
            const silent = before !== undefined && !isCovered(['tool_choice'], diagnostics)
            expect(silent).toBe(false)
            return
          }
          const call = after.custom
            ? ({ kind: 'custom', name: after.name, input: '' } as const)
            : ({ kind: 'function', name: after.name, arguments: '' } as const)
          const mapped = diagnostics.some(
            ({ code, path }) => code === 'hosted_tool_mapped' && path[0] === 'tool_choice',
          )
          if (!mapped) expect(undo.restoreCall(call).name).toBe(before.name)
        }),
      )
    })

    test(`Idempotence: tools and tool choices of ${from} are not changed again after their conversion to ${to}.`, () => {
      fc.assert(
        fc.property(bodyOf(from), body => {
          const once = convertToolParams(body, { from, to }).value
          expect(convertToolParams(once, { from: to, to }).value).toEqual(once)
        }),
      )
    })
  })
})

/** The one tool a choice names, in the shape of any wire. */
function chosen(choice: unknown): { name: string; custom: boolean } | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined
  const { type, name, function: fn, custom } = choice as Record<string, unknown>
  const named = (fn ?? custom ?? { name }) as { name?: unknown }
  return typeof named.name === 'string' ? { name: named.name, custom: type === 'custom' } : undefined
}

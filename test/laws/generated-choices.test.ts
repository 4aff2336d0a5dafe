/** The laws over generated tool parts of requests: a choice never loses the tool it names. */
import { convertToolParams } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyOf } from '../support/arbitraries/bodies.ts'
import { wires } from '../support/fixtures/fixtures.ts'
import { isCovered, markLeaves } from '../support/fixtures/leaves.ts'

describe.each(wires)('requests written for %s', from => {
  test('identity: their own wire gets them back unchanged, with nothing to report', () => {
    fc.assert(
      fc.property(bodyOf(from), body => {
        const { value, diagnostics } = convertToolParams(body, { from, to: from })
        expect(value).toEqual(body)
        // Deprecated fields and unknown types are worth a word even where they are at home.
        expect(
          diagnostics.filter(({ code }) => code !== 'legacy_functions' && code !== 'unknown_type'),
        ).toEqual([])
      }),
    )
  })

  describe.each(wires)('to %s', to => {
    test('accounting: every text and number arrives or is spoken of', () => {
      fc.assert(
        fc.property(bodyOf(from), body => {
          const { value: marked, marks } = markLeaves(body)
          const { value, diagnostics } = convertToolParams(marked, { from, to })
          const arrived = JSON.stringify(value)
          expect(
            marks.filter(({ path, mark }) => !arrived.includes(mark) && !isCovered(path, diagnostics)),
          ).toEqual([])
        }),
      )
    })

    test('a named choice still means the tool it named', () => {
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

    test('idempotence: converting again changes nothing', () => {
      fc.assert(
        fc.property(bodyOf(from), body => {
          const once = convertToolParams(body, { from, to }).value
          expect(convertToolParams(once, { from: to, to }).value).toEqual(once)
        }),
      )
    })
  })
})

/** The one tool a choice names, in any wire's words. */
function chosen(choice: unknown): { name: string; custom: boolean } | undefined {
  if (typeof choice !== 'object' || choice === null) return undefined
  const { type, name, function: fn, custom } = choice as Record<string, unknown>
  const named = (fn ?? custom ?? { name }) as { name?: unknown }
  return typeof named.name === 'string' ? { name: named.name, custom: type === 'custom' } : undefined
}

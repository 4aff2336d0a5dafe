/** The laws of conversion, over every fixture, for all nine ordered pairs of wires. */
import { convertToolParams } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { fixtures, goldenText, malformed } from '../support/fixtures/fixtures.ts'
import type { Path } from '../support/fixtures/leaves.ts'
import { isCovered, leaves, lostLeaves } from '../support/fixtures/leaves.ts'
import { wires } from '../support/wires.ts'

for (const { wire: from, story, body, golden } of fixtures) {
  const toolPart = Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'input'))

  describe(`the tools ${from}/${story}`, () => {
    if (!malformed.has(`${from}/${story}`)) {
      test(`Identity: the ${from} tools ${story} are not changed by a conversion to their own wire.`, () => {
        const { value } = convertToolParams(body, { from, to: from })
        expect(value).toEqual(toolPart)
      })
    }

    for (const to of wires) {
      test(`The ${from} tools ${story} convert to ${to} as their fixture records.`, async () => {
        await expect(goldenText(convertToolParams(body, { from, to }))).toMatchFileSnapshot(golden(to))
      })

      test(`Accounting: every leaf of the ${from} tools ${story} is converted to ${to} or reported.`, () => {
        const lost = lostLeaves(body, marked => convertToolParams(marked, { from, to }))
        // Of the input only the tools are converted, and on their own wire they stay there.
        const isTool = (path: Path): boolean => path[0] !== 'input' || (path[2] === 'tools' && from !== to)
        expect(lost.filter(isTool)).toEqual([])
      })

      test(`Accounting: every boolean of the ${from} tools ${story} affects the conversion to ${to} or is reported.`, () => {
        const before = JSON.stringify(convertToolParams(body, { from, to }))
        for (const { path, value } of leaves(toolPart)) {
          if (typeof value !== 'boolean') continue
          const flipped = structuredClone(body)
          setIn(flipped, path, !value)
          const after = convertToolParams(flipped, { from, to })
          const seen = JSON.stringify(after) !== before || isCovered(path, after.diagnostics)
          expect(seen, path.join('.')).toBe(true)
        }
      })

      test(`Idempotence: the ${from} tools ${story} are not changed again after their conversion to ${to}.`, () => {
        const once = convertToolParams(body, { from, to }).value
        expect(convertToolParams(once, { from: to, to }).value).toEqual(once)
      })

      test(`Converting the ${from} tools ${story} to ${to} does not change the input.`, () => {
        const before = structuredClone(body)
        convertToolParams(body, { from, to, strict: 'strictify' })
        expect(body).toEqual(before)
      })
    }
  })
}

function setIn(target: unknown, path: Path, value: unknown): void {
  const holder = path.slice(0, -1).reduce((at, key) => (at as Record<string | number, unknown>)[key], target)
  ;(holder as Record<string | number, unknown>)[path.at(-1) ?? ''] = value
}

/** The laws of conversion, over every fixture, for all nine ordered pairs of wires. */
import { convertToolParams } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { fixtures, malformed, wires } from '../support/fixtures/fixtures.ts'
import { isCovered, leaves, markLeaves } from '../support/fixtures/leaves.ts'

for (const { wire: from, story, body, golden } of fixtures) {
  const toolPart = Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'input'))

  describe(`${from}/${story}`, () => {
    if (!malformed.has(`${from}/${story}`)) {
      test('identity: its own wire gets it back unchanged', () => {
        const { value } = convertToolParams(body, { from, to: from })
        expect(value).toEqual(toolPart)
      })
    }

    for (const to of wires) {
      test(`to ${to}: gives what the fixture says`, async () => {
        const { value, diagnostics } = convertToolParams(body, { from, to })
        const told = diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`)
        await expect(`${JSON.stringify({ value, diagnostics: told }, null, 2)}\n`).toMatchFileSnapshot(
          golden(to),
        )
      })

      test(`to ${to}: accounting: every leaf arrives or is spoken of`, () => {
        const { value: marked, marks } = markLeaves(body)
        const { value, diagnostics } = convertToolParams(marked, { from, to })
        const arrived = JSON.stringify(value)
        const lost = marks
          .filter(({ path }) => path[0] !== 'input' || path[2] === 'tools')
          // Tools inside the input stay there on their own wire.
          .filter(({ path }) => !(path[0] === 'input' && from === to))
          .filter(({ path, mark }) => !arrived.includes(mark) && !isCovered(path, diagnostics))
        expect(lost).toEqual([])
      })

      test(`to ${to}: accounting: no boolean can change unseen`, () => {
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

      test(`to ${to}: idempotence: converting again changes nothing`, () => {
        const once = convertToolParams(body, { from, to }).value
        expect(convertToolParams(once, { from: to, to }).value).toEqual(once)
      })

      test(`to ${to}: the input is not changed`, () => {
        const before = structuredClone(body)
        convertToolParams(body, { from, to, strict: 'strictify' })
        expect(body).toEqual(before)
      })
    }
  })
}

function setIn(target: unknown, path: readonly (string | number)[], value: unknown): void {
  const holder = path.slice(0, -1).reduce((at, key) => (at as Record<string | number, unknown>)[key], target)
  ;(holder as Record<string | number, unknown>)[path.at(-1) ?? ''] = value
}

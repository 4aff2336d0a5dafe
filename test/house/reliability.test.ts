/** The fault table of `docs/reliability.md` is complete, and every proof that it names exists. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../support/house/source.ts'

const classes = 50
const text = readFileSync(`${root}docs/reliability.md`, 'utf8')
const rows = [...text.matchAll(/^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, number, fault = '', behaviour = '', proof = '']) => ({
    number: Number(number),
    fault,
    behaviour,
    proof,
  }),
)
const pathsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)

test('Every class of fault has one row in the fault table.', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: classes }, (_, n) => n + 1))
})

test('Every proof in the fault table is a test that exists, or the row says that it is open.', () => {
  for (const { number, proof } of rows) {
    const paths = pathsIn(proof)
    if (proof !== 'open') expect(paths, `row ${number}`).not.toEqual([])
    for (const path of paths) {
      expect(path, `row ${number}`).toMatch(/\.test\.ts$/)
      expect(existsSync(root + path), `${path} of row ${number}`).toBe(true)
    }
  }
})

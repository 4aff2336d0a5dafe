import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { failureCodes } from './failure-codes.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(name => /(?<!\.test|\.test-helper|failure-codes)\.ts$/.test(name))
  .map(name => readFileSync(folder + name, 'utf8'))
const used = new Set(
  sources.flatMap(text =>
    [...text.matchAll(/\bcode(?::|\s*\?)[^,\n]*?'([a-z_]+)'/g)].map(([, code = '']) => code),
  ),
)

test('every code that the gateway gives is explained', () => {
  expect(used.size).toBeGreaterThan(20)
  expect([...used].filter(code => !Object.hasOwn(failureCodes, code))).toEqual([])
})

test('nothing is explained that the gateway never gives', () => {
  const named = (code: string): boolean => sources.some(text => text.includes(`'${code}'`))
  expect(Object.keys(failureCodes).filter(code => !named(code))).toEqual([])
})

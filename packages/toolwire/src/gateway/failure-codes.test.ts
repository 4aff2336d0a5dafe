import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { severities } from '@toolwire/core/diagnostics'
import { expect, test } from 'vitest'
import { failureCodes } from './failure-codes.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(name => /(?<!\.test|\.test-helper|failure-codes)\.ts$/.test(name))
  .map(name => readFileSync(folder + name, 'utf8'))
const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, code = '']) => code)
// A store's codes reach the client under their own names.
const fromStore = found(readFileSync(`${folder}errors.ts`, 'utf8'), /\bcase '([a-z_]+)'/g)
const written = sources.flatMap(text => found(text, /\bcode(?::|\s*\?)[^,\n]*?'([a-z_]+)'/g))
const composed = sources.flatMap(text => found(text, /\bcode: `([^`]*)`/g))
const used = new Set([
  ...written,
  ...fromStore,
  ...composed.map(code => code.replace('${answer.', '<').replace('}', '>')),
])

test('Every code of a gateway failure is explained.', () => {
  expect(used.size).toBeGreaterThan(20)
  // Diagnostics that the gateway itself reports are explained with the others.
  const isExplained = (code: string): boolean =>
    Object.hasOwn(failureCodes, code) || Object.hasOwn(severities, code)
  expect([...used].filter(code => !isExplained(code))).toEqual([])
})

test('Every explained code is used by the gateway.', () => {
  const named = (code: string): boolean => used.has(code) || sources.some(text => text.includes(`'${code}'`))
  expect(Object.keys(failureCodes).filter(code => !named(code))).toEqual([])
})

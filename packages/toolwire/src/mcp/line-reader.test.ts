import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineReader } from './line-reader.ts'

function read(chunks: readonly Buffer[], maxBytes = 1_000_000): { lines: string[]; tooLong: number } {
  const lines: string[] = []
  let tooLong = 0
  const take = createLineReader({
    maxBytes,
    onLine: line => lines.push(line),
    onTooLong: () => (tooLong += 1),
  })
  for (const chunk of chunks) take(chunk)
  return { lines, tooLong }
}

test('Lines are the same for all chunk boundaries, also inside a character.', () => {
  const line = fc.string({ unit: 'grapheme' }).map(text => text.replaceAll(/[\r\n]/g, ''))
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(200)), fc.constantFrom('\n', '\r\n'), (lines, cuts, end) => {
      const bytes = Buffer.from(lines.map(text => text + end).join(''))
      const at = [0, ...cuts.map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
      const chunks = at.slice(1).map((stop, i) => bytes.subarray(at[i], stop))
      expect(read(chunks).lines).toEqual(lines)
    }),
  )
})

test('A line that is too long is dropped, and the next one is read.', () => {
  expect(read([Buffer.from('abcdef\nxy\n')], 5)).toEqual({ lines: ['xy'], tooLong: 1 })
  expect(read([Buffer.from('abcde\n')], 5)).toEqual({ lines: ['abcde'], tooLong: 0 })
  expect(read([Buffer.from('abc'), Buffer.from('def'), Buffer.from('\nxy\n')], 5).lines).toContain('xy')
})

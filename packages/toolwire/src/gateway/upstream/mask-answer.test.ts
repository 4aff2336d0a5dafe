import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { UpstreamAnswer } from './attempt.ts'
import { maskAnswer, Secret } from './mask-answer.ts'

/** What a reader passes on of chunks that come together in groups. */
function received(groups: readonly (readonly Buffer[])[], secrets: readonly string[]): Buffer[] {
  const { mask } = maskAnswer(
    answer,
    secrets.map(secret => new Secret(secret)),
  )
  // What stands in memory that is used again is read at once.
  const got = groups.flatMap(group => (mask?.take(group) ?? group).map(chunk => Buffer.from(chunk)))
  return [...got, Buffer.from(mask?.rest() ?? '')]
}

const answer: UpstreamAnswer = {
  status: 200,
  headers: {},
  read: () => {},
  pause: () => {},
  resume: () => {},
  abort: () => {},
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 60 })

test('However a text is cut, every occurrence of a key is masked and nothing else changes.', () => {
  const cuts = fc.array(fc.nat(60), { maxLength: 8 })
  fc.assert(
    fc.property(
      letters,
      cuts,
      fc.constantFrom('ab-ab', 'aab', 'b', 'aabaa', 'aaaaab'),
      fc.integer({ min: 1, max: 4 }),
      (text, at, key, together) => {
        const bytes = Buffer.from(text)
        const edges = [0, ...at.filter(cut => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
        const groups: Buffer[][] = []
        for (let i = 0; i < chunks.length; i += together) groups.push(chunks.slice(i, i + together))
        expect(Buffer.concat(received(groups, [key])).toString()).toBe(text.replaceAll(key, '***'))
      },
    ),
  )
})

test('Of several keys none is left.', () => {
  fc.assert(
    fc.property(letters, fc.integer({ min: 1, max: 9 }), (text, size) => {
      const bytes = Buffer.from(text)
      const chunks: Buffer[][] = []
      for (let at = 0; at < bytes.length; at += size) chunks.push([bytes.subarray(at, at + size)])
      const masked = Buffer.concat(received(chunks, ['ab-', 'ba'])).toString()
      expect(masked).not.toMatch(/ab-|ba/)
    }),
  )
})

test('Chunks without the beginning of a key are passed on at once, as they are; what may be one waits.', () => {
  const { mask } = maskAnswer(answer, [new Secret('key-1')])
  const chunks = [Buffer.from('data: {}\n\n'), Buffer.from('data: {}\n\n')]
  expect(mask?.take(chunks)).toBe(chunks)
  expect(mask?.take([Buffer.from('ke'), Buffer.from('y')])).toEqual([])
  expect(mask?.rest()).toEqual(Buffer.from('key'))
})

test('A key is found whichever of its characters is rare, also where a part of it stands before.', () => {
  for (const key of ['sk-bench-dummy', 'AAAAAAAA', '"quoted"', 'abcdefgh~', 'key/with\\slash'])
    expect(Buffer.concat(received([[Buffer.from(`${key.slice(0, -1)} ${key}.`)]], [key])).toString()).toBe(
      `${key.slice(0, -1)} ***.`,
    )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { BodyReader, UpstreamAnswer } from './attempt.ts'
import { maskAnswer, Secret } from './mask-answer.ts'

/** What a reader gets of these chunks. */
function received(chunks: readonly Buffer[], secrets: readonly string[], fails = false): Buffer[] {
  const got: Buffer[] = []
  let ends = 0
  let reading: BodyReader | undefined
  const answer: UpstreamAnswer = {
    status: 200,
    headers: {},
    read: reader => {
      reading = reader
    },
    pause: () => {},
    resume: () => {},
    abort: () => {},
  }
  const reader: BodyReader = {
    data: chunk => got.push(Buffer.from(chunk)),
    end: () => ends++,
    fail: () => ends++,
  }
  maskAnswer(
    answer,
    secrets.map(secret => new Secret(secret)),
  ).read(reader)
  for (const chunk of chunks) reading?.data(chunk)
  if (fails) reading?.fail(new Error('cut'))
  else reading?.end()
  expect(ends).toBe(1)
  return got
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 60 })

test('However a text is cut, every occurrence of a key is masked and nothing else changes.', () => {
  const cuts = fc.array(fc.nat(60), { maxLength: 8 })
  fc.assert(
    fc.property(
      letters,
      cuts,
      fc.constantFrom('ab-ab', 'aab', 'b', 'aabaa', 'aaaaab'),
      fc.boolean(),
      (text, at, key, fails) => {
        const bytes = Buffer.from(text)
        const edges = [0, ...at.filter(cut => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
        expect(Buffer.concat(received(chunks, [key], fails)).toString()).toBe(text.replaceAll(key, '***'))
      },
    ),
  )
})

test('Of several keys none is left.', () => {
  fc.assert(
    fc.property(letters, fc.integer({ min: 1, max: 9 }), (text, size) => {
      const bytes = Buffer.from(text)
      const chunks: Buffer[] = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      const masked = Buffer.concat(received(chunks, ['ab-', 'ba'])).toString()
      expect(masked).not.toMatch(/ab-|ba/)
    }),
  )
})

test('A chunk without the beginning of a key is passed on at once, as it is.', () => {
  const chunk = Buffer.from('data: {}\n\n')
  expect(received([chunk, Buffer.from('key')], ['key-1']).map(String)).toEqual([String(chunk), 'key'])
})

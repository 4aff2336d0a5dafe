import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBlockPool } from './block-pool.ts'
import { createViewRecorder } from './view-recorder.ts'

const bytesOf = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === 'string' ? Buffer.from(chunk) : chunk
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
const chunk = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.uint8Array({ maxLength: 3000 }))

describe('a recorder', () => {
  it('keeps the beginning of what it was given, however it was cut, and knows the whole size', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 40 }), fc.nat(20_000), (chunks, limit) => {
        let reserved = 0
        const recorder = createViewRecorder({
          limit,
          reserve(bytes) {
            reserved += bytes
            return true
          },
        })
        for (const piece of chunks) recorder.chunk(piece)
        const all = Buffer.concat(chunks.map(bytesOf))
        const [part] = recorder.parts()
        expect(reserved).toBeLessThanOrEqual(limit)
        if (part === undefined) {
          expect(chunks.length === 0 || limit < 200).toBe(true)
          return
        }
        expect(part.size).toBe(all.length)
        expect(Buffer.compare(part.kept, all.subarray(0, part.kept.length))).toBe(0)
        // Nothing is left out as long as there is room.
        expect(part.kept.length).toBe(Math.min(all.length, limit - 200))
      }),
    )
  })

  it('keeps every byte of chunks of any size, in blocks that were used before', () => {
    const blocks = createBlockPool(1_000_000)
    const chunks = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 12 })
    fc.assert(
      fc.property(chunks, fc.nat(255), (sizes, seed) => {
        const recorder = createViewRecorder({ limit: 1_000_000, reserve: () => true, blocks })
        const all = Buffer.from(Array.from({ length: sum(sizes) }, (_, i) => (i * 7 + seed) % 251))
        let at = 0
        for (const size of sizes) {
          recorder.chunk(all.subarray(at, at + size))
          at += size
        }
        const [part] = recorder.parts()
        expect(Buffer.compare(part?.kept ?? Buffer.alloc(0), all)).toBe(0)
        recorder.free()
        expect(recorder.parts()).toEqual([])
        recorder.chunk('not kept')
        expect(recorder.parts()).toEqual([])
      }),
      { numRuns: 50 },
    )
  })

  it('copies: what it was given may change or be freed', () => {
    const recorder = createViewRecorder({ limit: 1000, reserve: () => true })
    const large = new Uint8Array(1_000_000).fill(65)
    recorder.chunk(large.subarray(10, 14))
    large.fill(66)
    const kept = recorder.parts()[0]?.kept
    expect(Buffer.from(kept ?? []).toString()).toBe('AAAA')
    // What is kept may lie in a pool, as large as the runtime likes, but never in what was given.
    expect(kept?.buffer).not.toBe(large.buffer)
  })

  it('stops where there is no more memory, and still counts', () => {
    let left = 200 + 1024
    const recorder = createViewRecorder({
      limit: 1_000_000,
      reserve(bytes) {
        if (bytes > left) return false
        left -= bytes
        return true
      },
    })
    for (let i = 0; i < 30; i++) recorder.chunk('x'.repeat(100))
    const [part] = recorder.parts()
    expect([part?.kept.length, part?.size]).toEqual([1024, 3000])
  })

  it('makes a part of each head, masks keys in it, and counts the parts it could not keep', () => {
    const recorder = createViewRecorder({ limit: 3000, reserve: () => true })
    recorder.head({ line: 'POST /1', headers: { authorization: 'canary', accept: '*/*' } })
    recorder.chunk('one')
    recorder.head({ line: 'POST /2', headers: {} })
    recorder.chunk('two')
    for (const line of ['POST /3', 'POST /4']) {
      recorder.head({ line: line.padEnd(900), headers: {} })
      recorder.chunk('x')
    }
    const parts = recorder.parts()
    expect(parts.map(({ head, kept }) => [head?.line, Buffer.from(kept).toString()])).toEqual([
      ['POST /1', 'one'],
      ['POST /2', 'two'],
    ])
    expect(parts[0]?.head?.headers).toEqual({ authorization: '***', accept: '*/*' })
    expect(recorder.omitted()).toBe(2)
  })

  it('takes no more of a head than is worth reading', () => {
    const recorder = createViewRecorder({ limit: 1_000_000, reserve: () => true })
    const headers = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`h${i}`, 'v'.repeat(5000)]))
    recorder.head({ line: 'x'.repeat(5000), headers })
    const head = recorder.parts()[0]?.head
    expect(head?.line.length).toBe(2001)
    expect(Object.keys(head?.headers ?? {})).toHaveLength(100)
    expect(head?.headers.h0).toHaveLength(2001)
  })
})

describe('a view that repeats another', () => {
  /** Says the same as the original until one of them is cut short or goes another way. */
  const record = (original: readonly string[], view: readonly string[], limit = 1_000_000) => {
    let reserved = 0
    const options = {
      limit,
      reserve(bytes: number) {
        reserved += bytes
        return true
      },
    }
    const first = createViewRecorder(options)
    first.head({ line: '200', headers: {} })
    for (const text of original) first.chunk(Buffer.from(text))
    const before = reserved
    const second = createViewRecorder(options, first)
    second.head({ line: '200', headers: {} })
    for (const text of view) second.chunk(text)
    return { part: second.parts()[0], taken: reserved - before, first, second }
  }

  it('takes no memory for its bytes, however either was cut', () => {
    const { part, taken } = record(
      ['data: é', 'ins\n\n', 'x'.repeat(3000)],
      ['data: éins\n', `\n${'x'.repeat(3000)}`],
    )
    expect(Buffer.from(part?.kept ?? []).toString()).toBe(`data: éins\n\n${'x'.repeat(3000)}`)
    expect(part?.size).toBe(3013)
    expect(taken).toBeLessThan(300)
  })

  it('is a view like any other, whatever it says and however large it may get', () => {
    const texts = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme', maxLength: 6 }), fc.constant('ab'.repeat(700))),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(
        texts,
        texts,
        fc.nat(10),
        fc.integer({ min: 300, max: 9000 }),
        (original, own, shared, limit) => {
          const view = [...original.slice(0, shared), ...own]
          const alone = createViewRecorder({ limit, reserve: () => true })
          alone.head({ line: '200', headers: {} })
          for (const text of view) alone.chunk(text)
          const { part } = record(original, view, limit)
          const [expected] = alone.parts()
          expect(part?.size).toBe(expected?.size)
          expect(Buffer.compare(part?.kept ?? Buffer.alloc(0), expected?.kept ?? Buffer.alloc(0))).toBe(0)
        },
      ),
    )
  })

  it('follows an original that goes on, and stays what it was when that goes on alone', () => {
    const { first, second } = record(['one'], ['one'])
    first.chunk(' two three')
    second.chunk(' two')
    expect(Buffer.from(second.parts()[0]?.kept ?? []).toString()).toBe('one two')
    second.chunk(': keep-alive')
    first.chunk(' four')
    expect(Buffer.from(second.parts()[0]?.kept ?? []).toString()).toBe('one two: keep-alive')
    expect(Buffer.from(first.parts()[0]?.kept ?? []).toString()).toBe('one two three four')
  })
})

it('small texts are held together, and are kept before anybody looks or the exchange is over', () => {
  let reserved = 0
  const reserve = (bytes: number): boolean => {
    reserved += bytes
    return true
  }
  const recorder = createViewRecorder({ limit: 100_000, reserve })
  for (let i = 0; i < 10; i++) recorder.chunk('tiny')
  expect(reserved).toBe(200)
  recorder.settle()
  expect(reserved).toBe(200 + 1024)
  recorder.chunk(' text')
  recorder.chunk(Buffer.from(' and bytes'))
  recorder.chunk('.')
  expect(Buffer.from(recorder.parts()[0]?.kept ?? []).toString()).toBe(`${'tiny'.repeat(10)} text and bytes.`)
  recorder.chunk('left')
  recorder.head({ line: '200', headers: {} })
  expect(recorder.parts().map(({ size }) => size)).toEqual([60, 0])
})

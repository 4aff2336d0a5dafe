import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BufferPool } from './buffer-pool.ts'
import { ViewRecorder } from './view-recorder.ts'

const bytesOf = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === 'string' ? Buffer.from(chunk) : chunk
const chunk = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.uint8Array({ maxLength: 3000 }))

/** A recorder that may reserve `memory` bytes in all. */
function createRecorder({
  limit = 1_000_000,
  memory = Number.POSITIVE_INFINITY,
  pool = new BufferPool(0),
} = {}) {
  const state = { reserved: 0 }
  const recorder = new ViewRecorder({
    limit,
    pool,
    reserve(bytes) {
      if (state.reserved + bytes > memory) return false
      state.reserved += bytes
      return true
    },
  })
  return { recorder, state }
}

const textOf = (recorder: ViewRecorder, index = 0): string =>
  recorder.parts()[index]?.bytes.toString() ?? 'no such part'

describe('a view recorder', () => {
  test('A recorder stores the beginning of all chunks together and counts the full size.', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 40 }), fc.nat(20_000), (chunks, limit) => {
        const { recorder, state } = createRecorder({ limit })
        for (const piece of chunks) recorder.chunk(piece)
        const all = Buffer.concat(chunks.map(bytesOf))
        const [part] = recorder.parts()
        expect(state.reserved).toBeLessThanOrEqual(limit)
        if (part === undefined) {
          expect(chunks.length === 0 || limit < 200).toBe(true)
          return
        }
        expect(part.size).toBe(all.length)
        expect(part.bytes.equals(all.subarray(0, part.bytes.length))).toBe(true)
        // A text is cut between characters, which have four bytes at most.
        const room = Math.min(all.length, limit - 200)
        expect(part.bytes.length).toBeLessThanOrEqual(room)
        expect(part.bytes.length).toBeGreaterThanOrEqual(room === all.length ? room : room - 3)
      }),
    )
  })

  test('A recorder stores every byte of chunks of any size, also in reused buffers.', () => {
    const pool = new BufferPool(1_000_000)
    const sizes = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 12 })
    fc.assert(
      fc.property(sizes, fc.nat(255), (lengths, seed) => {
        const { recorder } = createRecorder({ pool })
        const total = lengths.reduce((sum, length) => sum + length, 0)
        const all = Buffer.from(Array.from({ length: total }, (_, i) => (i * 7 + seed) % 251))
        let at = 0
        for (const length of lengths) {
          recorder.chunk(all.subarray(at, at + length))
          at += length
        }
        expect((recorder.parts()[0]?.bytes ?? Buffer.alloc(0)).equals(all)).toBe(true)
        recorder.free()
        expect(recorder.parts()).toEqual([])
      }),
      { numRuns: 50 },
    )
  })

  test('A recorder copies chunks, so that their memory can change or be freed.', () => {
    const { recorder } = createRecorder({ limit: 2000 })
    const large = new Uint8Array(1_000_000).fill(65)
    recorder.chunk(large.subarray(10, 14))
    large.fill(66)
    expect(textOf(recorder)).toBe('AAAA')
    expect(recorder.parts()[0]?.bytes.buffer).not.toBe(large.buffer)
  })

  test('A recorder that gets no more memory stops storing and still counts.', () => {
    const { recorder } = createRecorder({ memory: 200 + 1024 })
    for (let i = 0; i < 30; i++) recorder.chunk('x'.repeat(100))
    const [part] = recorder.parts()
    expect([part?.bytes.length, part?.size]).toEqual([1024, 3000])
  })

  test('A recorder begins a part with each head and counts the parts that did not fit.', () => {
    const { recorder } = createRecorder({ limit: 3000 })
    recorder.head({ line: 'POST /1', headers: { accept: '*/*' } })
    recorder.chunk('one')
    recorder.head({ line: 'POST /2', headers: {} })
    recorder.chunk('two')
    for (const line of ['POST /3', 'POST /4']) {
      recorder.head({ line: line.padEnd(900), headers: {} })
      recorder.chunk('x')
    }
    expect(recorder.parts().map(({ head, bytes }) => [head?.line, bytes.toString()])).toEqual([
      ['POST /1', 'one'],
      ['POST /2', 'two'],
    ])
    expect(recorder.omitted).toBe(2)
  })

  test('A recorder clips long lines, long headers and long lists of headers.', () => {
    const { recorder } = createRecorder()
    const headers = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`h${i}`, 'v'.repeat(5000)]))
    recorder.head({ line: 'x'.repeat(5000), headers })
    const head = recorder.parts()[0]?.head
    expect(head?.line.length).toBe(2001)
    expect(Object.keys(head?.headers ?? {})).toHaveLength(100)
    expect(head?.headers.h0).toHaveLength(2001)
  })

  test('A recorder joins small texts, and stores them when it is read, flushed or given bytes.', () => {
    const { recorder, state } = createRecorder({ limit: 100_000 })
    for (let i = 0; i < 10; i++) recorder.chunk('tiny')
    expect(state.reserved).toBe(200)
    recorder.flush()
    expect(state.reserved).toBe(200 + 1024)
    recorder.chunk(' text')
    recorder.chunk(Buffer.from(' and bytes'))
    recorder.chunk('.')
    expect(textOf(recorder)).toBe(`${'tiny'.repeat(10)} text and bytes.`)
    recorder.chunk('left')
    recorder.head({ line: '200', headers: {} })
    expect(recorder.parts().map(({ size }) => size)).toEqual([60, 0])
  })
})

describe('two views with the same bytes', () => {
  const record = (...chunks: readonly (string | Uint8Array)[]): ViewRecorder => {
    const { recorder } = createRecorder()
    recorder.head({ line: '200', headers: {} })
    for (const piece of chunks) recorder.chunk(piece)
    recorder.flush()
    return recorder
  }

  test('Views with equal bytes share one buffer, however they were cut into chunks.', () => {
    const original = record(Buffer.from('data: é'), Buffer.from('ins\n\n'), Buffer.alloc(3000, 'x'))
    const copy = record('data: éins\n', `\n${'x'.repeat(3000)}`)
    expect(copy.shareBuffers(original)).toBeGreaterThanOrEqual(3013)
    expect(textOf(copy)).toBe(`data: éins\n\n${'x'.repeat(3000)}`)
    expect(copy.parts()[0]?.bytes.buffer).toBe(original.parts()[0]?.bytes.buffer)
  })

  test('Views with different bytes keep their own buffers.', () => {
    const original = record('one two')
    for (const text of ['one', 'one tow', 'one two three', '']) {
      const copy = record(text)
      expect(copy.shareBuffers(original)).toBe(0)
      expect(textOf(copy)).toBe(text)
    }
  })
})

test('A buffer that two views share is released once.', () => {
  const pool = new BufferPool(1_000_000)
  const [original, copy] = [createRecorder({ pool }).recorder, createRecorder({ pool }).recorder]
  for (const recorder of [original, copy]) {
    recorder.chunk('same')
    recorder.flush()
  }
  copy.shareBuffers(original)
  original.free()
  copy.free()
  const taken = [pool.take(1024), pool.take(1024), pool.take(1024)]
  expect(new Set(taken).size).toBe(3)
})

test('A recorder that was freed does not write into its former buffers.', () => {
  const pool = new BufferPool(1_000_000)
  const { recorder } = createRecorder({ pool })
  recorder.chunk(Buffer.from('before'))
  recorder.chunk('pending')
  recorder.free()
  const reused = pool.take(1024).fill(0)
  recorder.chunk('after')
  expect(textOf(recorder)).toBe('after')
  expect(reused.every(byte => byte === 0)).toBe(true)
})

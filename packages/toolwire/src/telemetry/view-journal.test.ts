import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMasker } from './mask-secrets.ts'
import { viewOf } from './trace-document.ts'
import { ViewJournal } from './view-journal.ts'

const bytesOf = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === 'string' ? Buffer.from(chunk) : chunk
const chunk = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.uint8Array({ maxLength: 3000 }))

/** A journal that may reserve `memory` bytes in all. */
function createJournal({ limit = 1_000_000, memory = Number.POSITIVE_INFINITY } = {}) {
  const state = { reserved: 0 }
  const journal = new ViewJournal({
    viewLimit: limit,
    now: () => 0,
    reserve(bytes) {
      if (state.reserved + bytes > memory) return false
      state.reserved += bytes
      return true
    },
  })
  return { journal, state }
}

const textOf = (journal: ViewJournal, index = 0): string =>
  journal.parts('client-answer')[index]?.bytes.toString() ?? 'no such part'

describe('a journal of views', () => {
  test('A journal keeps the beginning of all chunks together and counts the full size.', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 40 }), fc.nat(20_000), (chunks, limit) => {
        const { journal } = createJournal({ limit })
        for (const piece of chunks) journal.chunk('client-answer', piece, false)
        const all = Buffer.concat(chunks.map(bytesOf))
        const [part] = journal.parts('client-answer')
        expect(journal.size('client-answer')).toBe(all.length)
        expect(part?.bytes ?? Buffer.alloc(0)).toEqual(all.subarray(0, part?.bytes.length ?? 0))
        expect(part?.size ?? all.length).toBe(all.length)
        if (!journal.isCut) expect(part?.bytes.length ?? 0).toBe(all.length)
        // The view keeps so many bytes, or characters of text, which have three bytes at most for each unit.
        expect(part?.bytes.length ?? 0).toBeLessThanOrEqual(3 * limit)
        if (all.length > 3 * limit) expect(journal.isCut).toBe(true)
      }),
    )
  })

  test('A journal copies bytes that are lent, and small pieces of large memory.', () => {
    const { journal } = createJournal()
    const large = new Uint8Array(1_000_000).fill(65)
    journal.chunk('client-answer', large.subarray(10, 14), false)
    const lent = new Uint8Array(4).fill(67)
    journal.chunk('client-answer', lent, true)
    large.fill(66)
    lent.fill(66)
    expect(textOf(journal)).toBe('AAAACCCC')
  })

  test('A journal that gets no more memory keeps nothing more and still counts.', () => {
    const { journal } = createJournal({ memory: 4000 })
    for (let i = 0; i < 30; i++) journal.chunk('client-answer', 'x'.repeat(100), false)
    const [part] = journal.parts('client-answer')
    expect(part?.size).toBe(3000)
    expect(part?.bytes.length).toBeGreaterThan(1000)
    expect(part?.bytes.length).toBeLessThan(2000)
  })

  test('A journal begins a part with each head and counts the parts that did not fit.', () => {
    const { journal } = createJournal({ limit: 1000 })
    journal.head('client-answer', { line: 'POST /1', headers: { accept: '*/*' } })
    journal.chunk('client-answer', 'one', false)
    journal.head('client-answer', { line: 'POST /2', headers: {} })
    journal.chunk('client-answer', 'two', false)
    for (const line of ['POST /3', 'POST /4']) {
      journal.head('client-answer', { line: line.padEnd(900), headers: {} })
      journal.chunk('client-answer', 'x', false)
    }
    const parts = journal.parts('client-answer')
    expect(parts.map(({ head, bytes }) => [head?.line, bytes.toString()])).toEqual([
      ['POST /1', 'one'],
      ['POST /2', 'two'],
    ])
    expect(parts.map(({ size }) => size)).toEqual([3, 3])
    expect(journal.omitted('client-answer')).toBe(2)
    expect([journal.has('client-answer'), journal.has('client-request')]).toEqual([true, false])
  })

  test('A journal clips long lines, long headers and long lists of headers.', () => {
    const { journal } = createJournal({ limit: 10_000_000 })
    const headers = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`h${i}`, 'v'.repeat(5000)]))
    journal.head('client-answer', { line: 'x'.repeat(5000), headers })
    const head = journal.parts('client-answer')[0]?.head
    expect(head?.line.length).toBe(2001)
    expect(Object.keys(head?.headers ?? {})).toHaveLength(100)
    expect(head?.headers.h0).toHaveLength(2001)
  })

  test('A head is not read before somebody looks at it.', () => {
    const { journal } = createJournal()
    let reads = 0
    journal.head('client-request', {
      line: 'POST /',
      length: 20,
      get headers() {
        reads++
        return { 'x-api-key': '***' }
      },
    })
    expect(reads).toBe(0)
    expect(journal.parts('client-request')[0]?.head?.headers).toEqual({ 'x-api-key': '***' })
    expect(reads).toBeGreaterThan(0)
  })

  test('A character that is cut in two between texts arrives whole.', () => {
    const { journal } = createJournal()
    const [first = '', second = ''] = ['😀'.slice(0, 1), '😀'.slice(1)]
    journal.chunk('client-answer', first, false)
    journal.chunk('client-answer', second, false)
    expect(textOf(journal)).toBe('😀')
  })

  test('What passes unchanged from one side to the other is counted once.', () => {
    const { journal, state } = createJournal()
    const [request, answer] = [Buffer.alloc(10_000, 'q'), Buffer.alloc(10_000, 'a')]
    journal.chunk('client-request', request, false)
    journal.chunk('upstream-request', request, false)
    journal.chunk('upstream-answer', answer, false)
    journal.chunk('client-answer', answer, false)
    expect(state.reserved).toBeGreaterThan(20_000)
    expect(state.reserved).toBeLessThan(21_000)
    expect(textOf(journal)).toBe('a'.repeat(10_000))
  })
})

test('The events of a stream keep their times where only its beginning is kept, also beyond ASCII.', () => {
  let now = 0
  const journal = new ViewJournal({ viewLimit: 120, now: () => now, reserve: () => true })
  for (now = 1; now <= 9; now++) journal.chunk('client-answer', Buffer.from('data: éééé\n\n'), false)
  const [part] = viewOf(journal, 'client-answer', createMasker(), 0).parts
  expect(part?.event_times_ms).toEqual([1, 2, 3, 4, 5, 6, 7])
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMasker } from '../mask-secrets.ts'
import { ByteTape, PagePool, pageBytes } from './byte-tape.ts'
import { viewOf } from './trace-document.ts'
import { hasView, omittedOf, partsOf, sizeOf, ViewJournal } from './view-journal.ts'

const bytesOf = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === 'string' ? Buffer.from(chunk) : chunk
const chunk = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.uint8Array({ maxLength: 3000 }))

/** A journal that may reserve `memory` bytes in all. */
function createJournal({ limit = 1_000_000, memory = Number.POSITIVE_INFINITY } = {}) {
  const state = { reserved: 0 }
  const settings = { viewLimit: limit, now: () => 0 }
  const journal = new ViewJournal(new ByteTape(new PagePool()), settings, bytes => {
    if (state.reserved + bytes > memory) return false
    state.reserved += bytes
    return true
  })
  return { journal, state }
}

const textOf = (journal: ViewJournal, index = 0): string =>
  partsOf(journal, 'client-answer')[index]?.bytes.toString() ?? 'no such part'

describe('a journal of views', () => {
  test('A journal keeps the beginning of all chunks together and counts the full size.', () => {
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 40 }), fc.nat(20_000), (chunks, limit) => {
        const { journal } = createJournal({ limit })
        for (const piece of chunks) journal.chunk('client-answer', piece)
        const all = Buffer.concat(chunks.map(bytesOf))
        const [part] = partsOf(journal, 'client-answer')
        expect(sizeOf(journal, 'client-answer')).toBe(all.length)
        expect(part?.bytes ?? Buffer.alloc(0)).toEqual(all.subarray(0, part?.bytes.length ?? 0))
        expect(part?.size ?? all.length).toBe(all.length)
        expect(part?.bytes.length ?? 0).toBe(Math.min(limit, all.length))
        expect(journal.isCut).toBe(all.length > limit)
      }),
    )
  })

  test('What was written stays as it was when its memory is used for something else.', () => {
    const { journal } = createJournal()
    const lent = new Uint8Array(4).fill(65)
    journal.chunk('client-answer', lent)
    lent.fill(66)
    expect(textOf(journal)).toBe('AAAA')
  })

  test('Journals that share a pool use its pages again and never read those of each other.', () => {
    const pool = new PagePool()
    const open = (): ViewJournal =>
      new ViewJournal(new ByteTape(pool), { viewLimit: 1_000_000, now: () => 0 }, () => true)
    const change = fc.record({ who: fc.nat(3), length: fc.nat(3 * pageBytes), ends: fc.boolean() })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), changes => {
        const journals = Array.from({ length: 4 }, open)
        const written = ['', '', '', '']
        for (const [i, { who, length, ends }] of changes.entries()) {
          const text = String.fromCharCode(97 + (i % 26)).repeat(length)
          journals[who]?.chunk('client-answer', i % 2 === 0 ? text : Buffer.from(text))
          written[who] += text
          if (!ends) continue
          journals[who]?.tape.clear()
          journals[who] = open()
          written[who] = ''
        }
        expect(journals.map(journal => partsOf(journal, 'client-answer')[0]?.bytes.toString() ?? '')).toEqual(
          written,
        )
        for (const { tape } of journals) tape.clear()
      }),
    )
    const most = 4 * 4 * 40 * 3
    expect(pool.take()).toBeLessThan(most)
  })

  test('A text that has the bytes of the latest answer is kept once, also when their memory was used for something else.', () => {
    const { journal, state } = createJournal()
    const answer = Buffer.alloc(10 * pageBytes, 'a')
    journal.chunk('upstream-answer', answer)
    const once = (): number => (hasView(journal, 'client-answer') ? state.reserved : Number.NaN)
    journal.chunk('client-answer', 'a'.repeat(answer.length), answer)
    expect(once()).toBeLessThan(12 * pageBytes)
    answer.fill(66)
    expect(textOf(journal)).toBe('a'.repeat(answer.length))
    journal.chunk('client-answer', 'another', Buffer.from('another'))
    expect(textOf(journal).slice(answer.length)).toBe('another')
  })

  test('A journal that gets no more memory keeps nothing more and still counts.', () => {
    const { journal } = createJournal({ memory: 2 * pageBytes })
    for (let i = 0; i < 200; i++) journal.chunk('client-answer', 'x'.repeat(100))
    const [part] = partsOf(journal, 'client-answer')
    expect(part?.size).toBe(20_000)
    expect(part?.bytes.length).toBeGreaterThan(pageBytes)
    expect(part?.bytes.length).toBeLessThanOrEqual(2 * pageBytes)
  })

  test('A journal begins a part with each head and counts the parts that did not fit.', () => {
    const { journal } = createJournal({ limit: 1000 })
    journal.head('client-answer', { line: 'POST /1', headers: { accept: '*/*' } })
    journal.chunk('client-answer', 'one')
    journal.head('client-answer', { line: 'POST /2', headers: {} })
    journal.chunk('client-answer', 'two')
    for (const line of ['POST /3', 'POST /4']) {
      journal.head('client-answer', { line: line.padEnd(990), headers: {} })
      journal.chunk('client-answer', 'x')
    }
    const parts = partsOf(journal, 'client-answer')
    expect(parts.map(({ head, bytes }) => [head?.line, bytes.toString()])).toEqual([
      ['POST /1', 'one'],
      ['POST /2', 'two'],
    ])
    expect(parts.map(({ size }) => size)).toEqual([3, 3])
    expect(omittedOf(journal, 'client-answer')).toBe(2)
    expect([hasView(journal, 'client-answer'), hasView(journal, 'client-request')]).toEqual([true, false])
  })

  test('A journal clips long lines, long headers and long lists of headers.', () => {
    const { journal } = createJournal({ limit: 10_000_000 })
    const headers = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`h${i}`, 'v'.repeat(5000)]))
    journal.head('client-answer', { line: 'x'.repeat(5000), headers })
    const head = partsOf(journal, 'client-answer')[0]?.head
    expect(head?.line.length).toBe(2001)
    expect(Object.keys(head?.headers ?? {})).toHaveLength(100)
    expect(head?.headers.h0).toHaveLength(2001)
  })

  test('A head is not read before somebody reads it.', () => {
    const { journal } = createJournal()
    let reads = 0
    journal.head('client-request', {
      line: 'POST /',
      get headers() {
        reads++
        return { 'x-api-key': '***' }
      },
    })
    expect(reads).toBe(0)
    expect(partsOf(journal, 'client-request')[0]?.head?.headers).toEqual({ 'x-api-key': '***' })
    expect(reads).toBeGreaterThan(0)
  })

  test('What passes unchanged from one side to the other is counted once.', () => {
    const { journal, state } = createJournal()
    const [request, answer] = [Buffer.alloc(10_000, 'q'), Buffer.alloc(10_000, 'a')]
    journal.chunk('client-request', request)
    journal.chunk('upstream-request', request)
    journal.chunk('upstream-answer', answer)
    journal.chunk('client-answer', answer)
    expect(state.reserved).toBeGreaterThan(20_000)
    expect(state.reserved).toBeLessThan(20_000 + pageBytes)
    expect(textOf(journal)).toBe('a'.repeat(10_000))
    journal.chunk('upstream-request', Buffer.alloc(10_000, 'Q'))
    const sent = partsOf(journal, 'upstream-request')[0]?.bytes.toString()
    expect(sent).toBe('q'.repeat(10_000) + 'Q'.repeat(10_000))
  })
})

test('The events of a stream keep their times where only its beginning is kept, also beyond ASCII.', () => {
  let now = 0
  const settings = { viewLimit: 120, now: () => now }
  const journal = new ViewJournal(new ByteTape(new PagePool()), settings, () => true)
  for (now = 1; now <= 9; now++) journal.chunk('client-answer', Buffer.from('data: éééé\n\n'))
  const [part] = viewOf({ parts: partsOf(journal, 'client-answer'), omitted: 0 }, createMasker(), 0).parts
  expect(part?.event_times_ms).toEqual([1, 2, 3, 4, 5, 6, 7])
  // Also of what is not kept it is known when it ended.
  expect(part).toMatchObject({ at_ms: 1, end_ms: 9, cut: true })
})

test('What does not fit at all leaves no view, and what both sides had ends when the last of it came.', () => {
  let now = 0
  const settings = { viewLimit: 10, now: () => now }
  const none = new ViewJournal(new ByteTape(new PagePool()), settings, () => false)
  none.chunk('client-answer', 'x')
  none.chunk('client-answer', 'x')
  expect([hasView(none, 'client-answer'), none.isCut]).toEqual([false, true])
  const both = new ViewJournal(new ByteTape(new PagePool()), settings, () => true)
  both.head('client-answer', { line: '200', headers: {} })
  const answer = Buffer.from('12345678')
  both.chunk('upstream-answer', answer)
  now = 7
  both.chunk('client-answer', answer)
  expect(partsOf(both, 'client-answer')).toMatchObject([{ size: 8, at: 0, endedAt: 7 }])
})

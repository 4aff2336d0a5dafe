import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventTimes } from './event-times.ts'

const event = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .map(text => `data: ${text.replaceAll(/[\r\n]/g, '')}\n\n`)

test('Each event has the time of the piece that completed it.', () => {
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 12 }),
      fc.infiniteStream(fc.nat(30)),
      (events, cuts) => {
        const bytes = Buffer.from(events.join(''))
        const ends = events.map((_, i) => Buffer.byteLength(events.slice(0, i + 1).join('')))
        const pieces: number[] = []
        const expected: number[] = Array(events.length).fill(-1)
        let at = 0
        for (const cut of cuts) {
          if (at >= bytes.length) break
          const length = Math.min(cut + 1, bytes.length - at)
          const time = pieces.length
          ends.forEach((end, i) => {
            if (end > at && end <= at + length) expected[i] = time
          })
          pieces.push(length, time)
          at += length
        }
        expect(eventTimes(bytes, pieces)).toEqual(expected)
      },
    ),
  )
})

test('A body that is no stream has no events, and neither has a part without times.', () => {
  expect(eventTimes(Buffer.from('{"a":\n1}'), [8, 5])).toEqual([])
  expect(eventTimes(Buffer.from('data: 1\n\n'), [])).toEqual([])
})

test('Events beyond the noted pieces get the time of the last one.', () => {
  expect(eventTimes(Buffer.from('a\n\nb\n\n'), [3, 7])).toEqual([7, 7])
})

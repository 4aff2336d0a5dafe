import { expect, test } from 'vitest'
import type { EventLog } from './event-logs.ts'
import { createEventLogs } from './event-logs.ts'

const frame = (text: string): string => `data: ${text}\n\n`
const length = frame('0').length
const never = new AbortController().signal

function readAll(log: EventLog, from = 0): string {
  let text = ''
  for (let place = from; ; ) {
    const told = log.from(place)
    if (told === undefined || told.text === '') return text
    text += told.text
    place = told.next
  }
}

test('An event log finds events by their numbers, however they were appended.', () => {
  const log = createEventLogs(1000).open('ann', 'one')
  log.append('')
  log.append(frame('0') + frame('1'))
  log.append(frame('2'))
  expect(log.from(0)).toEqual({ text: frame('0') + frame('1') + frame('2'), next: 3 })
  expect(log.from(2)).toEqual({ text: frame('2'), next: 3 })
  expect(log.from(3)).toEqual({ text: '', next: 3 })
  expect(log.from(9)).toEqual({ text: '', next: 9 })
})

test('An event log returns many events in several pieces.', () => {
  const log = createEventLogs(1_000_000).open('ann', 'one')
  const frames = Array.from({ length: 30 }, (_, i) => frame(String(i).repeat(10_000)))
  for (const text of frames) log.append(text)
  expect(log.from(0)?.text.length).toBeLessThan(100_000)
  expect(readAll(log)).toBe(frames.join(''))
})

test('A waiting listener is woken by more events, and by the end.', async () => {
  const log = createEventLogs(1000).open('ann', 'one')
  const first = log.more(never)
  log.append(frame('0'))
  await first
  const last = log.more(never)
  expect(log.isClosed).toBe(false)
  log.close()
  await last
  expect(log.isClosed).toBe(true)
})

test('A listener that leaves stops waiting and leaves nothing behind.', async () => {
  const log = createEventLogs(1000).open('ann', 'one')
  const leaving = new AbortController()
  const waiting = log.more(leaving.signal)
  leaving.abort()
  expect(log.waiting).toBe(1)
  await expect(waiting).rejects.toMatchObject({ code: 'client_gone' })
  expect(log.waiting).toBe(0)
})

test('Last events beyond the limit reach those who listen, and nobody later.', () => {
  const logs = createEventLogs(2 * length)
  const log = logs.open('ann', 'one')
  log.append(frame('0').repeat(5))
  expect(logs.find('ann', 'one')).toBe(log)
  log.close()
  expect(logs.find('ann', 'one')).toBeUndefined()
  expect(readAll(log)).toBe(frame('0').repeat(5))
})

test('Finished logs make room, the oldest first.', () => {
  const logs = createEventLogs(3 * length)
  for (const id of ['one', 'two', 'three']) {
    const log = logs.open('ann', id)
    log.append(frame('0'))
    if (id !== 'one') log.close()
  }
  logs.open('ann', 'four').append(frame('0'))
  const there = ['one', 'two', 'three', 'four'].filter(id => logs.find('ann', id) !== undefined)
  expect(there).toEqual(['one', 'three', 'four'])
})

test('A log that grows too long loses its beginning and nothing else.', () => {
  const limit = 80 * length
  const log = createEventLogs(limit).open('ann', 'one')
  let kept = 0
  for (let i = 0; i < 1000; i++) {
    log.append(frame(String(i % 10)))
    while (log.from(kept) === undefined) kept++
    const text = readAll(log, kept)
    expect(text.length).toBeLessThanOrEqual(limit)
    expect(text.length).toBe((i + 1 - kept) * length)
  }
  expect(kept).toBeGreaterThan(900)
  expect(log.from(999)).toEqual({ text: frame('9'), next: 1000 })
})

test('A listener that keeps up gets all events, however many logs grow at once.', () => {
  const limit = 100 * length
  const logs = createEventLogs(limit)
  const all = Array.from({ length: 30 }, (_, i) => ({ log: logs.open('ann', String(i)), place: 0 }))
  for (let round = 0; round < 50; round++) {
    for (const listener of all) {
      listener.log.append(frame(String(round % 10)))
      expect(listener.log.from(listener.place)).toEqual({ text: frame(String(round % 10)), next: round + 1 })
      listener.place++
    }
  }
})

test('Among unfinished logs, the longest makes room.', () => {
  const logs = createEventLogs(20 * length)
  const long = logs.open('ann', 'long')
  for (let i = 0; i < 20; i++) long.append(frame('0'))
  const short = logs.open('bob', 'short')
  for (let i = 0; i < 5; i++) short.append(frame('0'))
  expect(readAll(short)).toBe(frame('0').repeat(5))
  expect(long.from(0)).toBeUndefined()
  expect(readAll(long, 15).length).toBeGreaterThan(0)
})

test('A log that was dropped while it was written leaves its room to others.', () => {
  const logs = createEventLogs(2 * length)
  const dropped = logs.open('ann', 'one')
  dropped.append(frame('0'))
  logs.drop('ann', 'one')
  dropped.append(frame('1') + frame('2'))
  expect(readAll(dropped)).toBe(frame('0') + frame('1') + frame('2'))
  const other = logs.open('ann', 'two')
  other.append(frame('0') + frame('1'))
  expect(readAll(other)).toBe(frame('0') + frame('1'))
  expect(logs.find('bob', 'two')).toBeUndefined()
})

test('An owner whose events exceed the limit makes room with its own, finished or not.', () => {
  const logs = createEventLogs(20 * length)
  const ended = logs.open('ann', 'ended')
  ended.append(frame('0'))
  ended.close()
  logs.open('ann', 'running').append(frame('0'))
  for (let i = 0; i < 50; i++) {
    const log = logs.open('bob', `${i}`)
    log.append(frame('0').repeat(3))
    if (i % 2 === 0) log.close()
  }
  expect(logs.find('ann', 'ended')?.from(0)).toBeDefined()
  expect(logs.find('ann', 'running')?.from(0)).toBeDefined()
})

import { expect, test } from 'vitest'
import { createManualClock } from '../../../../../test/support/faults/clock.ts'
import type { NewEvents } from '../../store/store.ts'
import { StoreError, type StoreErrorCode } from '../../store/store-error.ts'
import { mirrorEvents } from './event-batches.ts'

function setUp(refuse: () => StoreErrorCode | undefined = () => undefined) {
  const clock = createManualClock()
  const writes: NewEvents[] = []
  const appendEvents = async (_owner: string, _id: string, events: NewEvents): Promise<void> => {
    const code = refuse()
    if (code !== undefined) throw new StoreError(code, 'Not now.')
    writes.push(events)
  }
  return { clock, writes, mirror: mirrorEvents({ appendEvents }, clock, 'ann', 'r1') }
}

test('The events of 50 milliseconds are one write, whatever their number.', async () => {
  const { clock, writes, mirror } = setUp()
  for (let n = 0; n < 100; n++) mirror.append([`${n}`])
  expect(writes).toEqual([])
  await clock.advance(49)
  expect(writes).toEqual([])
  await clock.advance(1)
  expect(writes).toMatchObject([{ first: 0, isLast: false }])
  mirror.append(['100', '101'])
  const closed = mirror.close()
  await clock.advance(50)
  await closed
  expect(writes[0]?.events).toHaveLength(100)
  expect(writes[1]).toEqual({ first: 100, events: ['100', '101'], isLast: true })
  expect(writes).toHaveLength(2)
})

test('A store in trouble gets the same events later, under the same numbers.', async () => {
  let code: StoreErrorCode | undefined = 'unavailable'
  const { clock, writes, mirror } = setUp(() => code)
  mirror.append(['a'])
  await clock.advance(50)
  mirror.append(['b'])
  code = undefined
  await clock.advance(100)
  expect(writes).toEqual([{ first: 0, events: ['a', 'b'], isLast: false }])
})

test('Nothing is written any more once another gateway has ended the response.', async () => {
  let code: StoreErrorCode | undefined = 'lease_lost'
  const { clock, writes, mirror } = setUp(() => code)
  mirror.append(['a'])
  await clock.advance(50)
  code = undefined
  mirror.append(['b'])
  await clock.advance(200)
  await mirror.close()
  expect(writes).toEqual([])
})

test('The end of a response is saved with all events that the store does not have, and nothing is written after it.', async () => {
  const { clock, writes, mirror } = setUp()
  mirror.append(['a'])
  await clock.advance(50)
  mirror.append(['b'])
  const saved: (NewEvents | undefined)[] = []
  await mirror.saveWith(['c', 'd'], true, async events => void saved.push(events))
  expect(saved).toEqual([{ first: 1, events: ['b', 'c', 'd'], isLast: true }])
  mirror.append(['c', 'd'])
  await mirror.close()
  await clock.advance(200)
  expect(writes).toEqual([{ first: 0, events: ['a'], isLast: false }])
  expect(clock.timers).toBe(0)
})

test('An end that cannot be saved leaves the events to be written, under the same numbers.', async () => {
  const { clock, writes, mirror } = setUp()
  mirror.append(['a'])
  const failure = new StoreError('full', 'Not now.')
  await expect(mirror.saveWith(['end'], true, () => Promise.reject(failure))).rejects.toBe(failure)
  mirror.append(['failed'])
  const closed = mirror.close()
  await clock.advance(50)
  await closed
  expect(writes).toEqual([{ first: 0, events: ['a', 'failed'], isLast: true }])
})

test('The end waits for the events that are being written.', async () => {
  const clock = createManualClock()
  let release = (): void => {}
  const appendEvents = (): Promise<void> =>
    new Promise(resolve => {
      release = resolve
    })
  const mirror = mirrorEvents({ appendEvents }, clock, 'ann', 'r1')
  mirror.append(['a'])
  await clock.advance(50)
  mirror.append(['b'])
  const saved: (NewEvents | undefined)[] = []
  const saving = mirror.saveWith(['c'], true, async events => void saved.push(events))
  await clock.settle()
  expect(saved).toEqual([])
  release()
  await saving
  expect(saved).toEqual([{ first: 1, events: ['b', 'c'], isLast: true }])
})

test('The receipt of a response is saved with the events that there are, and those after it follow.', async () => {
  const { clock, writes, mirror } = setUp()
  const saved: (NewEvents | undefined)[] = []
  const save = async (events: NewEvents | undefined): Promise<void> => void saved.push(events)
  mirror.append(['a', 'b'])
  await mirror.saveWith([], false, save)
  await mirror.saveWith([], false, save)
  expect(saved).toEqual([{ first: 0, events: ['a', 'b'], isLast: false }, undefined])
  mirror.append(['c'])
  await clock.advance(50)
  expect(writes).toEqual([{ first: 2, events: ['c'], isLast: false }])
})

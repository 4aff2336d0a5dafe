import { expect, test } from 'vitest'
import { createManualClock } from '../../../../../test/support/faults/clock.ts'
import { StoreError, type StoreErrorCode } from '../../store/store-error.ts'
import { mirrorEvents } from './event-batches.ts'

function setUp(refuse: () => StoreErrorCode | undefined = () => undefined) {
  const clock = createManualClock()
  const writes: { first: number; events: readonly string[]; isLast: boolean }[] = []
  const appendEvents = async (
    _owner: string,
    _id: string,
    first: number,
    events: readonly string[],
    isLast: boolean,
  ): Promise<void> => {
    const code = refuse()
    if (code !== undefined) throw new StoreError(code, 'Not now.')
    writes.push({ first, events, isLast })
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

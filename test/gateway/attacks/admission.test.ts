/** Places for exchanges: how many there are, who gets the next, and who is refused. */
import { expect, test } from 'vitest'
import { Abort } from '../../../packages/toolwire/src/gateway/http/abort.ts'
import { Admission, type AdmissionLimits } from '../../../packages/toolwire/src/gateway/http/admission.ts'
import { createManualClock, type ManualClock } from '../../support/faults/clock.ts'

interface Opened {
  readonly clock: ManualClock
  readonly admission: Admission
  /** Names as they were admitted, or refused with a code. */
  readonly order: string[]
  enter(owner: string, name?: string, signal?: Abort): Promise<void>
}

function open(limits: Partial<AdmissionLimits> = {}): Opened {
  const clock = createManualClock()
  const all = { exchanges: 2, ownerExchanges: 100, queue: 4, queueMs: 1000, ...limits }
  const admission = new Admission(all, clock)
  const order: string[] = []
  const enter = (owner: string, name = owner, signal = new Abort()): Promise<void> =>
    Promise.resolve()
      .then(() => admission.enter(owner, signal))
      .then(
        () => void order.push(name),
        error => void order.push(`${name} ${error.code}`),
      )
  return { clock, admission, order, enter }
}

const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('Requests within the limit are admitted at once, and a place that is left is taken by the next.', async () => {
  const { admission, order, enter } = open()
  await Promise.all([enter('ann', '1'), enter('ann', '2')])
  void enter('ann', '3')
  await settle()
  expect([order, admission.inFlight, admission.waiting]).toEqual([['1', '2'], 2, 1])
  admission.leave('ann')
  await settle()
  expect([order, admission.inFlight, admission.waiting]).toEqual([['1', '2', '3'], 2, 0])
})

test('Owners take turns: the request of another is admitted before the second of a flood.', async () => {
  const { admission, order, enter } = open({ exchanges: 1, queue: 100 })
  await enter('bob', 'b0')
  for (const name of ['b1', 'b2', 'b3']) void enter('bob', name)
  await settle()
  void enter('ann', 'a1')
  void enter('ann', 'a2')
  for (const owner of ['bob', 'bob', 'ann', 'bob', 'ann']) {
    await settle()
    admission.leave(owner)
  }
  await settle()
  expect(order).toEqual(['b0', 'b1', 'a1', 'b2', 'a2', 'b3'])
})

test('A full queue refuses at once, but makes room for an owner who has fewer waiting.', async () => {
  const { admission, order, enter } = open({ exchanges: 1 })
  await enter('bob', 'b0')
  for (const name of ['b1', 'b2', 'b3', 'b4', 'b5']) void enter('bob', name)
  await settle()
  expect(order).toEqual(['b0', 'b5 too_busy'])
  void enter('ann', 'a1')
  await settle()
  expect(order).toEqual(['b0', 'b5 too_busy', 'b4 too_busy'])
  expect(admission.waiting).toBe(4)
})

test('An owner beyond its own limit is refused at once, with those that wait counted in.', async () => {
  const { order, enter } = open({ exchanges: 3, ownerExchanges: 2 })
  await Promise.all([enter('ann'), enter('ann')])
  void enter('bob', 'b1')
  void enter('bob', 'b2')
  void enter('bob', 'b3')
  await settle()
  expect(order).toEqual(['ann', 'ann', 'b1', 'b3 too_many_requests'])
})

test('Waiting ends with a refusal when the time is over, and at once when the client leaves.', async () => {
  const { admission, clock, order, enter } = open({ exchanges: 1 })
  const leaving = new Abort()
  await enter('ann', 'a1')
  void enter('ann', 'a2')
  void enter('ann', 'a3', leaving)
  await settle()
  leaving.abort()
  await settle()
  await clock.advance(1000)
  await settle()
  expect(order).toEqual(['a1', 'a3 client_gone', 'a2 too_busy'])
  expect([admission.waiting, clock.timers]).toEqual([0, 0])
})

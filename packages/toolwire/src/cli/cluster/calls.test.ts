import { expect, test } from 'vitest'
import { Calls } from './calls.ts'

/** Two ends of one channel. */
function pair(): [Calls, Calls] {
  const ends: [Calls, Calls] = [
    new Calls(message => queueMicrotask(() => ends[1].receive(structuredClone(message)))),
    new Calls(message => queueMicrotask(() => ends[0].receive(structuredClone(message)))),
  ]
  return ends
}

test('Both ends ask and answer, at the same time and in any order.', async () => {
  const [one, other] = pair()
  one.on('double', (number: number) => number * 2)
  other.on('later', async (text: string) => `${text} later`)
  expect(
    await Promise.all([one.ask('later', ['a']), other.ask('double', [4]), one.ask('later', ['b'])]),
  ).toEqual(['a later', 8, 'b later'])
})

test('What fails on the other side is rejected with its message, and an unknown question has no answer.', async () => {
  const [one, other] = pair()
  other.on('fail', () => {
    throw new Error('No room.')
  })
  await expect(one.ask('fail')).rejects.toThrow('No room.')
  expect(await one.ask('unheard of')).toBeUndefined()
})

test('A question that is not answered in time, or whose other side has gone, is not waited for.', async () => {
  const [one, other] = pair()
  other.on('never', () => new Promise(() => {}))
  await expect(one.ask('never', [], 1)).rejects.toThrow('"never" was not answered in time.')
  const open = one.ask('never')
  one.close()
  await expect(open).rejects.toThrow('ended')
  await expect(one.ask('never')).rejects.toThrow('ended')
})

test('A channel that is closed ends all questions, and messages of others are left alone.', async () => {
  const broken = new Calls(() => {
    throw new Error('ERR_IPC_CHANNEL_CLOSED')
  })
  await expect(broken.ask('anything')).rejects.toThrow('ended')
  const [one] = pair()
  for (const message of [null, 'text', 7, { reply: 99, value: 1 }, { cmd: 'NODE_X' }]) one.receive(message)
})

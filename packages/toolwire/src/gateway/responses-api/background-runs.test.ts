import { expect, test } from 'vitest'
import { createManualClock } from '../../../../../test/support/faults/clock.ts'
import { createBackgroundRuns } from './background-runs.ts'

function createWork(): { readonly work: (abort: AbortController) => Promise<void>; end(): void } {
  let end = (): void => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  return { work: () => ended, end: () => end() }
}

test('A job that is refused because too many run stores no receipt.', async () => {
  const runs = createBackgroundRuns({ background: 1, keyBackground: 1 }, undefined, createManualClock())
  const receipts: string[] = []
  const saveReceipt = (id: string) => async () => void receipts.push(id)
  const first = createWork()
  await runs.start('ann', 'one', 'ann', { saveReceipt: saveReceipt('one'), work: first.work })
  const second = runs.start('ann', 'two', 'ann', { saveReceipt: saveReceipt('two'), work: first.work })
  await expect(second).rejects.toMatchObject({
    code: 'too_many_background_responses',
    headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
  })
  expect(receipts).toEqual(['one'])
  first.end()
  await runs.settled()
  await runs.start('ann', 'three', 'ann', { saveReceipt: saveReceipt('three'), work: first.work })
  expect(receipts).toEqual(['one', 'three'])
})

test('Jobs count as running while their receipts are being stored.', async () => {
  const runs = createBackgroundRuns({ background: 1, keyBackground: 1 }, undefined, createManualClock())
  const { work, end } = createWork()
  const slow = runs.start('ann', 'one', 'ann', { saveReceipt: () => work(new AbortController()), work })
  const second = runs.start('ann', 'two', 'ann', { saveReceipt: async () => {}, work })
  await expect(second).rejects.toMatchObject({ code: 'too_many_background_responses' })
  end()
  await slow
})

test('A job whose receipt cannot be stored does not run and does not count.', async () => {
  const runs = createBackgroundRuns({ background: 1, keyBackground: 1 }, undefined, createManualClock())
  let worked = 0
  const started = runs.start('ann', 'one', 'ann', {
    saveReceipt: () => Promise.reject(new Error('The disk is full.')),
    work: async () => void worked++,
  })
  await expect(started).rejects.toThrow('The disk is full.')
  await runs.settled()
  expect([worked, runs.size]).toEqual([0, 0])
})

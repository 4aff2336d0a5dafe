import { expect, test } from 'vitest'
import { createMemoryStore } from '../../store/memory-store.ts'
import { SealKeys } from './seal-keys.ts'

test('Gateways on one store open what the others sealed, whoever asked for the key first.', async () => {
  const store = createMemoryStore()
  const [one, two] = [new SealKeys({ secrets: [], store }), new SealKeys({ secrets: [], store })]
  const [first, second] = await Promise.all([one.sealFor('ann'), two.sealFor('ann')])
  expect(second.open(first.seal('x'))).toBe('x')
  expect(first.open(second.seal('x'))).toBe('x')
  expect((await new SealKeys({ secrets: [], store }).sealFor('bob')).open(first.seal('x'))).toBeUndefined()
})

test('Keys of the configuration are used in place of that of the store.', async () => {
  const store = createMemoryStore()
  const shared = await new SealKeys({ secrets: [], store }).sealFor('ann')
  const own = await new SealKeys({ secrets: ['new', 'old'], store }).sealFor('ann')
  const before = await new SealKeys({ secrets: ['old'], store: undefined }).sealFor('ann')
  expect(own.open(shared.seal('x'))).toBeUndefined()
  expect(own.open(before.seal('x'))).toBe('x')
  expect(before.open(own.seal('x'))).toBeUndefined()
})

test('While the store fails a key of the gateway seals, and it goes on opening after that.', async () => {
  const store = createMemoryStore()
  let fails = true
  const secret = async (name: string, candidate: string): Promise<string> => {
    if (fails) throw new Error('full')
    return store.secret(name, candidate)
  }
  await store.secret('seal', 'of another gateway')
  const keys = new SealKeys({ secrets: [], store: { secret } })
  const sealed = (await keys.sealFor('ann')).seal('x')
  fails = false
  // Nobody waits for a store that has failed; this asks it again.
  await keys.sealFor('ann')
  await new Promise(setImmediate)
  const seal = await keys.sealFor('ann')
  expect(seal.open(sealed)).toBe('x')
  expect(seal.seal('x')).not.toBe(sealed)
  const other = await new SealKeys({ secrets: [], store }).sealFor('ann')
  expect(other.open(seal.seal('x'))).toBe('x')
})

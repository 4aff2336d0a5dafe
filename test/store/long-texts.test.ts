/** Long texts on their way to the thread of a store and back: no message of theirs holds the event loop. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Item, ResponseRecord } from '../../packages/toolwire/src/store/store.ts'
import { openThreadedStore } from '../../packages/toolwire/src/store/thread/threaded-store.ts'
import { bundle } from '../support/gateway/worker-file.ts'

const threadFile = bundle('packages/toolwire/src/store/thread/store-thread.ts', 'store-thread')
const item = (id: string, length: number): Item => ({ id, json: JSON.stringify('é'.repeat(length)) })
const items = (name: string): Item[] => [
  ...Array.from({ length: 6_000 }, (_, index) => item(`${name}_${index}`, index % 50)),
  item(`${name}_long`, 3_000_000),
]

/** How much of a message is copied, in characters and objects. */
function weightOf(value: unknown): { characters: number; values: number } {
  let characters = 0
  let values = 0
  JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') characters += member.length
    else if (typeof member === 'object') values++
    return member
  })
  return { characters, values }
}

test('Long texts cross to the thread of a store and back in slices, unchanged.', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-long-'))
  const store = await openThreadedStore({ path: join(folder, 'a.db'), now: () => 7 }, await threadFile)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const messages: ReturnType<typeof weightOf>[] = []
  const { postMessage, emit } = Worker.prototype
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message, ...more) {
    messages.push(weightOf(message))
    return postMessage.call(this, message, ...more)
  })
  vi.spyOn(Worker.prototype, 'emit').mockImplementation(function (this: Worker, name, ...given) {
    if (name === 'message') messages.push(weightOf(given[0]))
    return emit.call(this, name, ...given)
  })
  onTestFinished(() => void vi.restoreAllMocks())

  const input = items('in')
  const output = items('out')
  const record: ResponseRecord = {
    owner: 'ann',
    id: 'resp_1',
    createdAt: 1,
    expiresAt: 1000,
    status: 'completed',
    response: JSON.stringify({ id: 'resp_1', text: '漢'.repeat(2_500_000) }),
    input,
    output,
  }
  await store.saveResponse(record)
  const found = await store.getResponse('ann', 'resp_1')
  expect(found?.responsePieces?.length).toBeGreaterThan(1)
  // What came in pieces is given in the same ones.
  if (found !== undefined) await store.saveResponse(found)
  const again = await store.getResponse('ann', 'resp_1')
  expect(again).toMatchObject(record)
  expect(again?.response === again?.responsePieces?.join('')).toBe(true)
  expect(await store.context('ann', 'resp_1')).toMatchObject([...input, ...output])
  const some = await store.getItems('ann', ['in_long', 'out_3', 'no'])
  expect([...some.values()]).toMatchObject([input.at(-1), output[3]])
  await store.createConversation(
    { owner: 'ann', id: 'conv_1', createdAt: 1, expiresAt: 1000, metadata: '{}' },
    input,
  )
  await store.appendItems('ann', 'conv_1', output)
  const page = await store.listItems('ann', 'conv_1', { limit: 20_000, order: 'asc' })
  expect(page).toMatchObject({ items: [...input, ...output], hasMore: false })
  expect(await store.getItem('ann', 'conv_1', 'in_long')).toMatchObject(input.at(-1) ?? {})
  expect(await store.getItem('bob', 'conv_1', 'in_long')).toBeUndefined()

  const most = (key: 'characters' | 'values'): number => Math.max(...messages.map(weight => weight[key]))
  expect(messages.length).toBeGreaterThan(40)
  expect(most('characters')).toBeLessThan(1_300_000)
  expect(most('values')).toBeLessThan(6_000)
})

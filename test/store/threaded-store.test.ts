/** The thread of a store: what becomes of operations when it ends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../packages/toolwire/src/store/store.ts'
import { openThreadedStore } from '../../packages/toolwire/src/store/thread/threaded-store.ts'

/** A thread that answers with the operation's name, and ends at `check`. */
const thread = `
import { parentPort } from 'node:worker_threads'
parentPort.postMessage({ id: 0 })
parentPort.on('message', ({ id, operation, now }) => {
  if (operation === 'check') process.exit(1)
  else if (operation === 'sweep') parentPort.postMessage({ id, value: now })
  else if (operation === 'deleteItem') parentPort.postMessage({ id, failure: { message: 'Odd.' } })
  else if (operation !== 'context') parentPort.postMessage({ id, value: operation })
})
`

async function open(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-thread-'))
  const file = join(folder, 'thread.mjs')
  writeFileSync(file, thread)
  const store = await openThreadedStore({ path: join(folder, 'a.db'), now: () => 7 }, pathToFileURL(file))
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return store
}

test('What a thread had in hand when it ended has failed, and the next operation gets another thread.', async () => {
  const store = await open()
  const waiting = store.context('a', 'b')
  await expect(store.check()).rejects.toMatchObject({ code: 'unavailable' })
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
  expect(await store.getConversation('a', 'b')).toBe('getConversation')
})

test('An operation carries the time of the caller, and a failure that is not the store’s stays one.', async () => {
  const store = await open()
  expect(await store.sweep(3)).toBe(7)
  await expect(store.deleteItem('a', 'b', 'c')).rejects.toThrow('Odd.')
})

test('A store that is closed refuses operations, and may be closed again.', async () => {
  const store = await open()
  await store.close()
  await store.close()
  await expect(store.check()).rejects.toMatchObject({ code: 'closed' })
})

test('A thread that cannot open the file says why.', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-thread-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'thread.mjs')
  const failure = '{ code: "no_access", message: "No access to it.", reason: "No access." }'
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads'\nparentPort.postMessage({ id: 0, failure: ${failure} })`,
  )
  const opening = openThreadedStore({ path: join(folder, 'a.db') }, pathToFileURL(file))
  await expect(opening).rejects.toMatchObject({ code: 'no_access', reason: 'No access.' })
})

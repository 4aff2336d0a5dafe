/** What the writing process does. It runs outside of the test runner, as one bundled file. */
import { openSqliteStore } from '../../packages/toolwire/src/store/sqlite-store.ts'
import type { ResponseRecord } from '../../packages/toolwire/src/store/store.ts'
import { item, response } from './store-values.ts'

/** Longer than several pages of the file, so that a partial write would show. */
export function recordOf(name: string, number: number): ResponseRecord {
  const long = `${name}-${number}-`.repeat(400 + (number % 7) * 300)
  const id = `${name}-${number}`
  return response(id, {
    expiresAt: Number.MAX_SAFE_INTEGER,
    response: JSON.stringify({ id, long }),
    input: [item(`${id}-in`), item(`${id}-in2`, long)],
    output: [item(`${id}-out`, long)],
    conversationId: name,
  })
}

/** Saves each response unfinished and then, by default, finished; only then is it acknowledged. */
export async function write(path = '', name = '', count = '', unfinished = ''): Promise<void> {
  const store = await openSqliteStore({ path })
  if ((await store.getConversation('ann', name)) === undefined) {
    const times = { createdAt: 0, expiresAt: Number.MAX_SAFE_INTEGER }
    await store.createConversation({ owner: 'ann', id: name, metadata: '{}', ...times }, [])
  }
  for (let number = await firstFree(store, name); number < Number(count); number += 1) {
    const record = recordOf(name, number)
    await store.saveResponse({ ...record, status: 'in_progress', output: [] })
    if (unfinished === '') await store.saveResponse(record)
    process.stdout.write(`${number}\n`)
  }
  await store.close()
}

async function firstFree(store: { getResponse(owner: string, id: string): Promise<unknown> }, name: string) {
  let number = 0
  while ((await store.getResponse('ann', `${name}-${number}`)) !== undefined) number += 1
  return number
}

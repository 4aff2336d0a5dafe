import { expect, test } from 'vitest'
import { openPostgresStore } from '../postgres/open-postgres-store.ts'
import { openRedisStore } from '../redis/open-redis-store.ts'

test.each([
  ['of another kind', openRedisStore, 'postgres://h:1', 'begins with postgres:'],
  ['of another kind', openPostgresStore, 'redis://h:1', 'begins with redis:'],
  ['with a database of a name', openRedisStore, 'redis://h:1/main', 'ends in /main'],
  ['with a password that is not escaped', openRedisStore, 'redis://:100%@h:1', 'Write it as %25'],
])('An address %s is refused at once, with what to write.', async (_, open, url, remedy) => {
  const error: unknown = await open({ url }).catch(reason => reason)
  expect(error).toMatchObject({ code: 'invalid', message: expect.stringContaining(remedy) })
  expect(String(error)).not.toContain('100')
})

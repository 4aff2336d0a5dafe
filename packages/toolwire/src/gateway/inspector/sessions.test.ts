import { expect, test } from 'vitest'
import { type LocalSessions, Sessions, type ShareSessions } from './sessions.ts'

const start = 1_000_000
const open = async (sessions: Sessions, owner: string, cookie?: string): Promise<string> =>
  (await sessions.open(owner, cookie === undefined ? {} : { cookie })).split(';', 1)[0] ?? ''

test('However often one key signs in, nobody else is signed out.', async () => {
  const sessions = new Sessions({ date: () => start })
  const bobs = await open(sessions, 'bob')
  const anns = await Promise.all(Array.from({ length: 1500 }, () => open(sessions, 'ann')))
  expect(sessions.ownerOf({ cookie: bobs })).toBe('bob')
  expect(sessions.ownerOf({ cookie: anns[0] })).toBeUndefined()
  const alive = anns.filter(cookie => sessions.ownerOf({ cookie }) === 'ann')
  expect(alive).toEqual(anns.slice(-999))
})

test('Whoever signs in again from the same browser takes no second place.', async () => {
  const sessions = new Sessions({ date: () => start })
  const elsewhere = await open(sessions, 'ann')
  let cookie = await open(sessions, 'ann')
  for (let count = 0; count < 1500; count++) {
    const next = await open(sessions, 'ann', cookie)
    expect(sessions.ownerOf({ cookie })).toBeUndefined()
    cookie = next
  }
  expect(sessions.ownerOf({ cookie: elsewhere })).toBe('ann')
})

test('Sessions that are over make room first.', async () => {
  let now = start
  const sessions = new Sessions({ date: () => now })
  for (let count = 0; count < 1000; count++) await open(sessions, 'ann')
  now += 13 * 3_600_000
  const cookies = await Promise.all(Array.from({ length: 1000 }, () => open(sessions, 'ann')))
  expect(cookies.every(cookie => sessions.ownerOf({ cookie }) === 'ann')).toBe(true)
})

test('Sessions of several processes are the same, also for one that begins later, and a code is taken once.', async () => {
  const all: LocalSessions[] = []
  const share: ShareSessions = local => {
    for (const [token, session] of all[0]?.all() ?? []) local.add(token, session)
    all.push(local)
    const others = (): LocalSessions[] => all.filter(each => each !== local)
    return {
      opened: async (token, session) => {
        for (const other of others()) other.add(token, session)
      },
      closed: async token => {
        for (const other of others()) other.remove(token)
      },
      takeCode: async code =>
        others()
          .map(other => other.takeCode(code))
          .find(owner => owner !== undefined),
    }
  }
  const [one, other] = [1, 2].map(() => new Sessions({ date: () => start }, share))
  if (one === undefined || other === undefined) throw new Error('There are two.')
  const cookie = await open(one, 'ann')
  const later = new Sessions({ date: () => start }, share)
  expect([one, other, later].map(sessions => sessions.ownerOf({ cookie }))).toEqual(['ann', 'ann', 'ann'])
  await other.close({ cookie })
  expect([one, other, later].map(sessions => sessions.ownerOf({ cookie }))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  const code = one.newCode('bob')
  expect(await other.takeCode(code)).toBe('bob')
  expect(await one.takeCode(code)).toBeUndefined()
})

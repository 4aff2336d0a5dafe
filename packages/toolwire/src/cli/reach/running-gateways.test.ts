import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { announceGateway, listRunningGateways } from './running-gateways.ts'

const state = mkdtempSync(join(tmpdir(), 'toolwire-running-'))
const machine = { platform: 'linux', home: '/nowhere', env: { XDG_STATE_HOME: state } }
afterAll(() => rmSync(state, { recursive: true, force: true }))

test('Running gateways are found, the newest first, and those whose process is gone are forgotten.', () => {
  const at = (url: string, since: number) => ({ url, since, cwd: '/work', asksForKey: since === 2 })
  const first = announceGateway(at('http://a', 1), machine, 1)
  const second = announceGateway(at('http://b', 2), machine, 2)
  announceGateway(at('http://c', 3), machine, 3)
  expect([first.isFirst, second.isFirst]).toEqual([true, false])
  const folder = join(state, 'toolwire', 'running')
  writeFileSync(join(folder, '4.json'), 'not JSON')
  const found = listRunningGateways(machine, pid => pid !== 3)
  expect(found.map(({ url, asksForKey }) => [url, asksForKey])).toEqual([
    ['http://b', true],
    ['http://a', false],
  ])
  expect(readdirSync(folder).sort()).toEqual(['1.json', '2.json'])
  second.withdraw()
  expect(listRunningGateways(machine, () => true).map(({ pid }) => pid)).toEqual([1])
})

test('Where nothing can be written, nobody learns of a gateway, and nothing fails.', () => {
  const nowhere = { ...machine, env: { XDG_STATE_HOME: '/dev/null' } }
  announceGateway({ url: 'http://a', since: 1, cwd: '/', asksForKey: false }, nowhere).withdraw()
  expect(listRunningGateways(nowhere)).toEqual([])
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { launchWorld } from './world.ts'

test('The usage of a run that its store cannot keep is not kept in memory instead, where nobody would find it.', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-launch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const names = { hour: 1, model: 'm', upstream: 'u', client: 'c', owner: '' }
  const row = { ...names, requests: 1, failures: 0, input: 1, output: 1, cacheRead: 0, cost: 0, unpriced: 0 }
  const store = { kind: 'sqlite', url: '', ttlMs: 1, durability: 'normal', isChosen: false } as const
  const keep = (path: string): Promise<void> => launchWorld.keepUsage([row], { ...store, path })
  await expect(keep(join(file, 'responses.sqlite'))).rejects.toThrow()
  await keep(join(folder, 'responses.sqlite'))
})

import { expect, test } from 'vitest'
import { changedSettings } from '../changed-settings.ts'
import type { ToolwireConfig } from '../config.ts'
import { maskConfig } from '../mask-config.ts'
import { type Resolved, resolveSettings } from '../resolve-settings.ts'

const upstreams = [{ name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' }] as const

const resolve = (config: ToolwireConfig, env: Record<string, string> = {}): Resolved =>
  resolveSettings([{ origin: 'file', config: { upstreams, ...config } }], {
    platform: 'linux',
    home: '/home/me',
    env,
  })

test('The keys of tenants are let in, also those of the environment.', () => {
  const tenants = [
    { name: 'ann', key: 'a', tokensPerDay: 9 },
    { name: 'bob', keyEnv: 'BOB' },
    { name: '*', requestsPerMinute: 1 },
  ]
  const { settings, problems } = resolve({ keys: ['k'], tenants }, { BOB: ' b ' })
  expect(problems).toEqual([])
  expect(settings.keys).toEqual(['k', 'a', 'b'])
  expect(settings.tenants).toEqual([
    { name: 'ann', key: 'a', tokensPerDay: 9 },
    { name: 'bob', key: 'b' },
    { name: '*', requestsPerMinute: 1 },
  ])
  expect(settings.limitsWithoutStore).toBe('local')
})

test.each([
  [{ name: 'ann', keyEnv: 'ANN' }, 'ANN, which holds the key of tenant ann, is not set'],
  [{ name: 'ann', key: 'a', keyEnv: 'ANN' }, 'contradicts "key"'],
  [{ name: 'ann', key: 'a', upstreams: ['remote'] }, 'has "remote", and no upstream has this name'],
  [{ name: 'ann', key: 'a', upstreams: [] }, '"tenants[0].upstreams" is empty'],
  [{ name: 'ann', key: 'a', models: [] }, '"tenants[0].models" is empty'],
  [{ name: 'ann' }, '"tenants[0].key" is missing'],
])('The tenant %j is refused.', (tenant, message) => {
  const [problem, ...more] = resolve({ tenants: [tenant] }).problems
  expect(problem?.message).toContain(message)
  expect(more).toEqual([])
})

test('A key that is a tenant’s and an operator’s is refused.', () => {
  const { problems } = resolve({ tenants: [{ name: 'ann', key: 'a' }], operatorKeys: ['a'] })
  expect(problems[0]?.message).toContain('operatorKeys')
})

test('A gateway that asks for the keys of tenants may listen to other machines.', () => {
  const host = '0.0.0.0'
  expect(resolve({ host, tenants: [{ name: 'ann', key: 'a' }] }).problems).toEqual([])
  expect(resolve({ host, tenants: [{ name: '*', requestsPerMinute: 1 }] }).problems).toHaveLength(1)
})

test('Tenants are shown without their keys, and what changes in one is told by its name, at once.', () => {
  const tenant = { name: 'ann', key: 'top secret', models: ['m'] }
  const [before, after] = [9, 10].map(tokensPerDay => resolve({ tenants: [{ ...tenant, tokensPerDay }] }))
  const shown = JSON.stringify(maskConfig(before?.settings.config ?? {}))
  expect(shown).not.toContain('top secret')
  expect(shown).toContain('"models":["m"],"tokensPerDay":9')
  if (before === undefined || after === undefined) throw new Error('Nothing was resolved.')
  expect(changedSettings(before.settings, after.settings)).toEqual({
    now: ['tenants.ann.tokensPerDay: 9 → 10'],
    later: [],
  })
})

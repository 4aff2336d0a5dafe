import { expect, test } from 'vitest'
import type { Settings } from '../../config/config.ts'
import { loadValidSettings } from '../../config/read-settings.ts'
import { createMemoryIo, cwd } from '../../terminal/memory-io.test-helper.ts'
import { createStage } from './environment.test-helper.ts'
import { type Reloader, reloadOnChange } from './reload.ts'

const local = { name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:1/v1' }

interface Reloaded {
  readonly reloader: Reloader
  readonly updates: Settings[]
  readonly stage: ReturnType<typeof createStage>
  /** What was printed since the last call. */
  news(): string
  write(config: unknown): void
  remove(): void
}

async function start(config: unknown): Promise<Reloaded> {
  const name = 'toolwire.config.json'
  const stage = createStage()
  const memory = createMemoryIo({ files: { [name]: JSON.stringify(config) } })
  const machine = { env: {}, platform: 'linux', home: '/home/me' }
  const read = await loadValidSettings({}, memory.io, machine)
  const updates: Settings[] = []
  const running = { update: async (settings: Settings) => void updates.push(settings) }
  const reloader = reloadOnChange({ running, wanted: {}, read, io: memory.io, world: stage.world })
  return {
    reloader,
    updates,
    stage,
    news() {
      const { stderr } = memory.printed
      memory.printed.stderr = ''
      return stderr
    },
    write(changed) {
      memory.files[name] = typeof changed === 'string' ? changed : JSON.stringify(changed)
    },
    remove: () => void delete memory.files[name],
  }
}

test('What changed is printed and taken over; keys are masked, and what needs a start is said.', async () => {
  const { reloader, updates, write, news } = await start({ upstreams: [local], losses: 'errors' })
  write({
    upstreams: [
      { ...local, name: 'first', apiKey: 'canary-1' },
      { ...local, rename: { 'claude-*': 'qwen' } },
    ],
    losses: 'strict',
    port: 5000,
  })
  await reloader.reload()
  const told = news()
  expect(told).toContain('Changed: upstreams.local.rename: unset → {"claude-*":"qwen"}\n')
  expect(told).toContain(
    'Changed: upstreams.first: unset → {"name":"first","wire":"chat","baseUrl":"http://127.0.0.1:1/v1","apiKey":"***"}\n',
  )
  expect(told).toContain('Changed: losses: "errors" → "strict"\n')
  expect(told).toContain('Changed, from the next start on: port: 4141 → 5000\n')
  expect(told).not.toContain('canary')
  expect(updates).toMatchObject([{ losses: 'strict', upstreams: [{ name: 'first' }, { name: 'local' }] }])
})

test('Another key is a change, although both look alike when masked.', async () => {
  const { reloader, updates, write, news } = await start({ upstreams: [local], keys: ['one'] })
  write({ upstreams: [local], keys: ['two'] })
  await reloader.reload()
  expect(news()).toContain('Changed: keys: ["***"] → ["***"]\n')
  expect(updates).toHaveLength(1)
})

test.each([
  ['is no JSON', '{"upstreams": ['],
  ['is wrong', { upstreams: [{ ...local, wire: 'chatt' }] }],
  ['needs a variable', { model: '${NOPE}' }],
])('A file that %s changes nothing, and the next right one is taken over.', async (_, bad) => {
  const { reloader, updates, write, news } = await start({ upstreams: [local] })
  write(bad)
  await reloader.reload()
  expect(news()).toMatch(/error: toolwire\.config\.json.*\n.*the settings stay as they were\.\n$/)
  expect(updates).toEqual([])
  write({ upstreams: [local], losses: 'allow' })
  await reloader.reload()
  expect(updates).toHaveLength(1)
})

test('Keys cannot be taken away while other machines reach the gateway, whatever the file says of its host.', async () => {
  const { reloader, updates, write, news } = await start({
    upstreams: [local],
    host: '0.0.0.0',
    keys: ['one'],
  })
  write({ upstreams: [local], host: '127.0.0.1' })
  await reloader.reload()
  expect(news()).toMatch(/error: Without keys everyone who reaches 0\.0\.0\.0.*\n.*stay as they were\.\n$/)
  expect(updates).toEqual([])
  write({ upstreams: [local], host: '127.0.0.1', insecure: true })
  await reloader.reload()
  expect(updates).toHaveLength(1)
})

test('A file that is gone changes nothing; the demo model does not take over.', async () => {
  const { reloader, updates, remove, news } = await start({ upstreams: [local] })
  remove()
  await reloader.reload()
  expect(news()).toContain('the settings stay as they were.')
  expect(updates).toEqual([])
})

test('A file that says the same is read, and that is said.', async () => {
  const { reloader, updates, news } = await start({ upstreams: [local] })
  await reloader.reload()
  expect(news()).toBe('The configuration was read again; nothing is different.\n')
  expect(updates).toEqual([])
})

test('SIGHUP reads it at once, and a change of the file when it has settled.', async () => {
  const { reloader, updates, stage, write } = await start({ upstreams: [local] })
  write({ upstreams: [local], losses: 'allow' })
  stage.hangUp()
  await reloader.reload()
  expect(updates).toHaveLength(1)
  write({ upstreams: [local], losses: 'strict' })
  stage.touch(`${cwd}/toolwire.config.json`)
  stage.touch(`${cwd}/toolwire.config.json`)
  expect(stage.later.size).toBe(1)
  for (const callback of stage.later) callback()
  await reloader.reload()
  expect(updates.map(({ losses }) => losses)).toEqual(['allow', 'strict'])
  reloader.stop()
  stage.hangUp()
  stage.touch(`${cwd}/toolwire.config.json`)
  expect(stage.later.size).toBe(0)
})

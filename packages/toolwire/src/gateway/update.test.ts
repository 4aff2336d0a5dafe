/** Settings that change while requests are under way. */
import { createScriptedModel, says } from '@toolwire/core/testing'
import { expect, test } from 'vitest'
import { createGateway } from './create-gateway.ts'
import { createFetchHandler } from './http/fetch-handler.ts'
import type { Upstream } from './settings.ts'
import { createFetchTransport } from './upstream/fetch-transport.ts'

interface Scripted {
  readonly upstream: Upstream
  release(): void
}

/** An upstream that answers when it is released. */
function scripted(name: string): Scripted {
  let release = (): void => {}
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const model = createScriptedModel({ wire: 'chat', script: () => says(name) })
  const transport = createFetchTransport(async (url, init) => {
    await released
    return model.fetch(url, init)
  })
  return { upstream: { name, wire: 'chat', baseUrl: 'http://x.invalid/v1', transport }, release }
}

function ask(gateway: ReturnType<typeof createGateway>, key: string): Promise<string> {
  const handle = createFetchHandler(gateway)
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return handle(new Request('http://localhost/v1/chat/completions', { method: 'POST', headers, body })).then(
    async answer =>
      `${answer.status} ${answer.headers.get('x-toolwire-upstream') ?? (await answer.text()).slice(0, 40)}`,
  )
}

test('A request under way keeps the settings it began with, and the next one has the new ones.', async () => {
  const [old, fresh] = [scripted('old'), scripted('fresh')]
  const gateway = createGateway({ upstreams: [old.upstream], keys: ['a'] })
  const first = ask(gateway, 'a')
  await new Promise(resolve => setImmediate(resolve))
  gateway.update({ upstreams: [fresh.upstream], keys: ['b'] })
  fresh.release()
  expect(await ask(gateway, 'b')).toBe('200 fresh')
  expect(await ask(gateway, 'a')).toMatch(/^401/)
  old.release()
  expect(await first).toBe('200 old')
  await gateway.close()
})

test('What one key may have of all follows the number of keys.', async () => {
  const { upstream, release } = scripted('only')
  const limits = { exchanges: 4 }
  const gateway = createGateway({ upstreams: [upstream], keys: ['a'], limits })
  const alone = [ask(gateway, 'a'), ask(gateway, 'a'), ask(gateway, 'a')]
  await new Promise(resolve => setImmediate(resolve))
  gateway.update({ upstreams: [upstream], keys: ['a', 'b'] })
  expect(await ask(gateway, 'a')).toMatch(/^429 .*/)
  const other = ask(gateway, 'b')
  await new Promise(resolve => setImmediate(resolve))
  gateway.update({ upstreams: [upstream], keys: ['a'] })
  release()
  expect(await Promise.all([...alone, other])).toEqual(Array(4).fill('200 only'))
  expect(await ask(gateway, 'a')).toBe('200 only')
  await gateway.close()
})

test('An update with mistakes throws and changes nothing.', async () => {
  const { upstream, release } = scripted('only')
  release()
  const gateway = createGateway({ upstreams: [upstream] })
  expect(() => gateway.update({ upstreams: [] })).toThrow('"upstreams" must be a list')
  expect(() => gateway.update({ upstreams: [{ ...upstream, wire: 'none' }] })).toThrow('wire must be')
  expect(await ask(gateway, '')).toBe('200 only')
  await gateway.close()
})

test('A model of an upstream that cannot be used is refused with the reason, and others are served.', async () => {
  const { upstream, release } = scripted('well')
  release()
  const gateway = createGateway({
    upstreams: [{ ...upstream, name: 'ill', models: ['m'], disabled: 'X_KEY is not set.' }, upstream],
  })
  expect(await ask(gateway, '')).toMatch(/^503/)
  gateway.update({ upstreams: [{ ...upstream, name: 'ill', disabled: 'X_KEY is not set.' }, upstream] })
  expect(await ask(gateway, '')).toBe('200 well')
  await gateway.close()
})

import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { watchHealth } from './health.ts'

test('A health port that is in use is told with the flag that chooses another.', async () => {
  const taken = createServer()
  onTestFinished(() => void taken.close())
  const healthPort = await new Promise<number>(resolve =>
    taken.listen(0, '127.0.0.1', () => {
      const address = taken.address()
      resolve(typeof address === 'object' ? (address?.port ?? 0) : 0)
    }),
  )
  const watched = watchHealth(
    { host: '127.0.0.1', healthPort },
    { readiness: async () => ({ status: 'ready' }) },
    { every: () => () => {} },
  )
  await expect(watched).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringContaining(`Port ${healthPort} of 127.0.0.1 is in use.`),
  })
  await expect(watched).rejects.toMatchObject({ message: expect.stringContaining('--health-port') })
})

test('Answers of the health port may not be sniffed or loaded by pages of other origins, like all others.', async () => {
  const watched = await watchHealth(
    { host: '127.0.0.1', healthPort: 0 },
    { readiness: async () => ({ status: 'ready' }) },
    { every: () => () => {} },
  )
  onTestFinished(async () => void (await watched?.close()))
  for (const path of ['live', 'ready', 'other']) {
    const { headers } = await fetch(`http://127.0.0.1:${watched?.port}/${path}`)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  }
})

/** Which gateways serve the inspector. */
import { afterEach, expect, test } from 'vitest'
import { argumentsOf, createStage, type Stage } from './environment.test-helper.ts'
import { serve } from './serve.ts'

let running: { readonly stage: Stage; readonly code: Promise<number> } | undefined

afterEach(async () => {
  running?.stage.signal()
  await running?.code
  running = undefined
})

/** What a browser on this machine gets at `/`, and what the banner says of it. */
async function start(argv: readonly string[]): Promise<{ page: string; session: number; banner: string }> {
  const stage = createStage({ env: { KEYS: 'one' } })
  const args = argumentsOf('serve', ['--demo', '--port', '0', '--store', 'memory', ...argv])
  running = { stage, code: serve(args, stage.io, stage.world) }
  await Promise.race([stage.until('# Anthropic Messages'), running.code])
  const banner = stage.printed.stdout
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(banner)?.[0]
  const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
  const session = await fetch(`${url}/toolwire/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"key":"one"}',
  })
  return { page: page.headers.get('content-type') ?? '', session: session.status, banner }
}

const isPage = 'text/html; charset=utf-8'

test.each([
  ['on this machine', []],
  ['elsewhere with a key', ['--host', '0.0.0.0', '--key-env', 'KEYS']],
])('A gateway that listens %s serves the inspector.', async (_, argv) => {
  const { page, banner } = await start(argv)
  expect(page).toBe(isPage)
  expect(banner).toContain('Inspector')
})

test.each([
  ['was told so', ['--no-inspector']],
  ['listens elsewhere without a key', ['--host', '0.0.0.0', '--insecure']],
])('A gateway that %s serves no inspector, and nobody can sign in to it.', async (_, argv) => {
  const { page, session, banner } = await start(argv)
  expect(page).toBe('application/json')
  expect(session).toBe(404)
  expect(banner).not.toContain('Inspector')
})

import { expect, test } from 'vitest'
import type { Settings } from '../../config/config.ts'
import { pass, wholeExchange } from '../../telemetry/exchange.test-helper.ts'
import type { Trace } from '../../telemetry/traces/trace-document.ts'
import { TraceRing } from '../../telemetry/traces/trace-ring.ts'
import { createStage } from './environment.test-helper.ts'
import { watchersFor } from './observers.ts'

const settings = {
  log: {},
  trace: {},
  otel: false,
  keys: ['key-of-ann'],
  operatorKeys: [],
  sealKeys: [],
  upstreams: [],
  mcpServers: {
    files: {
      command: 'files',
      env: {
        GITHUB_PERSONAL_ACCESS: 'abc-123-def',
        APP_PASSWORD: 'correcthorse',
        DATABASE: 'mysql://ann:in-variable@host/db',
        NODE_ENV: 'production',
        HOME: '/home/ann',
      },
    },
    search: {
      url: 'https://ann:in-address@search.example/',
      headers: { 'x-search': 'Scheme of-the-server' },
    },
  },
  store: { kind: 'postgres', url: 'postgres://ann:p%40ssword@host/db' },
} as unknown as Settings

const open = (given: Settings) => watchersFor(given, { version: '1', store: 'memory' }, createStage({}).io)

test('Secrets of MCP servers and stores are masked in traces, and ordinary settings are not.', async () => {
  const { watching } = await open(settings)
  const words = [
    'key-of-ann abc-123-def correcthorse in-variable in-address of-the-server p%40ssword p@ssword',
    'production /home/ann',
  ]
  pass(watching.observer ?? expect.fail(), wholeExchange, observation =>
    observation.view('client-answer', words.join('\n')),
  )
  const trace = (await watching.traces?.get(wholeExchange.id ?? '')) as Trace
  expect(trace.views['client-answer']?.parts[0]?.text).toBe(
    '*** *** *** *** *** *** *** ***\nproduction /home/ann',
  )
})

test('Settings that are read again and again add a secret once.', async () => {
  const hidden: number[] = []
  const { hide } = TraceRing.prototype
  TraceRing.prototype.hide = secrets => void hidden.push(secrets.length)
  const watchers = await open(settings)
  for (let i = 0; i < 3; i++) watchers.hide({ ...settings, keys: ['key-of-bob'] })
  TraceRing.prototype.hide = hide
  expect(new Set(hidden).size).toBe(1)
})

import { expect, test } from 'vitest'
import type { Settings } from '../../config/config.ts'
import { pass, wholeExchange } from '../../telemetry/exchange.test-helper.ts'
import { createStage } from '../serve/environment.test-helper.ts'
import { watchersFor } from '../serve/observers.ts'
import type { Peers } from './peers.ts'

const settings = {
  log: { format: 'pretty' },
  trace: false,
  otel: false,
  keys: [],
  operatorKeys: [],
  sealKeys: [],
  upstreams: [],
  mcpServers: {},
  store: { kind: 'none' },
} as unknown as Settings

test('Of several processes that write to one terminal, one writes the header.', async () => {
  const { io, printed } = createStage()
  for (const isSpeaker of [true, false, false]) {
    const peers = { isSpeaker, on: () => {} } as unknown as Peers
    const { watching, close } = await watchersFor(settings, { version: '1', store: 'none', peers }, io)
    for (let n = 0; n < 2; n++) pass(watching.observer ?? expect.fail(), wholeExchange)
    await close()
  }
  const lines = printed.stderr.split('\n')
  expect(lines.filter(line => /\btime\b.*\bcode\b/.test(line))).toHaveLength(1)
  expect(lines.filter(line => line.includes('req_abcdefgh'))).toHaveLength(6)
})

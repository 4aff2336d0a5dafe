import { describe, expect, test } from 'vitest'
import { turnsDuring } from '../../../../../test/support/house/turns-during.ts'
import type { Settings } from '../../config/config.ts'
import { pass, wholeExchange } from '../../telemetry/exchange.test-helper.ts'
import { createStage } from './environment.test-helper.ts'
import { watchersFor } from './observers.ts'

describe('whoever reads the traces of a gateway that serves others', () => {
  const long = 'x'.repeat(600_000)
  const exchanges = 8

  async function watched() {
    const settings = {
      log: {},
      trace: {},
      otel: false,
      keys: [],
      operatorKeys: [],
      sealKeys: [],
      upstreams: [],
    }
    const all = settings as unknown as Settings
    const { watching } = await watchersFor(all, { version: '1', store: 'none' }, createStage({}).io)
    const { observer, traces } = watching
    if (observer === undefined || traces === undefined) return expect.fail()
    const watch = traces.watch?.()
    for (let i = 0; i < exchanges; i++) {
      pass(observer, { ...wholeExchange, id: `req_${i}` }, observation => {
        const body = JSON.stringify({ messages: [{ role: 'user', content: `${i} ${long}` }] })
        for (const name of ['client-request', 'upstream-request', 'client-answer'] as const)
          observation.view(name, Buffer.from(body))
      })
    }
    return { traces, watch }
  }

  test('The list lets others have a turn after each long request.', async () => {
    const { traces } = await watched()
    let list: readonly unknown[] = []
    const turns = await turnsDuring(async () => {
      list = await traces.list(10)
    })
    expect(list.length).toBe(exchanges)
    expect(turns).toBeGreaterThanOrEqual(exchanges)
  })

  test('So do the news of those who watch.', async () => {
    const { watch } = await watched()
    expect(await turnsDuring(() => watch?.take())).toBeGreaterThanOrEqual(exchanges)
  })

  test('One exchange is read view by view.', async () => {
    const { traces } = await watched()
    await traces.list(1)
    expect(await turnsDuring(() => traces.get('req_1'))).toBeGreaterThanOrEqual(3)
  })
})

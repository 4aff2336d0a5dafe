/** Whoever has heard that a response is completed can continue it at once, also through another gateway. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteStore } from '../../../packages/toolwire/src/store/sqlite-store.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, framesOf, paths, textTurn } from '../../support/faults/wires.ts'

test('Two gateways on one file continue 200 responses the moment they are completed.', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-order-'))
  const path = join(folder, 'store.db')
  const frames = (await framesOf('chat', textTurn)).join('')
  const whole = await answerOf('chat')
  const stores = [1, 2].map(() => openSqliteStore({ path, now: () => startOfTime }))
  const gateways = await Promise.all(
    stores.map(async store =>
      createHarness({
        store: await store,
        heartbeatMs: 0,
        answer(asked) {
          if (asked.body.stream === true) asked.stream().data(frames).end()
          else asked.json(200, whole)
        },
      }),
    ),
  )
  try {
    for (let i = 0; i < 200; i++) {
      const [first, second] = i % 2 === 0 ? gateways : gateways.toReversed()
      if (first === undefined || second === undefined) throw new Error('There are two gateways.')
      let next: ReceivedAnswer | undefined
      const client = sendTo(first.gateway, paths.responses, {
        body: bodyFor('responses', { stream: i % 4 < 3 }),
        onWrite(text) {
          const isOver = i % 4 < 3 ? text.includes('"type":"response.completed"') : text.endsWith('}')
          const id = /"id":"(resp_[^"]+)"/.exec(text)?.[1]
          if (!isOver || id === undefined || next !== undefined) return
          next = sendTo(second.gateway, paths.responses, {
            body: bodyFor('responses', { previous_response_id: id, input: 'And then?' }),
          })
        },
      })
      await client.done
      await next?.done
      expect(next?.status, `response ${i}`).toBe(200)
      const messages = second.upstream.requests.at(-1)?.body.messages as { role: string }[] | undefined
      expect(messages?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    }
  } finally {
    for (const store of stores) await (await store).close()
    rmSync(folder, { recursive: true })
  }
})

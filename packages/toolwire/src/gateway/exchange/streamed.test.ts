import { expect, test } from 'vitest'
import type { ExchangeFacts } from '../../telemetry/observer.ts'
import { createGateway } from '../create-gateway.ts'
import type { Transport } from '../http/contract.ts'

const chunk = (delta: object, finish_reason: string | null): string =>
  `data: ${JSON.stringify({
    id: 'a',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })}\n\n`

/** An upstream whose first words come with the head of its answer. */
const prompt: Transport = (_request, receiver) => {
  receiver.head(200, { 'content-type': 'text/event-stream' })
  receiver.data(Buffer.from(chunk({ role: 'assistant', content: 'Good day.' }, null)))
  receiver.data(Buffer.from(`${chunk({}, 'stop')}data: [DONE]\n\n`))
  receiver.end()
  return { pause: () => {}, resume: () => {}, abort: () => {} }
}

test('The time that writing takes is counted once, also when the answer has arrived before it is read.', async () => {
  let time = 0
  const facts: ExchangeFacts[] = []
  const gateway = createGateway({
    upstreams: [{ name: 'u', wire: 'chat', baseUrl: 'http://upstream.invalid/v1', transport: prompt }],
    clock: { now: () => time, date: () => time, after: () => () => {} },
    observer: {
      begin(begun) {
        facts.push(begun)
        return { facts: begun, wantsViews: false, view: () => {}, viewHead: () => {}, end: () => {} }
      },
    },
  })
  const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello.' }] }
  const writing = {
    head: () => {},
    write() {
      time += 50
      return true
    },
    end: () => {},
    onDrain: () => {},
  }
  await gateway.handle(
    {
      method: 'POST',
      target: '/v1/chat/completions',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      signal: new AbortController().signal,
      body: async () => Buffer.from(JSON.stringify(body)),
    },
    writing,
  )
  await gateway.close()
  expect(time).toBeGreaterThan(0)
  expect(facts).toMatchObject([{ status: 200, totalMs: time, overheadMs: time }])
})

/** Background responses with the official client: streamed, left in the middle, and taken up again where it stopped. */
import OpenAI from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { describe, expect, test } from 'vitest'
import { startHarness } from '../../support/gateway/harness.ts'
import { createScript } from '../../support/gateway/script.ts'

const text = 'Otters in space, and what became of them.'

describe.each([{ to: 'chat' }, { to: 'messages' }, { to: 'responses', more: { state: 'gateway' } }] as const)(
  'A background stream over $to',
  ({ to, ...given }) => {
    test('Events received before and after a reconnect make the complete answer.', async () => {
      const script = createScript(to, [{ text }])
      const { baseURL, fetch } = await startHarness(script, to, 'more' in given ? given.more : {})
      const client = new OpenAI({ apiKey: 'none', baseURL, fetch, maxRetries: 0 })
      const heard: ResponseStreamEvent[] = []
      const first = await client.responses.create({
        model: 'm',
        input: 'Hi.',
        background: true,
        stream: true,
      })
      for await (const event of first) {
        heard.push(event)
        if (event.type === 'response.output_text.delta') break
      }
      const [created] = heard
      const id = created?.type === 'response.created' ? created.response.id : ''
      const rest = await client.responses.retrieve(id, {
        stream: true,
        starting_after: heard.at(-1)?.sequence_number ?? 0,
      })
      for await (const event of rest) heard.push(event)
      expect(heard.map(({ sequence_number }) => sequence_number)).toEqual(heard.map((_, i) => i))
      const deltas = heard.flatMap(event =>
        event.type === 'response.output_text.delta' ? [event.delta] : [],
      )
      expect(deltas.join('')).toBe(text)
      const stored = await client.responses.retrieve(id)
      expect([stored.status, stored.output_text]).toEqual(['completed', text])
      const helper = client.responses.stream({ response_id: id })
      expect((await helper.finalResponse()).output_text).toBe(text)
    })
  },
)

/** Anthropic's toolRunner, which keeps its conversation in a thread of whatever server it is pointed at. */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { calls, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { openNodeAdapter } from '../../support/faults/adapters.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'
import type { Harness, HarnessOptions } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'

const closing = closeAfterEach()

const weather = (city: string) => calls({ name: 'get_weather', arguments: { city }, id: `toolu_${city}` })
const script = [weather('Oslo'), weather('Rome'), says('It rains in both.')]

interface Stage extends Harness {
  readonly client: Anthropic
  readonly sent: Record<string, unknown>[]
}

async function open(wire: 'chat' | 'messages' | 'responses', options: HarnessOptions = {}): Promise<Stage> {
  const harness = openHarness(wire, script, options)
  const adapter = await openNodeAdapter(harness.gateway)
  closing.push(async () => {
    await harness.gateway.close()
    await adapter.close()
  })
  const sent: Record<string, unknown>[] = []
  const client = new Anthropic({
    apiKey: 'none',
    baseURL: `http://127.0.0.1:${adapter.port}`,
    maxRetries: 0,
    fetch: (url, init) => {
      sent.push(JSON.parse(String(init?.body)) as Record<string, unknown>)
      return fetch(url, init)
    },
  })
  return { ...harness, client, sent }
}

async function run({ client }: Stage, stream: boolean): Promise<string> {
  const runner = client.beta.messages.toolRunner({
    model: 'm',
    max_tokens: 1000,
    stream,
    messages: [{ role: 'user', content: 'Where does it rain?' }],
    tools: [
      betaTool({
        name: 'get_weather',
        description: 'The weather of a city.',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        run: ({ city }) => `Rain in ${city}`,
      }),
    ],
  })
  const last = await runner.runUntilDone()
  return last.content.map(block => (block.type === 'text' ? block.text : '')).join('')
}

const cases = (['chat', 'messages', 'responses'] as const).flatMap(to =>
  [false, true].map(stream => ({ to, stream })),
)

describe.each(cases)('over $to, stream: $stream', ({ to, stream }) => {
  test('The toolRunner sends only what is new, and the model hears everything.', async () => {
    const stage = await open(to)
    expect(await run(stage, stream)).toBe('It rains in both.')
    expect(stage.sent.map(({ thread }) => (thread as { type: string }).type)).toEqual([
      'create',
      'continue',
      'continue',
    ])
    expect(stage.sent.map(({ messages, tools }) => [(messages as []).length, tools === undefined])).toEqual([
      [1, false],
      [1, true],
      [1, true],
    ])
    const heard = stage.model.requests[2]
    expect(heard?.results.map(({ text }) => text)).toEqual(['Rain in Oslo', 'Rain in Rome'])
    expect(heard?.toolNames).toEqual(['get_weather'])
    stage.model.assertDone()
  })

  test('Without a store the toolRunner sends everything again by itself, and finishes.', async () => {
    const stage = await open(to, { store: undefined as never })
    expect(await run(stage, stream)).toBe('It rains in both.')
    expect(stage.model.requests[2]?.results.map(({ text }) => text)).toEqual(['Rain in Oslo', 'Rain in Rome'])
  })
})

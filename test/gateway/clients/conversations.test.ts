/** The conversations of the Responses wire through the official client, before upstreams that have none. */
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { prompts } from '../../support/clients/model.ts'
import { createToolbox, report } from '../../support/clients/toolbox.ts'
import { startHarness } from '../../support/gateway/harness.ts'
import { callsOf, resultsOf, textsOf } from '../../support/gateway/history.ts'
import { createScript } from '../../support/gateway/script.ts'
import { ways } from './all-clients.ts'
import { ask, steps, thanks } from './memory-loop.ts'

const cases = (['chat', 'messages'] as const).flatMap(to => ways.map(way => ({ to, ...way })))

describe.each(cases)('the openai client, $how, with an upstream on $to', ({ to, stream }) => {
  test('The openai client continues a conversation that the gateway stores.', async () => {
    const script = createScript(to, steps)
    const { baseURL, fetch, requests } = await startHarness(script, to)
    const client = new OpenAI({ apiKey: 'none', baseURL, fetch, maxRetries: 0 })
    const { id: conversation } = await client.conversations.create({
      metadata: { topic: 'weather' },
      items: [{ type: 'message', role: 'developer', content: 'Use degrees Celsius.' }],
    })
    const tools = createToolbox()
    const options = { tools, stream, memory: { conversation }, remember: () => ({ conversation }) }
    const first = await ask(client, prompts.user, options)
    const second = await ask(client, thanks, options)

    expect(script.refusals).toEqual([])
    expect([first.output_text, second.output_text]).toEqual(['It rains in both.', 'You are welcome.'])
    expect(first.conversation?.id).toBe(conversation)
    const last = script.received.at(-1)
    // Wires differ in whether these are two messages or two parts of one.
    expect(textsOf(last, 'system').join('')).toBe(`${prompts.system}Use degrees Celsius.`)
    expect(textsOf(last, 'user')).toEqual([prompts.user, thanks])
    expect(callsOf(last).map(({ id }) => id)).toEqual(script.callIds)
    expect(resultsOf(last).map(({ text }) => text)).toEqual([
      report('Oslo'),
      expect.any(String),
      report('Rome'),
    ])
    const asked = requests.filter(({ path }) => path === '/v1/responses')
    expect(asked.map(({ text }) => JSON.parse(text).input.length)).toEqual([1, 2, 1, 1])
    for (const { headers } of asked) expect(headers.get('x-toolwire-losses')).toBe('0')

    const kept: string[] = []
    for await (const item of client.conversations.items.list(conversation, { order: 'asc', limit: 4 }))
      kept.push('role' in item ? item.role : item.type)
    expect(kept).toEqual([
      'developer',
      'user',
      'assistant',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'assistant',
      'function_call',
      'function_call_output',
      'assistant',
      'user',
      'assistant',
    ])
  })

  test('The openai client manages a conversation and its items.', async () => {
    const script = createScript(to, [{ text: 'Good day.' }])
    const { baseURL, fetch } = await startHarness(script, to)
    const client = new OpenAI({ apiKey: 'none', baseURL, fetch, maxRetries: 0 })
    const { conversations } = client
    const { id } = await conversations.create()
    await conversations.update(id, { metadata: { topic: 'maps' } })
    expect((await conversations.retrieve(id)).metadata).toEqual({ topic: 'maps' })
    const added = await conversations.items.create(id, {
      items: [
        { role: 'user', content: 'Forget this.' },
        { role: 'user', content: 'Keep this.' },
      ],
    })
    const [forgotten, held] = added.data
    await conversations.items.delete(forgotten?.id ?? '', { conversation_id: id })
    expect(await conversations.items.retrieve(held?.id ?? '', { conversation_id: id })).toEqual(held)

    const body = { model: 'any', input: prompts.user, conversation: { id } }
    await (stream ? client.responses.stream(body).finalResponse() : client.responses.create(body))
    expect(textsOf(script.received[0], 'user').join('\n')).toBe(`Keep this.\n${prompts.user}`)

    expect(await conversations.delete(id)).toMatchObject({ id, deleted: true })
    const gone = await conversations.retrieve(id).catch((error: unknown) => error)
    expect(gone).toBeInstanceOf(OpenAI.NotFoundError)
    const refused = await client.responses.create(body).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(OpenAI.NotFoundError)
    expect(script.received).toHaveLength(1)
  })
})

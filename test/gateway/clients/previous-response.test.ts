/** `previous_response_id` before upstreams that remember nothing: only what is new is sent, all of it is heard. */
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { prompts } from '../../support/clients/model.ts'
import { createToolbox, failure, report } from '../../support/clients/toolbox.ts'
import type { GatewayHarness } from '../../support/gateway/harness.ts'
import { startHarness } from '../../support/gateway/harness.ts'
import type { History } from '../../support/gateway/history.ts'
import { callsOf, resultsOf, textsOf } from '../../support/gateway/history.ts'
import { createScript } from '../../support/gateway/script.ts'
import { ways } from './all-clients.ts'
import { ask, steps, thanks } from './memory-loop.ts'

const upstreams = [
  { to: 'chat', where: 'Chat' },
  { to: 'messages', where: 'Messages' },
  { to: 'responses', where: 'Responses that remembers nothing', state: 'gateway' },
] as const
const cases = upstreams.flatMap(upstream => ways.map(way => ({ ...upstream, ...way })))

const connect = ({ baseURL, fetch }: GatewayHarness): OpenAI =>
  new OpenAI({ apiKey: 'none', baseURL, fetch, maxRetries: 0 })

/** What the model must know at each of its turns, however little the client sent. */
function expectWholeHistory(heard: readonly History[], callIds: readonly string[]): void {
  expect(heard.map(history => textsOf(history, 'user'))).toEqual([
    [prompts.user],
    [prompts.user],
    [prompts.user],
    [prompts.user, thanks],
  ])
  const last = heard.at(-1)
  // Instructions hold for one response; the history holds none of the earlier ones.
  expect(textsOf(last, 'system')).toEqual([prompts.system])
  expect(textsOf(last, 'assistant')).toEqual(['Let me look.', 'And Rome?', 'It rains in both.'])
  expect(callsOf(last).map(({ id, name, input }) => [id, name, input])).toEqual([
    [callIds[0], 'get_weather', { city: 'Oslo' }],
    [callIds[1], 'broken_tool', {}],
    [callIds[2], 'get_weather', { city: 'Rome' }],
  ])
  const texts = resultsOf(last).map(({ text }) => text)
  expect(texts).toEqual([report('Oslo'), expect.stringContaining(failure), report('Rome')])
}

describe.each(cases)('the openai client, $how, with an upstream on $where', ({ to, stream, ...more }) => {
  const settings = 'state' in more ? { state: more.state } : {}

  test('The openai client sends only new items and continues the previous response. [D5]', async () => {
    const script = createScript(to, steps)
    const stage = await startHarness(script, to, settings)
    const client = connect(stage)
    const tools = createToolbox()
    const remember = (previous_response_id: string) => ({ previous_response_id })
    const first = await ask(client, prompts.user, { tools, stream, memory: {}, remember })
    expect(first.output_text).toBe('It rains in both.')
    const second = await ask(client, thanks, { tools, stream, memory: remember(first.id), remember })

    expect(second.output_text).toBe('You are welcome.')
    // A server of the same wire speaks for itself, and it was not told.
    if (to !== 'responses') expect(second.previous_response_id).toBe(first.id)
    expect(script.refusals).toEqual([])
    expectWholeHistory(script.received, script.callIds)
    const sent = stage.requests.map(({ text }) => JSON.parse(text).input.length)
    expect(sent).toEqual([1, 2, 1, 1])
    expect(stage.requests.map(({ headers }) => headers.get('x-toolwire-losses'))).toEqual([
      '0',
      '0',
      '0',
      '0',
    ])
  })

  test('The openai client reads, lists and deletes stored responses, and cannot continue a deleted one.', async () => {
    const script = createScript(to, [{ text: 'Good day.' }, { text: 'Never said.' }])
    const client = connect(await startHarness(script, to, settings))
    const input = prompts.user
    const first = await (stream
      ? client.responses.stream({ model: 'any', input }).finalResponse()
      : client.responses.create({ model: 'any', input }))

    expect(await client.responses.retrieve(first.id)).toMatchObject({
      id: first.id,
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Good day.' }] }],
    })
    const items = await client.responses.inputItems.list(first.id)
    expect(items.data).toMatchObject([{ type: 'message', role: 'user', id: expect.stringMatching(/^msg_/) }])
    await client.responses.delete(first.id)
    const gone = await client.responses
      .create({ model: 'any', input: thanks, previous_response_id: first.id })
      .catch((error: unknown) => error)
    expect(gone).toBeInstanceOf(OpenAI.BadRequestError)
    expect(gone).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' })
    expect(script.received).toHaveLength(1)
  })
})

test('An upstream that stores responses itself gets the ids of the client.', async () => {
  const said = { text: 'Good day.' }
  const script = createScript('responses', [said, said])
  const stage = await startHarness(script, 'responses')
  const client = connect(stage)
  const first = await client.responses.create({ model: 'any', input: prompts.user })
  await client.responses.create({ model: 'any', input: thanks, previous_response_id: first.id })
  expect(first.id).toBe('resp_1')
  expect(JSON.parse(stage.upstreamRequests[1]?.text ?? '')).toEqual({
    model: 'any',
    input: thanks,
    previous_response_id: 'resp_1',
  })
})

/** The WebSocket helper of the openai client: an agent with tools, several turns on one socket, over every upstream. */
import { calls, says } from '@toolwire/core/testing'
import OpenAI from 'openai'
import type { Response, ResponseInput, ResponsesClientEvent } from 'openai/resources/responses/responses'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { describe, expect, test } from 'vitest'
import { openNodeAdapter } from '../../support/faults/adapters.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'
import type { Harness, HarnessOptions } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'

const closing = closeAfterEach()

const weather = (city: string) => calls({ name: 'get_weather', arguments: { city }, id: `call_${city}` })
const tools = [
  {
    type: 'function' as const,
    name: 'get_weather',
    strict: false,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
]

async function open(
  wire: 'chat' | 'messages' | 'responses',
  script: Parameters<typeof openHarness>[1],
  options: HarnessOptions = {},
): Promise<Harness & { readonly socket: ResponsesWS; readonly errors: unknown[] }> {
  const harness = openHarness(wire, script, { keys: ['key'], ...options })
  const adapter = await openNodeAdapter(harness.gateway)
  const client = new OpenAI({ apiKey: 'key', baseURL: `http://127.0.0.1:${adapter.port}/v1` })
  const socket = new ResponsesWS(client)
  const errors: unknown[] = []
  socket.on('error', error => errors.push(error))
  closing.push(async () => {
    socket.close()
    await harness.gateway.close()
    await adapter.close()
  })
  return { ...harness, socket, errors }
}

type Create = Omit<Extract<ResponsesClientEvent, { type: 'response.create' }>, 'type'>

interface Answered {
  readonly response: Response
  readonly text: string
}

function ask(socket: ResponsesWS, body: Create): Promise<Answered> {
  let text = ''
  const answered = new Promise<Answered>((resolve, reject) => {
    const onEvent = (event: { type: string }): void => {
      const { type, delta, response } = event as { type: string; delta?: string; response?: Response }
      if (type === 'response.output_text.delta') text += delta
      if (type === 'error') reject(new Error(JSON.stringify(event)))
      if (type !== 'response.completed' || response === undefined) return
      socket.off('event', onEvent)
      resolve({ response, text })
    }
    socket.on('event', onEvent)
  })
  socket.send({ type: 'response.create', ...body })
  return answered
}

/** Answers calls until there are none left. */
async function runAgent(socket: ResponsesWS, input: string, store: boolean): Promise<Answered[]> {
  const answers: Answered[] = []
  let next: { input: string | ResponseInput; previous_response_id?: string } = { input }
  for (;;) {
    const answer = await ask(socket, { model: 'm', tools, store, ...next })
    answers.push(answer)
    const pending = answer.response.output.filter(item => item.type === 'function_call')
    if (pending.length === 0) return answers
    next = {
      previous_response_id: answer.response.id,
      input: pending.map(({ call_id, arguments: given }) => ({
        type: 'function_call_output',
        call_id,
        output: `Rain in ${JSON.parse(given).city}`,
      })),
    }
  }
}

const upstreams = [
  { to: 'chat', upstream: {} },
  { to: 'messages', upstream: {} },
  { to: 'responses', upstream: { state: 'gateway' } },
] as const
const cases = upstreams.flatMap(each => [true, false].map(store => ({ ...each, store })))

describe.each(cases)('over $to, store: $store', ({ to, upstream, store }) => {
  test('The openai client’s socket runs an agent over several turns.', async () => {
    const script = [weather('Oslo'), weather('Rome'), says('It rains in both.'), says('You are welcome.')]
    const { socket, model, errors } = await open(to, script, { upstream })
    const answers = await runAgent(socket, 'Where does it rain?', store)
    expect(answers.at(-1)?.text).toBe('It rains in both.')
    const last = await ask(socket, {
      model: 'm',
      store,
      input: 'Thanks.',
      previous_response_id: answers.at(-1)?.response.id ?? '',
    })
    expect(last.text).toBe('You are welcome.')
    expect(model.requests[3]?.results.map(({ callId, text }) => [callId, text])).toEqual([
      ['call_Oslo', 'Rain in Oslo'],
      ['call_Rome', 'Rain in Rome'],
    ])
    expect(errors).toEqual([])
    model.assertDone()
  })
})

test('The openai client’s socket gets an error with its status and code, and stays usable.', async () => {
  const { socket, errors } = await open('chat', [says('Hello.')])
  await expect(ask(socket, { model: 'm', input: 'A', previous_response_id: 'resp_none' })).rejects.toThrow(
    'previous_response_not_found',
  )
  expect(errors).toHaveLength(1)
  expect((await ask(socket, { model: 'm', input: 'A' })).text).toBe('Hello.')
})

test('The openai client’s socket warms up, and runs lanes at the same time.', async () => {
  const { socket, model } = await open('messages', request => says(`You said ${request.user}.`))
  const warm = await ask(socket, { model: 'm', input: 'Hello', generate: false, store: false })
  expect(model.requests).toHaveLength(0)
  const more = { model: 'm', store: false, previous_response_id: warm.response.id }
  expect((await ask(socket, { ...more, input: [] })).text).toBe('You said Hello.')
  const done = new Map<string, string>()
  socket.on('response.output_text.done', ({ stream_id = '', text }) => void done.set(stream_id, text))
  for (const lane of ['a', 'b', 'c']) {
    socket.send({ type: 'response.create', ...more, input: lane, stream_id: lane })
  }
  await expect
    .poll(() => Object.fromEntries(done))
    .toEqual({
      a: 'You said a.',
      b: 'You said b.',
      c: 'You said c.',
    })
})

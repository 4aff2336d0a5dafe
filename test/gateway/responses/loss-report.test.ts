/** What a conversion loses is counted in a header, listed when asked for, and refused where the gateway is strict. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { ExchangeFacts } from '../../../packages/toolwire/src/telemetry/observer.ts'
import type { HarnessOptions, Json } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'
import { checkStream } from '../../support/open-responses/stream.ts'

const paths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const

interface Lossy {
  readonly from: Wire
  readonly to: Wire
  readonly body: Json
  /** The places of what gets lost. */
  readonly places: readonly string[]
}

/** Requests with something that the other wire has no words for. */
const lossy: readonly Lossy[] = [
  {
    from: 'responses',
    to: 'chat',
    body: { input: 'hi', truncation: 'auto', tools: [{ type: 'web_search' }, { type: 'code_interpreter' }] },
    places: ['tools[1]', 'truncation'],
  },
  {
    from: 'chat',
    to: 'messages',
    body: { messages: [{ role: 'user', content: 'hi' }], seed: 7, logit_bias: { 5: 1 } },
    places: ['seed', 'logit_bias'],
  },
  {
    from: 'messages',
    to: 'chat',
    body: { max_tokens: 50, messages: [{ role: 'user', content: 'hi' }], top_k: 3 },
    places: ['top_k'],
  },
]

const open = ({ to }: Lossy, options: HarnessOptions = {}) => openHarness(to, [says('Hi.')], options)

const listOf = (told: Json): { path: (string | number)[]; code: string }[] =>
  JSON.parse(String((told.metadata as Json).toolwire_losses))

const placeOf = (path: readonly (string | number)[]): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')

const asks = lossy.flatMap(story => [false, true].map(stream => ({ ...story, stream })))

describe.each(asks)('$from to $to, stream: $stream', story => {
  const { from, places, stream } = story
  const body = { model: 'm', ...story.body, stream }

  test('The header counts the losses.', async () => {
    const { post, facts } = open(story)
    const told = await post(paths[from], body)
    expect(told.status, told.text).toBe(200)
    const count = Number(told.headers['x-toolwire-losses'])
    expect(count).toBeGreaterThanOrEqual(places.length)
    expect(facts[0]?.losses).toHaveLength(count)
  })

  test('The list of losses comes only on request.', async () => {
    for (const headers of [{}, { 'x-toolwire-report': '0' }]) {
      const told = await open(story).post(paths[from], body, headers)
      expect(told.text).not.toContain('toolwire_losses')
    }
  })

  test('The list of losses names each path.', async () => {
    const told = await open(story).post(paths[from], body, { 'x-toolwire-report': '1' })
    const comment = told.text.split('\n').find(line => line.startsWith(': toolwire_losses '))
    const listed = stream
      ? (JSON.parse(comment?.slice(': toolwire_losses '.length) ?? '[]') as ReturnType<typeof listOf>)
      : listOf(told.json())
    expect(listed.map(({ path }) => placeOf(path))).toEqual(expect.arrayContaining([...places]))
    expect(String(listed.length)).toBe(told.headers['x-toolwire-losses'])
  })

  test('A strict gateway refuses losses, names each path, and calls no upstream.', async () => {
    const { post, model } = open(story, { losses: 'strict' })
    const told = await post(paths[from], body)
    expect([told.status, told.headers['content-type']]).toEqual([400, 'application/json'])
    const { error, type } = told.json() as { error: Json; type?: string }
    for (const place of places) expect(error.message).toContain(`${place}: `)
    expect(type).toBe(from === 'messages' ? 'error' : undefined)
    expect(error.type).toBe('invalid_request_error')
    if (from !== 'messages') expect(error.param).toEqual(expect.any(String))
    expect(model.requests).toEqual([])
  })
})

test('The comment of a report is not an event, and the stream is correct with it.', async () => {
  const [story] = lossy
  if (story === undefined) throw new Error('There is no such story.')
  const told = await open(story, {}).post(
    '/v1/responses',
    { model: 'm', input: 'hi', truncation: 'auto', stream: true },
    { 'x-toolwire-report': '1' },
  )
  expect(told.text).toContain('data: [DONE]\n\n: toolwire_losses [')
  expect(checkStream(told.writes)).toEqual([])
})

describe('a request that loses nothing', () => {
  test('A request that loses nothing has the count 0 and an empty list.', async () => {
    const { post } = openHarness('chat', [says('Hi.')])
    const told = await post('/v1/responses', { model: 'm', input: 'hi' }, { 'x-toolwire-report': 'yes' })
    expect(told.headers['x-toolwire-losses']).toBe('0')
    expect(listOf(told.json())).toEqual([])
  })

  test('A request that loses nothing passes a strict gateway.', async () => {
    const { post } = openHarness('chat', [says('Hi.')], { losses: 'strict' })
    expect((await post('/v1/responses', { model: 'm', input: 'hi' })).status).toBe(200)
  })

  test('The list of losses stands beside the metadata of the client.', async () => {
    const { post } = openHarness('chat', [says('Hi.')])
    const body = { model: 'm', input: 'hi', metadata: { mine: 'x' } }
    const told = await post('/v1/responses', body, { 'x-toolwire-report': '1' })
    expect(told.json().metadata).toMatchObject({ mine: 'x', toolwire_losses: expect.any(String) })
  })
})

describe('what no upstream could answer', () => {
  const orphan = { model: 'm', input: [{ type: 'function_call_output', call_id: 'z', output: 'x' }] }

  test('A result without a call is refused by its id unless losses are allowed. [field A05]', async () => {
    const { post, model } = openHarness('chat', [])
    const told = await post('/v1/responses', orphan)
    expect(told.status).toBe(400)
    expect(told.json().error).toMatchObject({ param: 'input[0]', message: expect.stringContaining('"z"') })
    expect(model.requests).toEqual([])
  })

  test('A result without a call passes where losses are allowed.', async () => {
    const { post, model } = openHarness('chat', [says('Hi.')], {
      losses: 'allow',
      upstream: { pairing: 'repair' },
    })
    const told = await post('/v1/responses', orphan)
    expect(told.status).toBe(200)
    expect(model.requests[0]?.orphanedResults).toEqual([])
  })
})

describe('places are those of the request, whatever history was put before it', () => {
  const odd = { role: 'user', content: [{ type: 'input_text', text: 'Two.', x_odd: 'y' }] }
  const placesOf = (facts: readonly ExchangeFacts[]): unknown[] =>
    (facts.at(-1)?.losses ?? []).map(({ path }) => placeOf(path))

  test('Paths of losses are those of the request that continues a response.', async () => {
    const { post, facts } = openHarness('chat', [says('A.'), says('B.')])
    const { id } = (await post('/v1/responses', { model: 'm', input: 'One.' })).json()
    await post('/v1/responses', { model: 'm', previous_response_id: id, input: [odd] })
    expect(placesOf(facts)).toEqual(['input[0].content[0].x_odd'])
  })

  test('Paths of losses are those of the request in a conversation, with references.', async () => {
    const { post, facts } = openHarness('chat', [says('A.')])
    const item = { id: 'msg_mine', role: 'user', content: 'One.' }
    const items = [item, { role: 'user', content: 'More.' }, { role: 'user', content: 'And more.' }]
    const { id } = (await post('/v1/conversations', { items })).json()
    const input = [{ type: 'item_reference', id: 'msg_mine' }, odd]
    await post('/v1/responses', { model: 'm', conversation: id, input })
    expect(placesOf(facts)).toEqual(['input[1].content[0].x_odd'])
  })

  test('A loss in the history has the path of the field that refers to the history.', async () => {
    const { post, facts } = openHarness('chat', [says('A.'), says('B.'), says('C.')])
    const { id } = (await post('/v1/responses', { model: 'm', input: [odd] })).json()
    await post('/v1/responses', { model: 'm', previous_response_id: id, input: 'Three.' })
    expect(placesOf(facts)).toEqual(['previous_response_id'])
    const conversation = (await post('/v1/conversations', { items: [odd] })).json().id
    await post('/v1/responses', { model: 'm', conversation, input: 'Three.' })
    expect(placesOf(facts)).toEqual(['conversation'])
  })
})

test.each(['chat', 'messages'] as const)(
  'What the gateway does itself is not a loss, over %s.',
  async wire => {
    const { post, model } = openHarness(wire, [says('A.'), says('B.')], { losses: 'strict' })
    const first = await post('/v1/responses', {
      model: 'm',
      input: 'One.',
      store: true,
      truncation: 'disabled',
    })
    expect(first.status, first.text).toBe(200)
    const second = await post('/v1/responses', {
      model: 'm',
      input: 'Two.',
      previous_response_id: first.json().id,
      store: false,
    })
    expect(second.status, second.text).toBe(200)
    // To store here is no reason to let others store it too; not to store it is.
    expect(model.requests.map(({ body }) => body.store)).toEqual([
      undefined,
      wire === 'chat' ? false : undefined,
    ])
  },
)

/** When an upstream does not know a model, the client learns what it has, and which line would help. */
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import type { GatewayClient, Json } from '../../support/open-responses/gateway.ts'
import { clientOf, transportTo, upstreamTo } from '../../support/open-responses/gateway.ts'

const wires = ['chat', 'responses', 'messages'] as const

const requests: Record<(typeof wires)[number], readonly [path: string, body: Json]> = {
  chat: ['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  responses: ['/v1/responses', { input: 'hi' }],
  messages: ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }],
}

/** An upstream that has no model of the name it is asked for. */
function without(
  wire: (typeof wires)[number],
  models: unknown,
  refusal: unknown = { error: { type: 'not_found_error', message: 'model not found, try pulling it first' } },
  more: Partial<Upstream> = {},
): GatewayClient {
  const transport = transportTo(async url => {
    if (String(url).endsWith('/models')) return new Response(JSON.stringify(models))
    return new Response(typeof refusal === 'string' ? refusal : JSON.stringify(refusal), { status: 404 })
  })
  return clientOf(createGateway({ upstreams: [upstreamTo(wire, transport, { name: 'local', ...more })] }))
}

const listed = { object: 'list', data: [{ id: 'qwen3:8b' }, { id: 'llama4' }] }
const pairs = wires.flatMap(from => wires.flatMap(to => [false, true].map(stream => ({ from, to, stream }))))

describe.each(pairs)('$from to $to, stream: $stream', ({ from, to, stream }) => {
  const [path, body] = requests[from]
  const ask = async ({ post }: GatewayClient): Promise<{ status: number; error: Json }> => {
    const told = await post(path, { ...body, model: 'claude-x', stream })
    return { status: told.status, error: told.json().error as Json }
  }

  test('The error lists the models of the upstream and the line to add.', async () => {
    const { status, error } = await ask(without(to, listed))
    expect(status).toBe(404)
    expect(error.message).toContain('model not found, try pulling it first.')
    expect(error.message).toContain('has: qwen3:8b, llama4.')
    expect(error.message).toContain('"rename": { "claude-x": "qwen3:8b" }')
    expect(error.message).toContain('--model qwen3:8b')
  })

  test('A page that is no error of the wire is explained in the same way.', async () => {
    const { status, error } = await ask(without(to, listed, '<h1>404</h1>'))
    expect(status).toBe(404)
    expect(error.message).toContain('has: qwen3:8b, llama4.')
  })

  test.each([
    ['has the model', { data: [{ id: 'claude-x' }] }],
    ['lists nothing', { data: [] }],
    ['sends no list', { nothing: true }],
  ])('The error stays as it is where the upstream %s.', async (_, models) => {
    const { status, error } = await ask(without(to, models))
    expect(status).toBe(404)
    expect(error.message).toBe('model not found, try pulling it first')
  })
})

test('The line names what the client asked for, and the list what the upstream was asked for.', async () => {
  const { post } = without('chat', listed, undefined, { rename: { 'claude-*': 'gone' } })
  const told = await post('/v1/messages', { ...requests.messages[1], model: 'claude-x' })
  expect((told.json().error as Json).message).toContain('"rename": { "claude-x": "qwen3:8b" }')
})

/** Upstreams that make summaries themselves are asked for them in their own form, and nothing is made here. */
import { expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Upstream } from '../../../packages/toolwire/src/gateway/settings.ts'
import type { GatewayClient, Json } from '../../support/open-responses/gateway.ts'
import { clientOf, transportTo, upstreamTo } from '../../support/open-responses/gateway.ts'

interface Stage extends GatewayClient {
  readonly asked: { readonly path: string; readonly body: Json }[]
}

/** Upstreams that answer everything with one body. */
function open(
  upstreams: readonly { readonly wire: 'responses' | 'messages'; readonly answer: Json }[],
): Stage {
  const asked: { path: string; body: Json }[] = []
  const gateway = createGateway({
    upstreams: upstreams.map(({ wire, answer }, at): Upstream => {
      const ask: typeof fetch = async (url, init) => {
        asked.push({ path: new URL(String(url)).pathname, body: JSON.parse(String(init?.body)) })
        return Response.json(answer)
      }
      const name = `up${at}`
      return { ...upstreamTo(wire, transportTo(ask)), name, models: [`m${at}`] }
    }),
  })
  return { asked, ...clientOf(gateway) }
}

const item = { type: 'compaction', id: 'cmp_1', encrypted_content: 'cipher' }
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
const compacted = { id: 'r_1', object: 'response.compaction', created_at: 1, output: [item], usage }
const input = [{ role: 'user', content: 'Hello' }]

test('A Responses upstream gets the request for a shorter conversation at its own address.', async () => {
  const { post, asked } = open([{ wire: 'responses', answer: compacted }])
  const told = await post('/v1/responses/compact', { model: 'm0', input })
  expect(told.json()).toEqual(compacted)
  expect(asked).toEqual([{ path: '/v1/responses/compact', body: { model: 'm0', input } }])
})

test('A trigger and a threshold are passed on unchanged.', async () => {
  const response = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [item],
    usage,
  }
  const { post, asked } = open([{ wire: 'responses', answer: response }])
  for (const more of [
    { input: [...input, { type: 'compaction_trigger' }] },
    { input, context_management: [{ type: 'compaction', compact_threshold: 1 }] },
  ]) {
    const body = { model: 'm0', ...more }
    expect((await post('/v1/responses', body)).json()).toEqual(response)
    expect(asked.at(-1)).toEqual({ path: '/v1/responses', body })
  }
})

test('A Messages upstream is asked in its own form.', async () => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'compaction', content: 'Summary.', signature: 's', encrypted_content: null }],
    stop_reason: 'compaction',
  }
  const { post, asked } = open([{ wire: 'messages', answer: message }])
  const messages = [{ role: 'user', content: 'Hello' }]
  for (const more of [
    { compaction: { type: 'summarize' } },
    { context_management: { edits: [{ type: 'compact_20260112' }] } },
  ]) {
    const body = { model: 'm0', max_tokens: 9, messages, ...more }
    expect((await post('/v1/messages', body)).json()).toEqual(message)
    expect(asked.at(-1)?.body).toEqual(body)
  }
})

test('Of several upstreams on one wire each gets its own summary back, and another a note.', async () => {
  const { post, asked } = open([
    { wire: 'responses', answer: compacted },
    { wire: 'responses', answer: compacted },
  ])
  const told = await post('/v1/responses/compact', { model: 'm0', input })
  const [sealed] = told.json().output as readonly Json[]
  expect(sealed).toMatchObject({ type: 'compaction', id: 'cmp_1' })
  expect(sealed?.encrypted_content).not.toBe('cipher')
  expect(told.json()).toEqual({ ...compacted, output: [sealed] })
  await post('/v1/responses', { model: 'm0', input: [sealed, ...input] })
  expect(asked.at(-1)?.body.input).toEqual([item, ...input])
  await post('/v1/responses', { model: 'm1', input: [sealed, ...input] })
  expect(JSON.stringify(asked.at(-1)?.body)).toContain('which cannot be read')
})

test('A server that is known to make no summaries is not asked for them, and of one that is said to it is told what to do.', async () => {
  const paths: string[] = []
  const ask: typeof fetch = async url => {
    paths.push(new URL(String(url)).pathname)
    return Response.json({ error: { message: 'Not found' } }, { status: 404 })
  }
  for (const preset of ['lmstudio', 'vllm', undefined]) {
    const stated = preset === undefined ? { profile: { compacts: true } } : { preset }
    const upstream = { ...upstreamTo('responses', transportTo(ask)), ...stated }
    const { post } = clientOf(createGateway({ upstreams: [upstream] }))
    const told = await post('/v1/responses/compact', { model: 'm', input })
    expect(told.status).toBe(404)
    expect(paths.filter(path => path.includes('responses')).at(-1)).toBe(
      preset === undefined ? '/v1/responses/compact' : '/v1/responses',
    )
    expect(told.text.includes('compacts')).toBe(preset === undefined)
  }
})

/** The openai client with responses and conversations that are kept by the upstream, and not by the gateway. */
import { says } from '@toolwire/core/testing'
import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createFetchHandler } from '../../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import { openHarness, transportTo, upstreamTo } from '../../support/open-responses/gateway.ts'

const keys = ['ann-key-0123456789', 'bob-key-0123456789']

function open(): readonly OpenAI[] {
  const upstream = openHarness('chat', ({ user }) => says(`You said ${user}`), { allowedHosts: ['*'] })
  const inner = createFetchHandler(upstream.gateway)
  const transport = transportTo((url, init) => inner(new Request(url, init)))
  const gateway = createGateway({
    keys,
    allowedHosts: ['*'],
    upstreams: [upstreamTo('responses', transport)],
  })
  const outer = createFetchHandler(gateway)
  return keys.map(
    apiKey =>
      new OpenAI({
        apiKey,
        baseURL: 'http://gateway/v1',
        maxRetries: 0,
        fetch: (url, init) => outer(new Request(url, init)),
      }),
  )
}

test('The openai client follows a background response at the upstream, and hears its events from any number on.', async () => {
  const [ann, bob] = open()
  if (ann === undefined || bob === undefined) throw new Error('There are two clients.')
  const begun = await ann.responses.create({ model: 'm', input: 'one', background: true, stream: true })
  const numbers: number[] = []
  let id = ''
  for await (const event of begun) {
    numbers.push(event.sequence_number)
    if (event.type === 'response.created') id = event.response.id
  }
  const rest: number[] = []
  for await (const event of await ann.responses.retrieve(id, { stream: true, starting_after: 2 }))
    rest.push(event.sequence_number)
  expect(rest).toEqual(numbers.slice(3))
  const receipt = await ann.responses.create({ model: 'm', input: 'two', background: true })
  await expect.poll(async () => (await ann.responses.retrieve(receipt.id)).status).toBe('completed')
  expect((await ann.responses.retrieve(receipt.id)).output_text).toBe('You said two')
  expect((await ann.responses.cancel(receipt.id)).status).toBe('completed')
  expect((await ann.responses.inputItems.list(receipt.id)).data).toHaveLength(1)
  await expect(bob.responses.retrieve(receipt.id)).rejects.toThrow(OpenAI.NotFoundError)
  await expect(bob.responses.cancel(receipt.id)).rejects.toThrow(OpenAI.NotFoundError)
  await ann.responses.delete(receipt.id)
  await expect(ann.responses.retrieve(receipt.id)).rejects.toThrow(OpenAI.NotFoundError)
})

test('The openai client keeps a conversation at the upstream.', async () => {
  const [ann, bob] = open()
  if (ann === undefined || bob === undefined) throw new Error('There are two clients.')
  const { id } = await ann.conversations.create({ metadata: { topic: 'x' } })
  for (const input of ['one', 'two']) await ann.responses.create({ model: 'm', input, conversation: id })
  const texts: string[] = []
  for await (const item of ann.conversations.items.list(id, { order: 'asc' }))
    texts.push(JSON.stringify(item))
  expect(texts).toHaveLength(4)
  expect(texts[3]).toContain('You said two')
  await expect(bob.conversations.retrieve(id)).rejects.toThrow(OpenAI.NotFoundError)
  await expect(bob.responses.create({ model: 'm', input: 'x', conversation: id })).rejects.toThrow(
    'not found',
  )
  expect((await ann.conversations.delete(id)).deleted).toBe(true)
})

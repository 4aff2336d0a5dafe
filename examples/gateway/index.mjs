/**
 * A gateway between clients of all three wires and a model that speaks only Messages, with a tool that the gateway runs
 * itself. Run it with `npm run build && node examples/gateway/index.mjs`; a scripted model plays the server, on loopback.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { defineTool } from '@toolwire/core'
import { calls, createScriptedModel, says } from '@toolwire/core/testing'
import { createGateway, createNodeServer } from 'toolwire/gateway'

// The server: a model on the Messages wire that asks for the time when it has not been told.
const model = createScriptedModel({
  wire: 'messages',
  script: ({ results }) =>
    results.length === 0 ? calls({ name: 'now', arguments: {} }) : says(`It is ${results.at(-1)?.text}.`),
})
const modelServer = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const answer = await model.fetch('http://model/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.concat(chunks),
  })
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(Buffer.from(await answer.arrayBuffer()))
})

async function listen(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${server.address().port}`
}

const gateway = createGateway({
  upstreams: [{ name: 'model', wire: 'messages', baseUrl: `${await listen(modelServer)}/v1` }],
  tools: [defineTool({ name: 'now', description: 'The time', handler: () => 'noon' })],
})
const gatewayServer = createNodeServer(gateway)
const base = await listen(gatewayServer)

async function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(base + path, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'any', ...body }),
  })
  return await answer.json()
}

const question = 'What time is it?'
const messages = [{ role: 'user', content: question }]
const chat = await post('/v1/chat/completions', { messages })
const responses = await post('/v1/responses', { input: question })
const own = await post('/v1/messages', { max_tokens: 100, messages })

console.log('Chat client:     ', chat.choices[0].message.content)
console.log('Responses client:', responses.output[0].content[0].text)
console.log('Messages client: ', own.content[0].text)
assert.equal(chat.choices[0].message.content, 'It is noon.')
assert.equal(responses.output[0].content[0].text, 'It is noon.')
assert.equal(own.content[0].text, 'It is noon.')
assert.equal(
  model.requests.length,
  6,
  'The gateway asked twice for each client: before and after it ran the tool.',
)

await gateway.close()
gatewayServer.close()
modelServer.close()

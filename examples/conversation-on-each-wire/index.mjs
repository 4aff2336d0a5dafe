/**
 * One conversation of several turns, the same on each of the three wires: the model asks for two things at once, then
 * for a third, and answers; then the user asks again, from the saved state. Run it with
 * `npm run build && node examples/conversation-on-each-wire/index.mjs`. A scripted model plays the server; with a real
 * one, `send` would be `body => client.responses.create(body)` or a `fetch`.
 */
import assert from 'node:assert/strict'
import { defineTool, runConversation } from '@toolwire/core'
import { calls, createScriptedModel, says } from '@toolwire/core/testing'

const stock = { apples: 12, pears: 0, plums: 7 }
const look = defineTool({
  name: 'look_up_stock',
  description: 'How many of a fruit there are',
  parameters: { type: 'object', properties: { fruit: { type: 'string' } }, required: ['fruit'] },
  handler: ({ fruit }) => {
    if (!Object.hasOwn(stock, fruit)) throw new Error(`There is no shelf for ${fruit}.`)
    return { fruit, count: stock[fruit] }
  },
})

const ask = fruit => ({ name: look.name, arguments: { fruit } })

/** How each wire begins the same conversation. */
const requests = {
  chat: { model: 'shop', messages: [{ role: 'user', content: 'Which fruit can I buy?' }] },
  responses: { model: 'shop', input: 'Which fruit can I buy?' },
  messages: {
    model: 'shop',
    max_tokens: 500,
    messages: [{ role: 'user', content: 'Which fruit can I buy?' }],
  },
}

for (const wire of ['chat', 'responses', 'messages']) {
  const model = createScriptedModel({
    wire,
    script: [
      calls(ask('apples'), ask('kiwis')),
      calls(ask('plums')),
      says('Apples and plums. There are no kiwis.'),
      calls(ask('pears')),
      says('No pears, sorry.'),
    ],
  })
  console.log(`\n${wire}`)
  const show = event => {
    if (event.type === 'call-finished')
      console.log(`  ${event.outcome.call.arguments} → ${event.outcome.status}`)
    if (event.type === 'round-finished') console.log(`  round ${event.round}: ${event.finish.reason}`)
  }
  const first = await runConversation({
    wire,
    request: requests[wire],
    send: model.send,
    tools: [look],
    stream: true,
    onEvent: show,
  })
  console.log(`  “${first.text}”`)
  assert.equal(first.reason, 'answer')
  assert.equal(first.rounds, 3)
  assert.deepEqual(
    first.outcomes.map(round => round.map(({ status }) => status)),
    [['ok', 'failed'], ['ok'], []],
  )

  // The state is plain JSON, so it can wait in a file or a database.
  const state = JSON.parse(JSON.stringify(first.state))
  const second = await runConversation({
    state,
    input: 'And pears?',
    send: model.send,
    tools: [look],
    onEvent: show,
  })
  console.log(`  “${second.text}”`)
  assert.equal(second.text, 'No pears, sorry.')
  assert.deepEqual(model.requests.at(-1)?.unansweredCalls, [], 'Every call in the history has its result.')
  model.assertDone()
}

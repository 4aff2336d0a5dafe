/** The strict passes are injected: what an exchange does with them, and what it reports without them. */
import { expect, test } from 'vitest'
import { createExchange as createNamedExchange } from '../create-exchange.ts'
import { chat, createExchange, messages } from '../exchange.ts'
import { strictPasses } from '../schema/strict/passes.ts'

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const request = {
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  tools: [{ type: 'function', function: { name: 'f', parameters: schema, strict: true } }],
  response_format: { type: 'json_schema', json_schema: { name: 'o', schema, strict: true } },
}
const ids = { newId: (prefix: string) => `${prefix}1`, now: () => 0 }

test('With the passes, an exchange of definitions gives what the main entry point gives.', () => {
  const injected = createExchange({ ...ids, from: chat, to: messages, strictPasses }).request(request)
  expect(injected).toEqual(createNamedExchange({ ...ids, from: 'chat', to: 'messages' }).request(request))
  expect(injected.value).toMatchObject({ tools: [{ name: 'f', strict: true }] })
})

test('Without the passes, a strict tool and a strict format are no longer strict, and both are reported.', () => {
  const { value, diagnostics } = createExchange({ ...ids, from: chat, to: messages }).request(request)
  expect(value).not.toMatchObject({ tools: [{ strict: true }] })
  const dropped = diagnostics.filter(({ code }) => code === 'strict_dropped').map(({ path }) => path)
  expect(dropped).toEqual([['tools', 0, 'function', 'strict'], expect.arrayContaining(['response_format'])])
})

test('Rewriting schemas without the passes is refused with the remedy.', () => {
  const options = { from: chat, to: messages, strict: 'strictify' } as const
  expect(() => createExchange(options)).toThrow('needs "strictPasses"')
})

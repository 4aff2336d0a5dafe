/** Creating an exchange: its options, its functions, and when it is a passthrough. */
import { expect, test } from 'vitest'
import type { ExchangeOptions } from '../create-exchange.ts'
import { createExchange } from '../create-exchange.ts'

const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }

test.each<[string, object]>([
  ['from', { from: 'morse' }],
  ['to', { to: 'morse' }],
  ['strict', { strict: 'very' }],
  ['misplacedStrict', { misplacedStrict: 'yes' }],
  ['unknownTools', { unknownTools: 'keep' }],
  ['hostedTools', { hostedTools: 'keep' }],
  ['hostedTools.web_search', { hostedTools: { web_search: 'keep' } }],
  ['profile.nameMaxLength', { profile: { nameMaxLength: 4 } }],
  ['profile.nameCharacters', { profile: { nameCharacters: 'a-z' } }],
  ['profile.customTools', { to: 'messages', profile: { customTools: true } }],
])('A wrong "%s" throws when the exchange is created.', (name, wrong) => {
  const options = { from: 'chat', to: 'chat', ...wrong } as ExchangeOptions
  expect(() => createExchange(options)).toThrow(TypeError)
  expect(() => createExchange(options)).toThrow(`"${name}"`)
})

test('The functions of an exchange can be destructured.', () => {
  const {
    request,
    response,
    failure,
    stream,
    serverCallRecord: remember,
    next,
  } = createExchange({ from: 'chat', to: 'chat' })
  expect(request(hello).value).toEqual(hello)
  expect(response({ choices: [] }).status).toBe(200)
  expect(failure({ kind: 'server', message: 'x' }).status).toBe(500)
  expect(stream().serverCalls).toEqual([])
  expect(remember([])).toBeUndefined()
  expect(() => next([])).toThrow('"next" needs an answer')
})

test('An exchange stays a passthrough until another request is made.', () => {
  const exchange = createExchange({ from: 'chat', to: 'chat' })
  expect(exchange.isPassthrough).toBe(false)
  exchange.request(hello)
  expect([exchange.isPassthrough, exchange.isPassthrough]).toEqual([true, true])
  exchange.request({ ...hello, tools: [{ name: 'f', parameters: {}, type: 'function' }] })
  expect([exchange.isPassthrough, exchange.isPassthrough]).toEqual([false, false])
  exchange.request(hello)
  expect(exchange.isPassthrough).toBe(true)
})

/** Chat asks for a web search beside its tools; elsewhere it is one of them. */
import { describe, expect, test } from 'vitest'
import type { ExchangeOptions } from '../create-exchange.ts'
import { createExchange } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'

const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }
const place = { city: 'Brno', country: 'CZ' }
const options = {
  search_context_size: 'low',
  user_location: { type: 'approximate', approximate: place },
}

function convert(body: JsonObject, more: Pick<ExchangeOptions, 'to'> & Partial<ExchangeOptions>) {
  const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...body }
  const { value, diagnostics } = createExchange({ from: 'chat', ...more }).request(request)
  const told = diagnostics.map(({ code, path }) => `${code} ${path.join('.')}`)
  return { value, told: told.filter(text => !text.startsWith('output_limit')) }
}

describe('web_search_options', () => {
  test('are a tool of Responses, with what both can say', () => {
    const { value, told } = convert({ tools: [weather], web_search_options: options }, { to: 'responses' })
    expect(value.tools).toEqual([
      expect.objectContaining({ type: 'function', name: 'weather' }),
      {
        type: 'web_search',
        search_context_size: 'low',
        user_location: { type: 'approximate', ...place },
      },
    ])
    expect(value).not.toHaveProperty('web_search_options')
    expect(told).toEqual(['hosted_tool_mapped web_search_options'])
  })

  test('are a tool of Messages, which has no word for the size of the context', () => {
    const { value, told } = convert({ web_search_options: options }, { to: 'messages' })
    expect(value.tools).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        user_location: { type: 'approximate', ...place },
      },
    ])
    expect(told).toEqual([
      'hosted_tool_mapped web_search_options',
      'field_dropped web_search_options.search_context_size',
    ])
  })

  test.each<JsonObject>([
    { web_search_options: options },
    { web_search_options: {} },
    { web_search_options: null },
    { web_search_options: 'yes' },
    { web_search_options: { user_location: null, newer: 1 } },
    { tools: [], web_search_options: options },
    { tools: [weather], web_search_options: options, tool_choice: 'required' },
    { functions: [weather.function], web_search_options: options },
  ])('go back to their own wire as they were: %j', body => {
    const { value, told } = convert(body, { to: 'chat' })
    expect(value).toMatchObject(body)
    expect(Object.hasOwn(value, 'tools')).toBe(Object.hasOwn(body, 'tools'))
    expect(told.filter(text => !text.startsWith('legacy'))).toEqual([])
  })

  test('keep what only Chat has there, and it is spoken of elsewhere', () => {
    const odd = { newer: 1, user_location: { type: 'approximate', approximate: place, exact: true } }
    const { told } = convert({ web_search_options: odd }, { to: 'responses' })
    expect(told).toEqual([
      'hosted_tool_mapped web_search_options',
      'field_dropped web_search_options.newer',
      'field_dropped web_search_options.user_location.exact',
    ])
  })

  test('are dropped and reported where the target searches nothing', () => {
    const profile = { webSearch: false }
    const { value, told } = convert({ web_search_options: options }, { to: 'responses', profile })
    expect(value).not.toHaveProperty('tools')
    expect(told).toEqual(['hosted_tool_dropped web_search_options'])
  })

  test('leave no empty list behind on their own wire, nor a choice among nothing', () => {
    const body = { web_search_options: {}, tool_choice: 'required', parallel_tool_calls: false }
    const { value } = convert(body, { to: 'chat', hostedTools: 'drop' })
    expect(Object.keys(value)).toEqual(['model', 'messages'])
  })

  test.each(['chat', 'messages'] as const)('can be given to a handler, on the way to %s', to => {
    const { value } = convert({ web_search_options: {} }, { to, hostedTools: { web_search: 'handler' } })
    expect(value.tools).toMatchObject([
      to === 'chat' ? { function: { name: 'web_search' } } : { name: 'web_search' },
    ])
    expect(value).not.toHaveProperty('web_search_options')
  })
})

test('the size of the context stays with a search of Responses, and is dropped by Messages', () => {
  const search = { type: 'web_search', search_context_size: 'high' }
  const { value, diagnostics } = createExchange({ from: 'responses', to: 'messages' }).request({
    model: 'm',
    input: 'hi',
    tools: [search],
  })
  expect(value.tools).toEqual([{ type: 'web_search_20250305', name: 'web_search' }])
  expect(diagnostics).toContainEqual(
    expect.objectContaining({ code: 'field_dropped', path: ['tools', 0, 'search_context_size'] }),
  )
})

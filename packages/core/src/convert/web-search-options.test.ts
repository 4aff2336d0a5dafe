/** Chat requests a web search in a separate field; on other wires it is one of the tools. */
import { describe, expect, test } from 'vitest'
import type { ExchangeOptions } from '../create-exchange.ts'
import { createExchange } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'

const parameters = { type: 'object', properties: {} }
const weather = { type: 'function', function: { name: 'weather', parameters } }
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
  test('The web_search_options of Chat become a tool on Responses, with the fields that both have.', () => {
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

  test('The web_search_options of Chat become a tool on Messages, which has no field for the context size.', () => {
    const { value, told } = convert(
      { web_search_options: options },
      { to: 'messages', profile: { cachesOnRequest: false } },
    )
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
  ])('The request %j is unchanged on its own wire.', body => {
    const { value, told } = convert(body, { to: 'chat' })
    expect(value).toMatchObject(body)
    expect(Object.hasOwn(value, 'tools')).toBe(Object.hasOwn(body, 'tools'))
    expect(told.filter(text => !text.startsWith('legacy'))).toEqual([])
  })

  test('Unknown fields of web_search_options stay on Chat and are reported elsewhere.', () => {
    const odd = { newer: 1, user_location: { type: 'approximate', approximate: place, exact: true } }
    const { told } = convert({ web_search_options: odd }, { to: 'responses' })
    expect(told).toEqual([
      'hosted_tool_mapped web_search_options',
      'field_dropped web_search_options.newer',
      'field_dropped web_search_options.user_location.exact',
    ])
  })

  test('The web_search_options are dropped and reported if the target has no web search.', () => {
    const profile = { webSearch: false }
    const { value, told } = convert({ web_search_options: options }, { to: 'responses', profile })
    expect(value).not.toHaveProperty('tools')
    expect(told).toEqual(['hosted_tool_dropped web_search_options'])
  })

  test('Dropped web_search_options leave no empty list of tools and no choice on their own wire.', () => {
    const body = { web_search_options: {}, tool_choice: 'required', parallel_tool_calls: false }
    const { value } = convert(body, { to: 'chat', hostedTools: 'drop' })
    expect(Object.keys(value)).toEqual(['model', 'messages'])
  })

  test.each(['chat', 'messages'] as const)(
    'The web_search_options can be given to a handler on the way to %s.',
    to => {
      const { value } = convert({ web_search_options: {} }, { to, hostedTools: { web_search: 'handler' } })
      expect(value.tools).toMatchObject([
        to === 'chat' ? { function: { name: 'web_search' } } : { name: 'web_search' },
      ])
      expect(value).not.toHaveProperty('web_search_options')
    },
  )
})

test('The context size stays in a search on Responses and is dropped on Messages.', () => {
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

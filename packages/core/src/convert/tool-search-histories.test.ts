/** Searches for tools in the history of a Responses client: pairs stay pairs, and what was found is declared. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json/object.ts'
import { builtInConversations } from '../wires/registry.ts'
import { functionsOf, open } from './calls.test-helper.ts'

const parameters = { type: 'object', properties: {} }
const found = { type: 'function', name: 'get_weather', description: 'd', parameters, strict: false }
const search = { type: 'tool_search', execution: 'client', description: 'Finds tools', parameters }
const call = { type: 'tool_search_call', execution: 'client', arguments: { query: 'weather' } }
const output = { type: 'tool_search_output', execution: 'client', tools: [found] }

const pairs: readonly (readonly [what: string, call: JsonObject, output: JsonObject])[] = [
  ['with ids', { ...call, call_id: 'c1', id: 'tsc_1' }, { ...output, call_id: 'c1', id: 'tso_1' }],
  ['with an id on the call alone', { ...call, call_id: 'c1' }, { ...output, call_id: null }],
  ['with an item id alone', { ...call, id: 'tsc_1' }, output],
  ['without ids', call, output],
  [
    'with arguments as text',
    { ...call, call_id: 'c1', arguments: '{"query":"weather"}' },
    { ...output, call_id: 'c1' },
  ],
  [
    'with arguments that are no JSON',
    { ...call, call_id: 'c1', arguments: 'weather' },
    { ...output, call_id: 'c1' },
  ],
  ['without arguments', { ...call, call_id: 'c1', arguments: null }, { ...output, call_id: 'c1' }],
  ['that found nothing', { ...call, call_id: 'c1' }, { ...output, call_id: 'c1', tools: [] }],
]

describe.each(['chat', 'messages'] as const)('to %s', to => {
  const convert = (items: readonly JsonObject[], tools: readonly JsonObject[]) => {
    const later = [
      { type: 'function_call', call_id: 'c2', name: 'get_weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c2', output: 'sunny' },
    ]
    const input = [{ role: 'user', content: 'hi' }, ...items, ...later]
    const { value, diagnostics } = open({ from: 'responses', to }).request({ model: 'm', input, tools })
    const { turns } = builtInConversations[to].decodeRequest(value, () => undefined)
    const parts = turns.flatMap(turn => turn.parts)
    return {
      calls: parts.flatMap(part => (part.kind === 'call' ? [[part.name, part.id]] : [])),
      results: parts.flatMap(part => (part.kind === 'result' ? [part.callId] : [])),
      tools: functionsOf(to, value).map(({ name }) => name),
      errors: diagnostics.filter(({ severity }) => severity === 'error'),
      lost: diagnostics.filter(({ code }) => code === 'part_dropped').map(({ path }) => path),
    }
  }

  test.each(pairs)(
    'A search %s stays a call with its result, and its finds are declared.',
    (_, asked, answered) => {
      const { calls, results, tools, errors } = convert([asked, answered], [search])
      expect(errors).toEqual([])
      expect(calls.map(([name]) => name)).toEqual(['tool_search', 'get_weather'])
      expect(results).toEqual(calls.map(([, id]) => id))
      expect(tools).toEqual(
        (answered.tools as []).length === 0 ? ['tool_search'] : ['tool_search', 'get_weather'],
      )
    },
  )

  test('Two searches without ids keep their own results.', () => {
    const { calls, results } = convert([call, output, call, output], [search])
    expect(new Set(calls.map(([, id]) => id)).size).toBe(3)
    expect(results).toEqual(calls.map(([, id]) => id))
  })

  test('A search that the provider ran is left out as a pair; what it found stays declared.', () => {
    const server = { execution: 'server', call_id: null }
    const { calls, results, tools, errors, lost } = convert(
      [
        { ...call, ...server, id: 'tsc_1' },
        { ...output, ...server, id: 'tso_1' },
      ],
      [{ type: 'tool_search' }],
    )
    expect([errors, results]).toEqual([[], ['c2']])
    expect(calls).toEqual([['get_weather', 'c2']])
    expect(tools).toEqual(['get_weather'])
    expect(lost).toEqual([
      ['input', 1],
      ['input', 2],
    ])
  })

  test('The last declaration of a tool counts, and equal ones are one.', () => {
    const newer = { ...found, description: 'newer' }
    const { tools, errors } = convert([call, output, call, { ...output, tools: [newer] }], [found, search])
    expect([tools, errors]).toEqual([['get_weather', 'tool_search'], []])
  })
})

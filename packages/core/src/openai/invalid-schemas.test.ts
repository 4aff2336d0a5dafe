/** Schemas that every server refuses: thrown if the caller wants that, reported in any case. */
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../model/diagnostic.ts'
import { InvalidToolError } from './errors.ts'
import { convertToOpenAIRequest } from './request.ts'
import { convertToolsToOpenAIFormat, createToolsJsonForResponsesApi } from './tool-formats.ts'

const toolWith = (parameters: object) => ({
  type: 'function',
  function: { name: 'f', description: 'Does it.', parameters },
})
const invalid: readonly [object, string, readonly unknown[]][] = [
  [{ properties: 5 }, 'schema_keyword_invalid', ['properties']],
  [{ required: 'x' }, 'schema_keyword_invalid', ['required']],
  [{ type: 'frob' }, 'schema_type_unknown', ['type']],
  [
    { type: 'object', properties: { a: { type: 'frob' } } },
    'schema_type_unknown',
    ['properties', 'a', 'type'],
  ],
  [{ type: 'object', required: ['a', 1] }, 'schema_keyword_invalid', ['required', 1]],
  [{ anyOf: [] }, 'schema_keyword_invalid', ['anyOf']],
  [
    { type: 'object', properties: { a: { type: 'float' } } },
    'schema_type_unknown',
    ['properties', 'a', 'type'],
  ],
  [{ type: 'object', properties: { a: { type: [] } } }, 'schema_type_unknown', ['properties', 'a', 'type']],
  [{ type: 'object', properties: { a: 5 } }, 'schema_keyword_invalid', ['properties', 'a']],
  [
    { type: 'object', properties: { a: { enum: 'x' } } },
    'schema_keyword_invalid',
    ['properties', 'a', 'enum'],
  ],
]
type Options = { onInvalid?: 'throw' | 'drop'; onDiagnostic?: (diagnostic: Diagnostic) => void }
const functions: readonly [string, (tool: object, options: Options) => unknown][] = [
  ['createToolsJsonForResponsesApi', (tool, options) => createToolsJsonForResponsesApi([tool], options)],
  ['convertToolsToOpenAIFormat', (tool, options) => convertToolsToOpenAIFormat([tool], options)],
  ['convertToOpenAIRequest', (tool, options) => convertToOpenAIRequest({ tools: [tool] }, options).tools],
]

describe.each(functions)('%s', (_, convert) => {
  test.each(invalid)('It refuses the parameters %j with onInvalid: throw. [S000.11]', (parameters, code) => {
    const thrown = (): unknown => convert(toolWith(parameters), { onInvalid: 'throw' })
    expect(thrown).toThrow(InvalidToolError)
    expect(thrown).toThrow(/^Tool must have valid function\.parameters/)
    expect(thrown).toThrow(expect.objectContaining({ code, index: 0 }))
  })

  test.each(invalid)(
    'It reports the parameters %j otherwise, and passes them on. [S000.11]',
    (parameters, code, at) => {
      const diagnostics: Diagnostic[] = []
      const written = convert(toolWith(parameters), { onDiagnostic: one => diagnostics.push(one) })
      expect(JSON.stringify(written)).toContain(JSON.stringify(parameters).slice(1, -1))
      const [found] = diagnostics.filter(one => one.code === code)
      expect(found?.path.slice(-at.length)).toEqual(at)
    },
  )

  test('It accepts a schema in a dialect that servers understand.', () => {
    const tool = toolWith({
      type: 'object',
      properties: { a: { type: ['string', 'null'] } },
      required: ['a'],
    })
    const diagnostics: Diagnostic[] = []
    convert(tool, { onInvalid: 'throw', onDiagnostic: one => diagnostics.push(one) })
    expect(diagnostics.filter(({ code }) => code.startsWith('schema_'))).toEqual([])
  })
})

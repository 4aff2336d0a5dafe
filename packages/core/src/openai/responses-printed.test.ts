import { describe, expect, it } from 'vitest'
import { createToolsJsonForResponsesApi } from './index.ts'

describe('seed 000, the printed tests', () => {
  it('[S000.20][C1] should transform nested function definition to flat structure', () => {
    const input = [
      {
        type: 'function',
        function: {
          name: 'browser_dom',
          description: 'Interact with DOM elements',
          parameters: { type: 'object', properties: { action: { type: 'string' } } },
        },
      },
    ]
    const output = createToolsJsonForResponsesApi(input)
    expect(output).toEqual([
      {
        type: 'function',
        name: 'browser_dom',
        description: 'Interact with DOM elements',
        strict: false,
        parameters: { type: 'object', properties: { action: { type: 'string' } } },
      },
    ])
    expect(output[0]).not.toHaveProperty('function')
  })

  it('[S000.21] should preserve strict field when present', () => {
    const input = [
      {
        type: 'function',
        function: { name: 'test_tool', description: 'Test', strict: true, parameters: {} },
      },
    ]
    const output = createToolsJsonForResponsesApi(input)
    expect(output[0]?.strict).toBe(true)
  })

  it('[S000.22][C4][C5] should filter out invalid tools', () => {
    const input = [
      { type: 'function', function: { name: 'valid', description: 'Valid tool', parameters: {} } },
      { type: 'function', function: { name: 'invalid' } }, // Missing description
      { type: 'function' }, // Missing function object
      null,
      undefined,
    ]
    const output = createToolsJsonForResponsesApi(input)
    expect(output).toHaveLength(1)
    expect(output[0]?.name).toBe('valid')
  })

  it('[S000.23][S000.9][C3] should preserve complex parameters schema', () => {
    const complexSchema = {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['query', 'click'] },
        selector: { type: 'string' },
        options: { type: 'object', properties: { timeout: { type: 'number', default: 5000 } } },
      },
      required: ['action'],
      additionalProperties: false,
    }
    const input = [
      {
        type: 'function',
        function: { name: 'dom_tool', description: 'DOM operations', parameters: complexSchema },
      },
    ]
    const output = createToolsJsonForResponsesApi(input)
    expect(output[0]?.parameters).toEqual(complexSchema)
    expect(JSON.stringify(output[0]?.parameters)).toBe(JSON.stringify(complexSchema))
  })
})

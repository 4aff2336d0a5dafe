/** The public surface is a promise: a change here is a change for users and belongs in the changelog. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../support/source.ts'

const surface = {
  '.': [
    'ToolError',
    'ToolRegistry',
    'convertToolParams',
    'convertTools',
    'createExchange',
    'defineTool',
    'detectWire',
    'encodeTools',
  ],
  './schema': [
    'checkStrict',
    'createValidator',
    'inlineRefs',
    'messagesStrictRules',
    'minify',
    'normalize',
    'openaiStrictRules',
    'strictify',
    'toChatDialect',
    'toMessagesDialect',
  ],
  './lint': ['lintToolParams', 'lintTools'],
  './openai': [
    'InvalidToolError',
    'convertJsonSchemaToOpenAI',
    'convertToOpenAIRequest',
    'convertToolsToOpenAIFormat',
    'createToolSchemas',
    'createToolsJsonForResponsesApi',
    'toolSchemasForOpenAI',
    'toolSchemasForResponses',
  ],
  './diagnostics': ['catalog', 'catalogGroups', 'severities'],
}

const { exports } = JSON.parse(readFileSync(`${root}packages/core/package.json`, 'utf8')) as {
  exports: Record<string, unknown>
}

test('core publishes these entry points', () => {
  expect(Object.keys(exports)).toEqual([
    '.',
    './schema',
    './lint',
    './openai',
    './diagnostics',
    './package.json',
  ])
})

test.each(Object.entries(surface))('%s exports these names', async (entry, names) => {
  const path = entry === '.' ? 'index.ts' : `${entry.slice(2)}/index.ts`
  const module: object = await import(`${root}packages/core/src/${path}`)
  expect(Object.keys(module).sort()).toEqual(names)
})

/** The public surface is a promise: a change here is a change for users and belongs in the changelog. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../support/house/source.ts'

const surface = {
  '.': [
    'FatalToolError',
    'ModelError',
    'ToolError',
    'ToolRegistry',
    'connectModel',
    'convertToolParams',
    'convertTools',
    'createExchange',
    'defineTool',
    'detectWire',
    'encodeTools',
    'parseArguments',
    'runConversation',
    'runToolCalls',
    'toolResult',
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
    'FailedResponseError',
    'InvalidToolError',
    'ToolManager',
    'convertJsonSchemaToOpenAI',
    'convertToOpenAIRequest',
    'convertToolsToOpenAIFormat',
    'createToolSchemas',
    'createToolsJsonForResponsesApi',
    'toolSchemasForOpenAI',
    'toolSchemasForResponses',
  ],
  './diagnostics': ['catalog', 'catalogGroups', 'severities'],
  './steps': ['StepError', 'defineFlow', 'defineStep', 'genericOutput', 'runFlow', 'runStep'],
  './presets': [
    'hosts',
    'imageRules',
    'modelEncodings',
    'modelLimits',
    'toolPrompts',
    'usualImageRule',
    'usualToolPrompt',
  ],
  './tokens': [
    'calculateOptimalTokens',
    'calculateToolTokens',
    'countRequest',
    'countTools',
    'counterForModel',
    'encodingOfModel',
    'estimateCounter',
    'loadCounter',
    'modelLimits',
    'planTokens',
    'tokenPolicies',
    'trimHistory',
  ],
  './testing': [
    'ConnectionError',
    'LawError',
    'SampleError',
    'ScriptError',
    'ScriptedRefusal',
    'assertToolLaws',
    'calls',
    'createScriptedModel',
    'createTestHost',
    'exchangeLaws',
    'fails',
    'sampleFromSchema',
    'says',
    'toolLaws',
    'trySample',
  ],
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
    './steps',
    './presets',
    './tokens',
    './testing',
    './package.json',
  ])
})

test.each(Object.entries(surface))('%s exports these names', async (entry, names) => {
  const path = entry === '.' ? 'index.ts' : `${entry.slice(2)}/index.ts`
  const module: object = await import(`${root}packages/core/src/${path}`)
  expect(Object.keys(module).sort()).toEqual(names)
})

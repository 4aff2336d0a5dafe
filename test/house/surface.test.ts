/** The public surface is a promise: a change here is a change for users and belongs in the changelog. */
import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../support/house/source.ts'

const surface = {
  '.': [
    'FatalToolError',
    'ModelError',
    'ToolError',
    'ToolRegistry',
    'builtInWires',
    'checkProfile',
    'connectModel',
    'convertToolParams',
    'convertTools',
    'createExchange',
    'defineTool',
    'defineWire',
    'detectWire',
    'emptyAnswer',
    'encodeError',
    'encodeTools',
    'envelopeMark',
    'parseArguments',
    'profileFor',
    'runConversation',
    'runToolCalls',
    'toolResult',
  ],
  './exchange': ['chat', 'createExchange', 'messages', 'responses'],
  './tools': ['chat', 'convertToolParams', 'convertTools', 'encodeTools', 'mcp', 'messages', 'responses'],
  './run': [
    'ToolRegistry',
    'chat',
    'defineTool',
    'messages',
    'responses',
    'runConversation',
    'runRounds',
    'runToolCalls',
  ],
  './schema': [
    'checkStrict',
    'createValidator',
    'inlineRefs',
    'messagesStrictRules',
    'minify',
    'normalize',
    'openaiStrictRules',
    'strictPasses',
    'strictify',
    'toChatDialect',
    'toMessagesDialect',
  ],
  './json': [
    'append',
    'closingQuote',
    'compact',
    'countJsonNodes',
    'createJsonMeter',
    'isObject',
    'isSame',
    'jsonExcess',
    'jsonString',
    'measureJson',
    'omit',
    'own',
    'parseJson',
    'refuseUnknownOptions',
    'setOwn',
    'skipSpace',
    'valueEnd',
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
  './diagnostics': ['catalog', 'catalogGroups', 'nearestNames', 'severities', 'severitiesAsIs'],
  './steps': ['StepError', 'defineFlow', 'defineStep', 'genericOutput', 'runFlow', 'runStep'],
  './presets': [
    'costOf',
    'hostAt',
    'hosts',
    'imageRules',
    'modelEncodings',
    'modelFacts',
    'modelLimits',
    'priceOf',
    'prices',
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
  './wires': [
    'bodyFields',
    'createFieldReader',
    'defineWire',
    'fillPath',
    'finishEvent',
    'into',
    'isMcpList',
    'matchPath',
    'mcpTools',
    'openaiFraming',
    'openaiLimits',
    'parsePath',
    'permissiveProfile',
    'reportResidue',
    'restoreMissingOrReport',
    'restoreOrReport',
    'schemaParts',
    'show',
    'splitPath',
    'sseFrames',
    'startEvent',
    'textDelta',
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

test('Core publishes the listed entry points and no others.', () => {
  expect(Object.keys(exports)).toEqual([
    '.',
    './exchange',
    './tools',
    './run',
    './schema',
    './json',
    './lint',
    './openai',
    './diagnostics',
    './steps',
    './presets',
    './tokens',
    './wires',
    './testing',
    './package.json',
  ])
})

test.each(Object.entries(surface))(
  'The entry point %s of core exports the listed names and no others.',
  async (entry, names) => {
    const { default: built } = exports[entry] as { default: string }
    const source = built.replace('dist', 'src').replace(/js$/, 'ts')
    const module: object = await import(new URL(source, `file://${root}packages/core/`).href)
    expect(Object.keys(module).sort()).toEqual(names)
  },
)

test('The gateway entry point exports these names.', async () => {
  const module: object = await import(`${root}packages/toolwire/src/gateway/index.ts`)
  expect(Object.keys(module).sort()).toEqual([
    'GatewayError',
    'StoreError',
    'createFetchHandler',
    'createFetchTransport',
    'createGateway',
    'createMemoryStore',
    'createNodeServer',
    'openPostgresStore',
    'openRedisStore',
    'openSqliteStore',
  ])
})

test('The gateway entry point loads the SQLite store only when one is opened.', async () => {
  const entry = 'packages/toolwire/src/gateway/index.ts'
  const options = {
    bundle: true,
    splitting: true,
    metafile: true,
    write: false,
    packages: 'external',
  } as const
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: [entry],
    outdir: 'out',
    format: 'esm',
    platform: 'node',
  })
  const loadedBy = (path: string): string[] => {
    const { inputs = {}, imports = [] } = metafile.outputs[path] ?? {}
    const chunks = imports.filter(({ kind, external }) => kind === 'import-statement' && !external)
    return [...Object.keys(inputs), ...chunks.flatMap(chunk => loadedBy(chunk.path))]
  }
  const start = Object.keys(metafile.outputs).find(path => metafile.outputs[path]?.entryPoint === entry)
  const loaded = loadedBy(start ?? '')
  expect(loaded).toContain('packages/toolwire/src/store/open-sqlite-store.ts')
  expect(loaded.filter(path => path.includes('/sqlite-'))).toEqual([])
})

/** The README promises: a wrong option is a TypeError that says what it could have been. For every public function. */
import * as core from '@toolwire/core'
import * as exchange from '@toolwire/core/exchange'
import * as lint from '@toolwire/core/lint'
import * as openai from '@toolwire/core/openai'
import * as run from '@toolwire/core/run'
import * as schema from '@toolwire/core/schema'
import * as steps from '@toolwire/core/steps'
import * as testing from '@toolwire/core/testing'
import * as tokens from '@toolwire/core/tokens'
import * as tools from '@toolwire/core/tools'
import { describe, expect, test } from 'vitest'
import * as gateway from '../../packages/toolwire/src/gateway/index.ts'

type AnyFunction = (...values: unknown[]) => unknown

const send = (): object => ({})
const registry = new core.ToolRegistry()
const upstream = { name: 'a', wire: 'chat', baseUrl: 'http://127.0.0.1:1/v1' }
const counting = { wire: 'chat', counter: tokens.estimateCounter }
const step = steps.defineStep({ name: 's', outputSchema: { type: 'object' } })
const model = { ask: async () => ({}) }
const pair = { from: 'chat', to: 'responses' }
const definitions = { from: exchange.chat, to: exchange.responses }

/** Each function with arguments that are right up to its options, and the options. */
const taking: Record<
  string,
  Record<string, readonly [before: unknown[], options: object, misspelt: string]>
> = {
  core: {
    ToolRegistry: [[], {}, ''],
    connectModel: [[], { wire: 'chat', send }, 'steam'],
    convertToolParams: [[{}], pair, 'strickt'],
    convertTools: [[[]], pair, 'hostedTool'],
    createExchange: [[], pair, 'paring'],
    defineTool: [[], { name: 'a', handler: () => 1 }, 'desciption'],
    detectWire: [[{}], {}, 'kinds'],
    emptyAnswer: [['chat', {}], {}, 'newID'],
    encodeTools: [[[]], { to: 'chat' }, 'profil'],
    parseArguments: [['{}'], {}, 'repairs'],
    runConversation: [[], { wire: 'chat', request: { messages: [] }, send }, 'maxRound'],
    runToolCalls: [[[]], { tools: [] }, 'timeoutMS'],
    toolResult: [[], { content: 'a' }, 'isErorr'],
    checkProfile: [['chat'], {}, 'nameMaxlength'],
  },
  exchange: { createExchange: [[], definitions, 'limit'] },
  tools: {
    convertTools: [[[]], { from: tools.chat, to: tools.responses }, 'strickt'],
    convertToolParams: [[{}], { from: tools.chat, to: tools.responses }, 'strickt'],
    encodeTools: [[[]], { to: tools.responses }, 'strickt'],
  },
  run: {
    ToolRegistry: [[], {}, ''],
    defineTool: [[], { name: 'a', handler: () => 1 }, 'paralell'],
    runConversation: [[], { wire: run.chat, request: { messages: [] }, send }, 'maxToken'],
    runToolCalls: [[[]], { tools: [] }, 'concurency'],
  },
  schema: {
    checkStrict: [[{}], {}, 'rule'],
    createValidator: [[{}], {}, 'maxIssue'],
    inlineRefs: [[{}], {}, 'maxNode'],
    minify: [[{}], {}, 'description'],
    normalize: [[{}], {}, 'paths'],
    strictify: [[{}], {}, 'rule'],
    toChatDialect: [[{}], {}, 'paths'],
    toMessagesDialect: [[{}], {}, 'paths'],
  },
  lint: {
    lintToolParams: [[{}], { wire: 'chat' }, 'targets'],
    lintTools: [[[]], { wire: 'chat' }, 'targets'],
  },
  openai: {
    ToolManager: [[], {}, 'maxTrackd'],
    convertJsonSchemaToOpenAI: [[{}], {}, 'dialekt'],
    convertToOpenAIRequest: [[{}], {}, 'onInvald'],
    convertToolsToOpenAIFormat: [[[]], {}, 'onInvald'],
    createToolSchemas: [[registry], {}, 'strickt'],
    createToolsJsonForResponsesApi: [[[]], {}, 'onInvald'],
    toolSchemasForOpenAI: [[undefined, registry], {}, 'strickt'],
    toolSchemasForResponses: [[undefined, registry], {}, 'strickt'],
  },
  steps: {
    defineStep: [[], { name: 's', outputSchema: { type: 'object' } }, 'audit'],
    runFlow: [[[step], {}], { model }, 'signals'],
    runStep: [[step, {}], { model }, 'onEvents'],
  },
  testing: {
    assertToolLaws: [[[]], {}, 'seeds'],
    createScriptedModel: [[], { wire: 'chat', script: [] }, 'piece'],
    createTestHost: [[], {}, 'seeds'],
    sampleFromSchema: [[{}], {}, 'minimum'],
    toolLaws: [[[]], {}, 'sample'],
    trySample: [[{}], {}, 'oddText'],
  },
  tokens: {
    calculateOptimalTokens: [[{}], {}, 'model'],
    countRequest: [[{ messages: [] }], counting, 'modle'],
    countTools: [[[]], counting, 'modle'],
    planTokens: [[{}], { wire: 'chat' }, 'polcy'],
    trimHistory: [[{ messages: [] }], { ...counting, maxTokens: 9 }, 'keeps'],
  },
  gateway: {
    createGateway: [[], { upstreams: [upstream] }, 'keyes'],
    createMemoryStore: [[], {}, 'maxByte'],
    createNodeServer: [[{}], {}, 'connection'],
    openPostgresStore: [[], { url: 'postgres://127.0.0.1:1/d' }, 'schemas'],
    openRedisStore: [[], { url: 'redis://127.0.0.1:1' }, 'prefixes'],
    openSqliteStore: [[], { path: '/nonexistent/a.sqlite' }, 'durabilty'],
  },
}

const modules = { core, exchange, tools, run, schema, lint, openai, steps, testing, tokens, gateway }

/** They take no options: names, values and definitions that are checked elsewhere. */
const without = new Set(
  `FatalToolError ModelError ToolError builtInWires defineWire encodeError runRounds chat messages responses strictPasses
   messagesStrictRules openaiStrictRules FailedResponseError InvalidToolError StepError defineFlow genericOutput
   ConnectionError LawError SampleError ScriptError ScriptedRefusal calls fails says counterForModel encodingOfModel
   estimateCounter loadCounter modelLimits tokenPolicies calculateToolTokens GatewayError StoreError createFetchHandler
   createFetchTransport ToolRegistry profileFor mcp envelopeMark`.split(/\s+/),
)

describe.each(Object.entries(modules))('The entry point %s', (entry, module) => {
  const listed = Object.entries(taking[entry] ?? {}).filter(([, [, , misspelt]]) => misspelt !== '')

  test('Every function of it is listed here, with its options or without.', () => {
    const known = new Set([...listed.map(([name]) => name), ...without])
    expect(Object.keys(module).filter(name => !known.has(name))).toEqual([])
  })

  test.each(listed)(
    'A misspelt option of %s is a TypeError with a suggestion.',
    async (name, [before, options, misspelt]) => {
      const called = Reflect.get(module, name) as AnyFunction
      const given = [...before, { ...options, [misspelt]: undefined }]
      const call = async (): Promise<unknown> =>
        /^[A-Z]/.test(name) ? Reflect.construct(called, given) : called(...given)
      await expect(call()).rejects.toThrow(TypeError)
      await expect(call()).rejects.toThrow(new RegExp(`"${misspelt}".*Did you mean`))
    },
  )
})

test.each([
  [
    'createGateway',
    () => gateway.createGateway({ upstreams: [{ ...upstream, apikey: 'k' }] } as never),
    'apiKey',
  ],
  [
    'limits',
    () => gateway.createGateway({ upstreams: [upstream], limits: { bodyByte: 1 } } as never),
    'bodyBytes',
  ],
  [
    'timeouts',
    () => gateway.createGateway({ upstreams: [{ ...upstream, timeouts: { idleMS: 1 } }] } as never),
    'idleMs',
  ],
  ['execute', () => core.defineTool({ name: 'a', execute: () => 1 } as never), 'handler'],
  ['any function', () => core.defineTool({ name: 'a', whatever: () => 1 } as never), 'handler'],
  ['register', () => registry.register({ name: 'b' }, { replaces: true } as never), 'replace'],
  ['retries', () => core.runToolCalls([], { tools: [], retries: { attempt: 1 } } as never), 'attempts'],
])('A mistake inside of %s is found too.', async (_, call, meant) => {
  await expect((async () => call())()).rejects.toThrow(`Did you mean "${meant}"`)
})

/**
 * The hosts that Toolwire knows: where they are, which wires they speak, which environment variables their own client
 * libraries read, and where they take less than their wires. A key belongs to a host, not to a wire. A host that is not
 * listed is configured with its address, wire and key; a fact that has aged is overridden by the profile of an upstream.
 */
import type { Profile } from '../wires/profile.ts'

/** A host of models: its address, wires, variables and names of models. */
export interface Host {
  /** What an upstream is called that the environment names, and what `preset` of an upstream says. */
  readonly name: string
  readonly title: string
  /** Other words that people use for it, such as the name of its models. */
  readonly aliases: readonly string[]
  /** The names of the wires it speaks; the first is the one to use unless somebody chooses another. */
  readonly wires: readonly string[]
  /** The wires that it defined: what their clients send is for it to judge, and nothing of that is changed. */
  readonly defines?: readonly string[]
  /** The address up to and including the version. */
  readonly baseUrl: string
  /** Its other addresses. */
  readonly otherUrls?: readonly string[]
  /** Where a wire has an address of its own. */
  readonly wireUrls?: { readonly [wire: string]: string }
  /** Any server at this address may be another one, so nothing follows from the address. */
  readonly isAnywhere?: boolean
  /** Patterns of the names of its models; none where it serves models of any name. */
  readonly models: readonly string[]
  /** The variables that its client libraries read. */
  readonly environment?: HostEnvironment
  /** Its key goes behind `Bearer`, also on wires that have another place for it. */
  readonly usesBearer?: boolean
  /** What keys begin with that it refuses behind `Bearer`: there it takes only tokens of another kind. */
  readonly keyPrefix?: string
  /** The flags that it knows of a wire that has some; absent: nothing is known, and all are sent on. */
  readonly flags?: readonly string[]
  /** It stores no responses, so that a request cannot refer to an earlier one. */
  readonly isStateless?: boolean
  /** Where it differs from the usual profile of its wires. */
  readonly facts?: { readonly [wire: string]: Partial<Profile> }
  /** Where these facts come from, and when they were last known to hold. */
  readonly source: string
  readonly date: string
}

/** The environment variables that the client libraries of a host read. */
export interface HostEnvironment {
  readonly key: string
  readonly baseUrl?: string
  /** Its clients add the version to the address themselves, so the variable lacks it. */
  readonly addsVersion?: boolean
}

/** A router that fits requests to models itself. */
const anyModel: Partial<Profile> = {
  functions: 'always',
  forcedChoice: true,
  sampling: 'always',
  effort: true,
  refusedEfforts: [],
}

/** A server of open models that reads the older name of the output limit only. */
const olderLimit: Partial<Profile> = { olderOutputLimit: true }

/** While it thinks, it refuses calls without reasoning, and takes that of other models for its own. */
const withReasoning: Partial<Profile> = { callReasoning: 'required', reasoningText: true }

/** The same on Messages, of which it takes no changes of tools in the middle of a conversation. */
const plainMessages: Partial<Profile> = { ...withReasoning, additionalTools: false }

/** The hosts that are known, with their addresses and variables. */
export const hosts: readonly Host[] = [
  {
    name: 'openai',
    title: 'OpenAI',
    aliases: ['gpt'],
    wires: ['responses', 'chat'],
    defines: ['responses', 'chat'],
    baseUrl: 'https://api.openai.com/v1',
    models: ['gpt-*', 'o*', 'chatgpt-*'],
    environment: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
    facts: { chat: { developerRole: true, cacheBreakpoints: 4 } },
    source: 'the npm package openai 7',
    date: '2026-11',
  },
  {
    name: 'anthropic',
    title: 'Anthropic',
    aliases: ['claude'],
    wires: ['messages'],
    defines: ['messages'],
    baseUrl: 'https://api.anthropic.com/v1',
    models: ['claude-*'],
    environment: { key: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL', addsVersion: true },
    keyPrefix: 'sk-ant-api',
    source: 'the npm package @anthropic-ai/sdk 1',
    date: '2026-11',
  },
  {
    name: 'mistral',
    title: 'Mistral',
    aliases: ['codestral', 'devstral', 'magistral'],
    wires: ['chat'],
    baseUrl: 'https://api.mistral.ai/v1',
    models: ['mistral-*', 'codestral-*', 'devstral-*', 'magistral-*', 'ministral-*'],
    environment: { key: 'MISTRAL_API_KEY' },
    facts: {
      chat: {
        ...olderLimit,
        callIdCharacters: 'a-zA-Z0-9',
        callIdMaxLength: 9,
        userAfterResults: false,
        usageOnRequest: false,
        reasoningText: false,
        refusedSettings: [
          'store',
          'user',
          'safetyIdentifier',
          'serviceTier',
          'verbosity',
          'logprobs',
          'topLogprobs',
          'promptCacheRetention',
          'promptCacheMode',
          'promptCacheTtl',
          'moderation',
          'includeUsage',
          'includeObfuscation',
        ],
      },
    },
    source:
      'its API reference and refusals of extra fields: editor-code-assistant/eca#231, charmbracelet/crush#1590, LibreChat',
    date: '2026-08',
  },
  {
    name: 'deepseek',
    title: 'DeepSeek',
    aliases: [],
    wires: ['chat', 'messages'],
    baseUrl: 'https://api.deepseek.com',
    otherUrls: ['https://api.deepseek.com/v1'],
    wireUrls: { messages: 'https://api.deepseek.com/anthropic/v1' },
    models: ['deepseek-*'],
    environment: { key: 'DEEPSEEK_API_KEY' },
    // It ignores all flags, and the fields that belong to them.
    flags: [],
    facts: { chat: { ...olderLimit, ...withReasoning }, messages: plainMessages },
    source: 'api-docs.deepseek.com, guide to the thinking mode; esengine/DeepSeek-Reasonix#8902',
    date: '2026-11',
  },
  {
    name: 'kimi',
    title: 'Kimi',
    aliases: ['moonshot'],
    wires: ['chat', 'messages'],
    baseUrl: 'https://api.moonshot.ai/v1',
    otherUrls: ['https://api.moonshot.cn/v1'],
    wireUrls: { messages: 'https://api.moonshot.ai/anthropic/v1' },
    models: ['kimi-*', 'moonshot-*'],
    environment: { key: 'MOONSHOT_API_KEY' },
    facts: { chat: withReasoning, messages: plainMessages },
    source:
      'platform.kimi.ai/docs; continuedev/continue#11711, QuantumNous/new-api#3121, KarpelesLab/teamclaude#451',
    date: '2026-11',
  },
  {
    name: 'glm',
    title: 'GLM',
    aliases: ['zai', 'z.ai', 'zhipu'],
    wires: ['chat', 'messages'],
    baseUrl: 'https://api.z.ai/api/paas/v4',
    otherUrls: ['https://api.z.ai/api/coding/paas/v4', 'https://open.bigmodel.cn/api/paas/v4'],
    wireUrls: { messages: 'https://api.z.ai/api/anthropic/v1' },
    models: ['glm-*'],
    environment: { key: 'ZAI_API_KEY' },
    facts: { chat: { ...olderLimit, identifierMaxLength: 128, callReasoning: 'useful' } },
    source: 'docs.z.ai',
    date: '2026-11',
  },
  {
    name: 'openrouter',
    title: 'OpenRouter',
    aliases: [],
    wires: ['chat', 'responses', 'messages'],
    baseUrl: 'https://openrouter.ai/api/v1',
    usesBearer: true,
    isStateless: true,
    models: [],
    environment: { key: 'OPENROUTER_API_KEY' },
    facts: {
      chat: { ...anyModel, identifierMaxLength: 128, callReasoning: 'useful' },
      responses: { ...anyModel, identifierMaxLength: 128 },
      messages: anyModel,
    },
    source: 'openrouter.ai/docs',
    date: '2026-11',
  },
  {
    name: 'groq',
    title: 'Groq',
    aliases: [],
    wires: ['chat', 'responses'],
    baseUrl: 'https://api.groq.com/openai/v1',
    isStateless: true,
    models: [],
    environment: { key: 'GROQ_API_KEY' },
    facts: { chat: { refusedSettings: ['logprobs', 'topLogprobs'] } },
    source: 'console.groq.com/docs/openai',
    date: '2026-11',
  },
  {
    name: 'xai',
    title: 'xAI',
    aliases: ['grok'],
    wires: ['responses', 'chat'],
    baseUrl: 'https://api.x.ai/v1',
    models: ['grok-*'],
    environment: { key: 'XAI_API_KEY' },
    source: 'docs.x.ai',
    date: '2026-11',
  },
  {
    name: 'qwen',
    title: 'Qwen',
    aliases: ['dashscope'],
    wires: ['chat'],
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    otherUrls: ['https://dashscope.aliyuncs.com/compatible-mode/v1'],
    models: ['qwen*', 'qwq-*'],
    environment: { key: 'DASHSCOPE_API_KEY' },
    source: 'the OpenAI-compatible mode of Model Studio',
    date: '2026-11',
  },
  {
    name: 'gemini',
    title: 'Gemini',
    aliases: ['google'],
    wires: ['chat'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    models: ['gemini-*'],
    environment: { key: 'GEMINI_API_KEY' },
    source: 'ai.google.dev/gemini-api/docs/openai',
    date: '2026-11',
  },
  {
    name: 'ollama',
    title: 'Ollama',
    aliases: [],
    wires: ['chat', 'responses', 'messages'],
    baseUrl: 'http://127.0.0.1:11434/v1',
    otherUrls: ['http://localhost:11434/v1', 'https://ollama.com/v1'],
    usesBearer: true,
    isStateless: true,
    models: [],
    facts: { chat: olderLimit },
    source: 'docs.ollama.com/api/openai-compatibility; ollama/ollama, pull requests 17593 and 17686',
    date: '2026-11',
  },
  {
    name: 'lmstudio',
    title: 'LM Studio',
    aliases: ['lm-studio'],
    wires: ['chat', 'responses', 'messages'],
    baseUrl: 'http://127.0.0.1:1234/v1',
    otherUrls: ['http://localhost:1234/v1'],
    models: [],
    facts: { chat: olderLimit },
    source: 'lmstudio.ai/docs/developer',
    date: '2026-11',
  },
  {
    name: 'vllm',
    title: 'vLLM',
    aliases: [],
    wires: ['chat', 'responses', 'messages'],
    baseUrl: 'http://127.0.0.1:8000/v1',
    isAnywhere: true,
    isStateless: true,
    models: [],
    source: 'docs.vllm.ai',
    date: '2026-11',
  },
  {
    name: 'llamacpp',
    title: 'llama.cpp',
    aliases: ['llama.cpp', 'llama-server'],
    wires: ['chat', 'responses', 'messages'],
    baseUrl: 'http://127.0.0.1:8080/v1',
    isAnywhere: true,
    isStateless: true,
    models: [],
    source: 'tools/server/README.md of ggml-org/llama.cpp',
    date: '2026-11',
  },
]

/** The host of an address, where the address says it. */
export function hostAt(baseUrl: string): Host | undefined {
  const given = withoutSlashes(baseUrl)
  return hosts.find(
    host =>
      host.isAnywhere !== true &&
      [host.baseUrl, ...(host.otherUrls ?? []), ...Object.values(host.wireUrls ?? {})].includes(given),
  )
}

function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

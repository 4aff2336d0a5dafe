/**
 * The hosts that Toolwire knows by name: where they are, which wires they speak and which environment variables their
 * own client libraries read. A key belongs to a host, not to a wire. As of November 2026; a host that is not listed is
 * configured with its address, wire and key.
 */

export interface Host {
  /** What an upstream is called that the environment names. */
  readonly name: string
  readonly title: string
  /** Other words that people use for it, such as the name of its models. */
  readonly aliases: readonly string[]
  /** The names of the wires it speaks; the first is the one to use unless somebody chooses another. */
  readonly wires: readonly string[]
  /** The address up to and including the version. */
  readonly baseUrl: string
  /** Patterns of the names of its models; none where it serves models of any name. */
  readonly models: readonly string[]
  /** The variables that its client libraries read. */
  readonly environment?: {
    readonly key: string
    readonly baseUrl: string
    /** Its clients add the version to the address themselves, so the variable lacks it. */
    readonly addsVersion: boolean
  }
  /** Where these facts come from. */
  readonly source: string
}

export const hosts: readonly Host[] = [
  {
    name: 'openai',
    title: 'OpenAI',
    aliases: ['gpt'],
    wires: ['responses', 'chat'],
    baseUrl: 'https://api.openai.com/v1',
    models: ['gpt-*', 'o*', 'chatgpt-*'],
    environment: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL', addsVersion: false },
    source: 'the npm package openai 7',
  },
  {
    name: 'anthropic',
    title: 'Anthropic',
    aliases: ['claude'],
    wires: ['messages'],
    baseUrl: 'https://api.anthropic.com/v1',
    models: ['claude-*'],
    environment: { key: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL', addsVersion: true },
    source: 'the npm package @anthropic-ai/sdk 1',
  },
  {
    name: 'ollama',
    title: 'Ollama',
    aliases: [],
    wires: ['chat', 'responses'],
    baseUrl: 'http://127.0.0.1:11434/v1',
    models: [],
    source: 'ollama/ollama, pull requests 17593 and 17686',
  },
  {
    name: 'lmstudio',
    title: 'LM Studio',
    aliases: ['lm-studio'],
    wires: ['chat', 'responses', 'messages'],
    baseUrl: 'http://127.0.0.1:1234/v1',
    models: [],
    source: 'lmstudio.ai/docs, developer: OpenAI and Anthropic compatibility',
  },
  {
    name: 'vllm',
    title: 'vLLM',
    aliases: [],
    wires: ['chat', 'responses', 'messages'],
    baseUrl: 'http://127.0.0.1:8000/v1',
    models: [],
    source: 'docs.vllm.ai, online serving',
  },
  {
    name: 'llamacpp',
    title: 'llama.cpp',
    aliases: ['llama.cpp', 'llama-server'],
    wires: ['chat', 'responses', 'messages'],
    baseUrl: 'http://127.0.0.1:8080/v1',
    models: [],
    source: 'ggml-org/llama.cpp, tools/server/README.md',
  },
]

/**
 * The agents that Toolwire can start, as data: what each is called, which wire it speaks, and how it is told where the
 * gateway is without a change to its files. `{url}` is the gateway's address, `{key}` its key, `{model}` the model and
 * `{file}` the path of a file that lives as long as the agent, `{window}` the tokens that the model takes. Each row was tried with the version that it names.
 */
import type { JsonObject } from '@toolwire/core/json'

/** A text is set, an object is set as JSON, and `null` unsets a variable that would win over these. */
type Variables = { readonly [name: string]: string | JsonObject | null }

/** What an agent is given. */
interface Gift {
  /** Arguments before those of the user. */
  readonly args?: readonly string[]
  readonly env?: Variables
}

export interface Agent extends Gift {
  /** The word behind `toolwire`. */
  readonly name: string
  readonly title: string
  /** The program. */
  readonly command: string
  /** Its package on npm. */
  readonly package: string
  /** The version that this row was tried with. */
  readonly tried: string
  /** The wire it speaks. */
  readonly wire: string
  /** What it is given on top when a model is chosen for it. */
  readonly withModel?: Gift
  /** And when the window of that model is known, so that it makes room in time. */
  readonly withWindow?: Gift
  /** It has no models of its own, so that one must be named. */
  readonly needsModel?: true
  readonly file?: { readonly name: string; readonly content: JsonObject }
  /** Its own arguments for one task without a terminal. */
  readonly example: readonly string[]
}

export const agents: readonly Agent[] = [
  {
    name: 'codex',
    title: 'Codex',
    command: 'codex',
    package: '@openai/codex',
    tried: '0.169.0',
    wire: 'responses',
    // A provider of another name than the built-in one asks for no login and tries no WebSocket.
    args: [
      '-c',
      'model_provider="toolwire"',
      '-c',
      'model_providers.toolwire={name="Toolwire",base_url="{url}/v1",env_key="TOOLWIRE_KEY",wire_api="responses"}',
    ],
    env: { TOOLWIRE_KEY: '{key}' },
    withModel: { args: ['-c', 'model={model:quoted}'] },
    // Of a model that they do not know, agents expect one of the largest windows.
    withWindow: { args: ['-c', 'model_context_window={window}'] },
    example: ['exec', 'Fix the failing test'],
  },
  {
    name: 'claude',
    title: 'Claude Code',
    command: 'claude',
    package: '@anthropic-ai/claude-code',
    tried: '2.1.326',
    wire: 'messages',
    env: {
      ANTHROPIC_BASE_URL: '{url}',
      // Unlike a key, a token is not asked about at the start.
      ANTHROPIC_AUTH_TOKEN: '{key}',
      ANTHROPIC_API_KEY: null,
      CLAUDE_CODE_USE_BEDROCK: null,
      CLAUDE_CODE_USE_VERTEX: null,
      CLAUDE_CODE_USE_FOUNDRY: null,
    },
    withModel: {
      env: {
        ANTHROPIC_MODEL: '{model}',
        ANTHROPIC_DEFAULT_OPUS_MODEL: '{model}',
        ANTHROPIC_DEFAULT_SONNET_MODEL: '{model}',
        ANTHROPIC_DEFAULT_HAIKU_MODEL: '{model}',
        CLAUDE_CODE_SUBAGENT_MODEL: '{model}',
      },
    },
    withWindow: { env: { CLAUDE_CODE_MAX_CONTEXT_TOKENS: '{window}' } },
    example: ['-p', 'Fix the failing test'],
  },
  {
    name: 'opencode',
    title: 'opencode',
    command: 'opencode',
    package: 'opencode-ai',
    tried: '1.18.33',
    wire: 'chat',
    needsModel: true,
    env: {
      OPENCODE_CONFIG_CONTENT: {
        provider: {
          toolwire: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Toolwire',
            options: { baseURL: '{url}/v1', apiKey: '{key}' },
            models: { '{model}': { name: '{model}', tool_call: true } },
          },
        },
        model: 'toolwire/{model}',
        small_model: 'toolwire/{model}',
      },
    },
    example: ['run', 'Fix the failing test'],
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    command: 'qwen',
    package: '@qwen-code/qwen-code',
    tried: '0.24.4',
    wire: 'chat',
    needsModel: true,
    args: ['--auth-type', 'openai'],
    env: { OPENAI_BASE_URL: '{url}/v1', OPENAI_API_KEY: '{key}', OPENAI_MODEL: '{model}' },
    example: ['-p', 'Fix the failing test'],
  },
  {
    name: 'continue',
    title: 'Continue',
    command: 'cn',
    package: '@continuedev/cli',
    tried: '1.5.47',
    wire: 'chat',
    needsModel: true,
    args: ['--config', '{file}'],
    // JSON is YAML too.
    file: {
      name: 'config.yaml',
      content: {
        name: 'toolwire',
        version: '1.0.0',
        schema: 'v1',
        models: [
          {
            name: '{model}',
            provider: 'openai',
            model: '{model}',
            apiBase: '{url}/v1',
            apiKey: '{key}',
            capabilities: ['tool_use'],
          },
        ],
      },
    },
    example: ['-p', 'Fix the failing test'],
  },
]

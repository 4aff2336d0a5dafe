/** What a running conversation must know of its wire beyond what codecs and profiles say. Data, one row per wire. */
import type { Wire } from '../model/wire.ts'

export interface ClientHabits {
  /** The field of a request that holds the conversation. */
  readonly history: string
  /** How the server can be asked to remember. */
  readonly memory?: {
    /** Names the answer to go on from; only what is new is sent with it. */
    readonly previous: string
    /** Names a conversation that the server itself adds everything to. */
    readonly conversation: string
  }
  /** Events that repeat the whole answer when it is over, and where. */
  readonly summary?: { readonly events: readonly string[]; readonly field: string }
  /** Items of tools defined by type that the client must answer, and what says that the provider runs one. */
  readonly clientItems: ReadonlyMap<string, { readonly ranBy?: readonly [field: string, value: string] }>
  /** Fields that a client library adds to an answer and that servers refuse to read again. */
  readonly addedFields: ReadonlySet<string>
  /** Fields of an answer that servers leave empty, and that some refuse to read again. */
  readonly emptyFields: ReadonlySet<string>
}

const parsed: ReadonlySet<string> = new Set(['parsed', 'parsed_arguments', 'created_by'])

export const wireHabits: { readonly [W in Wire]: ClientHabits } = {
  chat: {
    history: 'messages',
    clientItems: new Map(),
    addedFields: parsed,
    emptyFields: new Set(['refusal', 'annotations', 'audio', 'function_call', 'tool_calls']),
  },
  responses: {
    history: 'input',
    memory: { previous: 'previous_response_id', conversation: 'conversation' },
    summary: { events: ['response.completed', 'response.incomplete'], field: 'response' },
    clientItems: new Map([
      ['local_shell_call', {}],
      ['shell_call', {}],
      ['apply_patch_call', {}],
      ['computer_call', {}],
      ['mcp_approval_request', {}],
      ['tool_search_call', { ranBy: ['execution', 'server'] }],
    ]),
    addedFields: parsed,
    emptyFields: new Set(['logprobs']),
  },
  messages: {
    history: 'messages',
    clientItems: new Map(),
    addedFields: parsed,
    emptyFields: new Set(['citations']),
  },
}

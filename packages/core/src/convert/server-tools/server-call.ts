/** Calls that whoever holds the exchange runs itself, instead of the client, and what they gave. */
import type { FilePart, ImagePart, TextPart } from '../../model/conversation.ts'
import type { DefinedTool } from '../convert-tools.ts'

/** A tool that is offered to the upstream beside the client's own, and of which the client knows nothing. */
export interface ServerTool extends DefinedTool {
  /** The MCP server it belongs to. Clients whose wire tells of MCP calls are told of calls to such a tool. */
  readonly server?: string
}

export interface ServerCall {
  /** Pairs the call with its result. */
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** The arguments as the model wrote them. */
  readonly arguments: string
  /** The MCP server of a registered tool. */
  readonly server?: string
  /** Set when the client declared a hosted tool that is run here by the policy `handler`. */
  readonly hosted?: {
    readonly type: string
    /** The kind behind dated and renamed types, such as `web_search`. */
    readonly family?: string
    /** Which of several, such as the MCP server. */
    readonly label?: string
    readonly name: string
  }
  /** The answer was cut off, so the call may be incomplete even where its text happens to parse. Never run it. */
  readonly truncated: boolean
}

/** The result of a held call. What `runToolCalls` says of a call fits, with the call's id. */
export interface ServerCallResult {
  readonly callId: string
  readonly content: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError?: boolean
}

/** How calls to an MCP server fail, in words that a model and a person can both act on. */

export type McpErrorCode =
  /** The package that speaks MCP is not installed. */
  | 'mcp_not_installed'
  /** The server could not be started or reached. */
  | 'mcp_unreachable'
  /** It went away during a call. */
  | 'mcp_connection_lost'
  /** It answered the call with an error of the protocol. */
  | 'mcp_refused'
  /** The connections were closed. */
  | 'mcp_closed'

export class McpError extends Error {
  override readonly name: string = 'McpError'
  readonly code: McpErrorCode

  constructor(code: McpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error ? error.cause : undefined
  // The network's own reason is only in the cause: "fetch failed" says nothing.
  const reason = cause instanceof Error && message === 'fetch failed' ? causeText(cause) : ''
  return clean(reason === '' ? message : `${message} (${reason})`)
}

function causeText(cause: Error): string {
  const code: unknown = 'code' in cause ? cause.code : undefined
  return cause.message === '' && typeof code === 'string' ? code : cause.message
}

/** From the SDK's words to the end of a sentence, without the number that it puts in front. */
function clean(message: string): string {
  const text = message.replace(/^MCP error -?\d+: /, '').trim()
  const shown = text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text
  return /[.!?…]$/.test(shown) ? shown : `${shown}.`
}

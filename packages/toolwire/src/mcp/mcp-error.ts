/** Errors of MCP servers, with messages that a model and a person can both act on. */

export type McpErrorCode =
  /** The optional package of the MCP SDK is not installed. */
  | 'mcp_not_installed'
  /** The server could not be started or reached. */
  | 'mcp_unreachable'
  /** The connection was lost during a call. */
  | 'mcp_connection_lost'
  /** The server answered the call with a protocol error. */
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
  // "fetch failed" has its reason only in the cause.
  const reason = cause instanceof Error && message === 'fetch failed' ? causeText(cause) : ''
  return toSentence(reason === '' ? message : `${message} (${reason})`)
}

function causeText(cause: Error): string {
  const code: unknown = 'code' in cause ? cause.code : undefined
  return cause.message === '' && typeof code === 'string' ? code : cause.message
}

/** The SDK's message as a sentence, without the number that the SDK puts in front. */
function toSentence(message: string): string {
  const text = message.replace(/^MCP error -?\d+: /, '').trim()
  const shown = text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text
  return /[.!?…]$/.test(shown) ? shown : `${shown}.`
}

/** The classes of errors that the SDK throws. */
type SdkErrors = Pick<
  typeof import('@modelcontextprotocol/client'),
  'ProtocolError' | 'SdkError' | 'SdkErrorCode' | 'SdkHttpError'
>

/** After a restart a server does not know the session any more. The protocol requires 404; many servers send 400. */
export function isSessionUnknown(error: unknown, { SdkHttpError }: SdkErrors): boolean {
  return (
    error instanceof SdkHttpError &&
    (error.status === 404 || (error.status === 400 && /session/i.test(error.message)))
  )
}

/** Whether the session cannot be used any more, as far as the error shows. */
export function isLost(error: unknown, { ProtocolError, SdkError, SdkErrorCode }: SdkErrors): boolean {
  if (error instanceof ProtocolError) return false
  if (!(error instanceof SdkError)) return true
  const { ConnectionClosed, NotConnected, SendFailed } = SdkErrorCode
  return [ConnectionClosed, NotConnected, SendFailed].some(code => code === error.code)
}

/** The message is for the model. The cause, with addresses and paths in it, is for the operator. */
export function callFailure(error: unknown, server: string, ending: string, errors: SdkErrors): McpError {
  if (isLost(error, errors)) {
    const message =
      `The connection to the MCP server "${server}" broke during the call.${ending} ` +
      `What the call did until then may have had effects. The next call connects again.`
    return new McpError('mcp_connection_lost', message, { cause: error })
  }
  const message = `The MCP server "${server}" refused the call: ${messageOf(error)}`
  return new McpError('mcp_refused', message, { cause: error })
}

export function unreachable(server: string, cause: unknown): McpError {
  const message = `The MCP server "${server}" cannot be reached now, so nothing was run. Go on without it.`
  return new McpError('mcp_unreachable', message, { cause })
}

/** What a failed call means: whether the server is still there, and what the model should be told. */
import type { McpSdk } from './load-client.ts'
import { McpError, messageOf } from './mcp-error.ts'

type Errors = Pick<McpSdk, 'ProtocolError' | 'SdkError' | 'SdkErrorCode' | 'SdkHttpError'>

/** A server with sessions that was started anew knows ours no more. The protocol says 404; many say 400. */
export function isSessionGone(error: unknown, { SdkHttpError }: Errors): boolean {
  return (
    error instanceof SdkHttpError &&
    (error.status === 404 || (error.status === 400 && /session/i.test(error.message)))
  )
}

/** Whether another connection is needed, as far as the error tells. */
export function isLost(error: unknown, { ProtocolError, SdkError, SdkErrorCode }: Errors): boolean {
  if (error instanceof ProtocolError) return false
  if (!(error instanceof SdkError)) return true
  const { ConnectionClosed, NotConnected, SendFailed } = SdkErrorCode
  return [ConnectionClosed, NotConnected, SendFailed].some(code => code === error.code)
}

/** The model is told what it can act on; the reasons, with addresses and paths in them, are for whoever runs us. */
export function callFailure(error: unknown, server: string, ending: string, errors: Errors): McpError {
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

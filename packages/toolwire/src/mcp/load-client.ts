/** The SDK of the Model Context Protocol: an optional package, loaded only when there are servers to speak with. */
import { McpError } from './mcp-error.ts'

export type McpSdk = typeof import('@modelcontextprotocol/client')

const packageName = '@modelcontextprotocol/client'

/** `load` is replaced in tests. */
export async function loadClient(
  load: () => Promise<McpSdk> = () => import('@modelcontextprotocol/client'),
): Promise<McpSdk> {
  try {
    return await load()
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    const message =
      `The package that speaks with MCP servers is not installed. Install it beside toolwire with ` +
      `"npm install ${packageName}@^2.4.0", or use no MCP servers.`
    throw new McpError('mcp_not_installed', message, { cause })
  }
}

/** Only when the package itself is missing; an error inside it is thrown unchanged. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') &&
    error.message.includes(packageName)
  )
}

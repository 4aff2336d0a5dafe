/** The configured MCP servers. Only the configuration can name them, because a server can be a program to start. */

interface McpServerBase {
  /** The time limit for a call of its tools. Default: the limit of the run. */
  readonly timeoutMs?: number
}

/** A program to start, with MCP on its standard input and output. */
export interface McpProgram extends McpServerBase {
  readonly command: string
  readonly args?: readonly string[]
  /** Added to a few harmless variables. The rest of this process's environment is not passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A running server that is reached by streamable HTTP. */
export interface McpAddress extends McpServerBase {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An MCP server: a program to start, or an address. */
export type McpServer = McpProgram | McpAddress

/** Calls back once, unless the returned function is called before. */
export type StartTimer = (milliseconds: number, callback: () => void) => () => void

export interface McpOptions {
  /** The version that is sent to the servers. */
  readonly version?: string
  /** The time limit for connecting and listing the tools, for each server. Default: 30 000. */
  readonly connectTimeoutMs?: number
  /** How long a program may take to end after its input was closed, and again after SIGTERM. Default: 2 000. */
  readonly graceMs?: number
  /** The timer for trying again to connect. Replaced in tests. */
  readonly after?: StartTimer
  /** Names of other tools. */
  readonly taken?: Iterable<string>
  /** The tools or the problems have changed. */
  readonly onChange?: () => void
  /** A line that a program wrote beside the protocol. It may contain anything. */
  readonly onLog?: (server: string, line: string) => void
}

/** What is wrong with an entry of the configuration, if anything. */
export function mistakeIn(server: unknown): string | undefined {
  if (typeof server !== 'object' || server === null || Array.isArray(server))
    return 'it must be an object with "command" or "url".'
  const { command, args, env, cwd, url, headers, timeoutMs } = server as Partial<McpProgram & McpAddress>
  if ((command === undefined) === (url === undefined))
    return 'it must have either "command", for a program to start, or "url", for a server that runs already.'
  if (command !== undefined && !isNonEmptyString(command)) return '"command" must be the name of a program.'
  if (args !== undefined && !(Array.isArray(args) && args.every(arg => typeof arg === 'string')))
    return '"args" must be a list of texts.'
  if (cwd !== undefined && !isNonEmptyString(cwd)) return '"cwd" must be the path of a folder.'
  if (!isStringRecord(env)) return '"env" must be an object of texts.'
  if (!isStringRecord(headers)) return '"headers" must be an object of texts.'
  if (url !== undefined && !isWebAddress(url))
    return '"url" must be an address that begins with http:// or https://.'
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs < 2 ** 31))
    return '"timeoutMs" must be a number of milliseconds above 0.'
  return undefined
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function isStringRecord(value: unknown): boolean {
  if (value === undefined) return true
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(text => typeof text === 'string')
  )
}

function isWebAddress(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

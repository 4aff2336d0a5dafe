/** Which MCP servers there are. They come from the configuration only, since one of them can be a program to start. */

interface McpServerBase {
  /** How long a call of its tools may take. The run's own limit when left out. */
  readonly timeoutMs?: number
}

/** A program that is started, and spoken with through its standard input and output. */
export interface McpProgram extends McpServerBase {
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the few harmless variables a server gets; the rest of our environment is not handed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server that runs already and is reached by streamable HTTP. */
export interface McpAddress extends McpServerBase {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export type McpServer = McpProgram | McpAddress

export interface McpOptions {
  /** Our version, told to the servers. */
  readonly version?: string
  /** How long connecting and listing the tools may take, for each server. 30 000 unless stated. */
  readonly connectTimeoutMs?: number
  /** How long a program may take to end when asked, and again when told. 2 000 unless stated. */
  readonly graceMs?: number
  /** Calls back once unless the returned function is called before; sets when to look again for a server that is away. */
  readonly after?: (milliseconds: number, callback: () => void) => () => void
  /** Names that other tools have already. */
  readonly taken?: Iterable<string>
  /** The tools or the problems are others than before. */
  readonly onChange?: () => void
  /** A line that a program wrote beside the protocol. Anything may be in it. */
  readonly onLog?: (server: string, line: string) => void
}

/** What is wrong with an entry of the configuration, or nothing. */
export function mistakeIn(server: unknown): string | undefined {
  if (typeof server !== 'object' || server === null || Array.isArray(server))
    return 'it must be an object with "command" or "url".'
  const { command, args, env, cwd, url, headers, timeoutMs } = server as Partial<McpProgram & McpAddress>
  if ((command === undefined) === (url === undefined))
    return 'it must have either "command", for a program to start, or "url", for a server that runs already.'
  if (command !== undefined && !isText(command)) return '"command" must be the name of a program.'
  if (args !== undefined && !(Array.isArray(args) && args.every(arg => typeof arg === 'string')))
    return '"args" must be a list of texts.'
  if (cwd !== undefined && !isText(cwd)) return '"cwd" must be the path of a folder.'
  if (!isTexts(env)) return '"env" must be an object of texts.'
  if (!isTexts(headers)) return '"headers" must be an object of texts.'
  if (url !== undefined && !isWebAddress(url))
    return '"url" must be an address that begins with http:// or https://.'
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs < 2 ** 31))
    return '"timeoutMs" must be a number of milliseconds above 0.'
  return undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function isTexts(value: unknown): boolean {
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

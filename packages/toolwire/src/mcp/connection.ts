/**
 * The lasting connection to one server. It opens a session when one is needed, replaces a session that was lost, and is
 * closed once.
 */
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ToolContext } from '@toolwire/core'
import { callFailure, isLost, isSessionUnknown, McpError, messageOf, unreachable } from './mcp-error.ts'
import type { ToolCaller } from './server-tool.ts'
import type { McpSession, McpSessionOptions, ServerTools } from './session.ts'
import { openMcpSession } from './session.ts'
import type { McpServer } from './settings.ts'

export type ConnectionOptions = Omit<McpSessionOptions, 'signal' | 'onTools'> & {
  /** The tools or the problem have changed. */
  onChange(): void
}

interface ActiveSession {
  readonly session: McpSession
  /** How many calls use it. */
  calls: number
  /** It gets no new calls, and is closed after the last one. */
  isRetired: boolean
  closed?: Promise<void>
}

/** The context of a call, with a signal of the platform's own class. */
interface CallContext {
  readonly signal: AbortSignal
  progress(data: unknown): void
}

/** The longest possible timer. The caller limits the duration of a call with its signal. */
const noTimeout = 2 ** 31 - 1

export class Connection implements ToolCaller {
  readonly name: string
  readonly server: McpServer
  readonly #options: ConnectionOptions
  readonly #closing = new AbortController()
  readonly #sessions = new Set<ActiveSession>()
  #current: Promise<ActiveSession> | undefined
  #tools: ServerTools = []
  #problem: string | undefined
  #wasConnected = false

  constructor(name: string, server: McpServer, options: ConnectionOptions) {
    this.name = name
    this.server = server
    this.#options = options
  }

  /** As listed last, also while the server is away. */
  get tools(): ServerTools {
    return this.#tools
  }

  /** What went wrong last with connecting or listing. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Whether there has been a session. */
  get wasConnected(): boolean {
    return this.#wasConnected
  }

  /** Returns whether the server could be reached. */
  connect(): Promise<boolean> {
    return this.#session().then(
      () => true,
      () => false,
    )
  }

  async call(tool: string, args: Record<string, unknown>, toolContext: ToolContext): Promise<CallToolResult> {
    const context = callContextOf(toolContext)
    const active = await this.#sessionFor(context)
    try {
      return await this.#callOnce(active, tool, args, context)
    } catch (error) {
      context.signal.throwIfAborted()
      this.#closing.signal.throwIfAborted()
      if (!isSessionUnknown(error, this.#options.sdk)) {
        throw callFailure(error, this.name, active.session.ending(), this.#options.sdk)
      }
    }
    // The server does not know the session, so it has not run the call either.
    this.#retire(active)
    const next = await this.#sessionFor(context)
    return this.#callOnce(next, tool, args, context).catch((error: unknown) => {
      context.signal.throwIfAborted()
      throw callFailure(error, this.name, '', this.#options.sdk)
    })
  }

  async close(): Promise<void> {
    const message = `The connection to the MCP server "${this.name}" is closed.`
    this.#closing.abort(new McpError('mcp_closed', message))
    await this.#current?.catch(() => {})
    await Promise.all([...this.#sessions].map(active => this.#dispose(active)))
  }

  /** The current session, or a new one. */
  #session(): Promise<ActiveSession> {
    const { signal } = this.#closing
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.#current !== undefined) return this.#current
    const opening = this.#open()
    this.#current = opening
    opening.catch((error: unknown) => {
      this.#current = undefined
      if (!signal.aborted) this.#setProblem(messageOf(error))
    })
    return opening
  }

  #sessionFor({ signal }: CallContext): Promise<ActiveSession> {
    return orAborted(this.#session(), signal).catch((error: unknown) => {
      signal.throwIfAborted()
      this.#closing.signal.throwIfAborted()
      throw unreachable(this.name, error)
    })
  }

  async #open(): Promise<ActiveSession> {
    let active: ActiveSession | undefined
    const onTools = (listed: ServerTools | Error): void => {
      if (!active?.isRetired) this.#setTools(listed)
    }
    const { signal } = this.#closing
    const session = await openMcpSession(this.server, { ...this.#options, signal, onTools })
    const opened: ActiveSession = { session, calls: 0, isRetired: false }
    active = opened
    this.#sessions.add(opened)
    void session.ended.then(() => this.#retire(opened))
    this.#wasConnected = true
    this.#setTools(session.tools)
    return opened
  }

  #setTools(listed: ServerTools | Error): void {
    if (!(listed instanceof Error)) this.#tools = listed
    this.#setProblem(
      listed instanceof Error ? `The tools could not be listed again: ${messageOf(listed)}` : undefined,
    )
  }

  #setProblem(problem: string | undefined): void {
    this.#problem = problem
    this.#options.onChange()
  }

  #retire(active: ActiveSession): void {
    if (!active.isRetired) this.#current = undefined
    active.isRetired = true
    if (active.calls === 0) void this.#dispose(active)
  }

  #dispose(active: ActiveSession): Promise<void> {
    active.closed ??= active.session
      .close()
      .catch(() => {})
      .finally(() => this.#sessions.delete(active))
    return active.closed
  }

  async #callOnce(
    active: ActiveSession,
    tool: string,
    args: Record<string, unknown>,
    { signal, progress }: CallContext,
  ): Promise<CallToolResult> {
    const { session } = active
    active.calls += 1
    try {
      return await session.client.callTool(
        { name: tool, arguments: args },
        { signal, timeout: noTimeout, onprogress: progress },
      )
    } catch (error) {
      if (!signal.aborted && !this.#closing.signal.aborted && isLost(error, this.#options.sdk)) {
        this.#retire(active)
        this.#setProblem(
          `The connection was lost: ${messageOf(error)}${session.ending()}${session.lastOutput()}`,
        )
      }
      throw error
    } finally {
      active.calls -= 1
      if (active.isRetired && active.calls === 0) void this.#dispose(active)
    }
  }
}

/** A program that calls a handler directly may pass a signal that is not an `AbortSignal` of the platform. */
function callContextOf(context: ToolContext): CallContext {
  const progress = (data: unknown): void => context.progress(data)
  const { signal } = context
  if (signal instanceof AbortSignal) return { signal, progress }
  const own = new AbortController()
  const foreign: ToolContext['signal'] = signal
  foreign.addEventListener('abort', () => own.abort(foreign.reason))
  return { signal: own.signal, progress }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

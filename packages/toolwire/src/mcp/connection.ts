/** A server for as long as we know it: connected when it is needed, again after it was lost, and closed once. */

import type { CallToolResult } from '@modelcontextprotocol/client'
import { callFailure, isLost, isSessionGone, unreachable } from './call-failure.ts'
import type { CallContext } from './call-signal.ts'
import { callContextOf, orAborted } from './call-signal.ts'
import { McpError, messageOf } from './mcp-error.ts'
import type { ToolCaller } from './server-tool.ts'
import type { McpSession, McpSessionOptions, ServerTools } from './session.ts'
import { openMcpSession } from './session.ts'
import type { McpServer } from './settings.ts'

export interface Connection extends ToolCaller {
  readonly name: string
  readonly server: McpServer
  /** As they were listed last, also while the connection is lost. */
  readonly tools: ServerTools
  /** What went wrong last with connecting or listing. */
  readonly problem: string | undefined
  /** Whether it has been connected to by now, once at least. */
  readonly isKnown: boolean
  /** Gives whether it is there. */
  connect(): Promise<boolean>
  close(): Promise<void>
}

export type ConnectionOptions = Omit<McpSessionOptions, 'signal' | 'onTools'> & {
  onChange(): void
}

/** A link and the calls that still use it. */
interface Use {
  readonly link: McpSession
  calls: number
  over: boolean
  closed?: Promise<void>
}

/** The longest a timer can wait. How long a call may take is for whoever runs it to say, by its signal. */
const noTimeout = 2 ** 31 - 1

export function createConnection(name: string, server: McpServer, options: ConnectionOptions): Connection {
  const closing = new AbortController()
  const inUse = new Set<Use>()
  let tools: ServerTools = []
  let problem: string | undefined
  let isKnown = false
  let current: Promise<Use> | undefined

  const tell = (message: string | undefined): void => {
    problem = message
    options.onChange()
  }

  const learn = (listed: ServerTools | Error): void => {
    if (!(listed instanceof Error)) tools = listed
    tell(listed instanceof Error ? `The tools could not be listed again: ${messageOf(listed)}` : undefined)
  }

  const establish = async (): Promise<Use> => {
    let over = (): boolean => false
    const onTools = (listed: ServerTools | Error): void => {
      if (!over()) learn(listed)
    }
    const link = await openMcpSession(server, { ...options, signal: closing.signal, onTools })
    const use: Use = { link, calls: 0, over: false }
    over = () => use.over
    inUse.add(use)
    void link.ended.then(() => retire(use))
    isKnown = true
    learn(link.tools)
    return use
  }

  const ready = (): Promise<Use> => {
    if (closing.signal.aborted) return Promise.reject(closing.signal.reason)
    if (current !== undefined) return current
    const attempt = establish()
    current = attempt
    attempt.catch((error: unknown) => {
      current = undefined
      if (!closing.signal.aborted) tell(messageOf(error))
    })
    return attempt
  }

  /** No new calls; those under way may finish. */
  const retire = (use: Use): void => {
    if (!use.over) current = undefined
    use.over = true
    if (use.calls === 0) void dispose(use)
  }

  const dispose = (use: Use): Promise<void> => {
    use.closed ??= use.link
      .close()
      .catch(() => {})
      .finally(() => inUse.delete(use))
    return use.closed
  }

  const readyFor = ({ signal }: CallContext): Promise<Use> =>
    orAborted(ready(), signal).catch((error: unknown) => {
      signal.throwIfAborted()
      closing.signal.throwIfAborted()
      throw unreachable(name, error)
    })

  const callOnce = async (use: Use, tool: string, args: Record<string, unknown>, context: CallContext) => {
    use.calls += 1
    try {
      return await use.link.client.callTool(
        { name: tool, arguments: args },
        { signal: context.signal, timeout: noTimeout, onprogress: progress => context.progress(progress) },
      )
    } catch (error) {
      if (!context.signal.aborted && !closing.signal.aborted && isLost(error, options.sdk)) {
        retire(use)
        tell(`The connection was lost: ${messageOf(error)}${use.link.ending()}${use.link.lastWords()}`)
      }
      throw error
    } finally {
      use.calls -= 1
      if (use.over && use.calls === 0) void dispose(use)
    }
  }

  return {
    name,
    server,
    get tools() {
      return tools
    },
    get problem() {
      return problem
    },
    get isKnown() {
      return isKnown
    },
    connect: () =>
      ready().then(
        () => true,
        () => false,
      ),
    async call(tool, args, context): Promise<CallToolResult> {
      const asked = callContextOf(context)
      const use = await readyFor(asked)
      try {
        return await callOnce(use, tool, args, asked)
      } catch (error) {
        asked.signal.throwIfAborted()
        closing.signal.throwIfAborted()
        if (!isSessionGone(error, options.sdk)) throw callFailure(error, name, use.link.ending(), options.sdk)
      }
      // The server has forgotten us, so it has not run the call either.
      retire(use)
      const again = await readyFor(asked)
      return callOnce(again, tool, args, asked).catch((error: unknown) => {
        asked.signal.throwIfAborted()
        throw callFailure(error, name, '', options.sdk)
      })
    },
    async close() {
      closing.abort(new McpError('mcp_closed', `The connection to the MCP server "${name}" is closed.`))
      await current?.catch(() => {})
      await Promise.all([...inUse].map(dispose))
    },
  }
}

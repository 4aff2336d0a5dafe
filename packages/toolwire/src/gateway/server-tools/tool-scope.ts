/**
 * Which tool a failure belongs to. A handler may leave work behind, in a timer or a promise that nobody awaits; what is
 * thrown there reaches no caller, and would end the process. It is the failure of that tool and of its call.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { GatewayServerTool } from '../settings.ts'

interface ToolCall {
  readonly tool: string
  /** Without effect once the call has ended. */
  fail(error: unknown): void
}

const scope = new AsyncLocalStorage<ToolCall>()
const guarded = new WeakMap<GatewayServerTool, GatewayServerTool>()

/** The same tool, whose stray failures can be told from those of the gateway. The result is the same for the same tool. */
export function guardTool(tool: GatewayServerTool): GatewayServerTool {
  const { name, handler } = tool
  if (handler === undefined) return tool
  let made = guarded.get(tool)
  if (made === undefined) {
    made = {
      ...tool,
      handler: (...given) =>
        new Promise((resolve, reject) => {
          scope
            .run({ tool: name, fail: reject }, async () => handler.apply(tool, given))
            .then(resolve, reject)
        }),
    }
    guarded.set(tool, made)
  }
  return made
}

/** Fails the call that the current failure comes from, and returns the name of its tool; `undefined` if it is no tool's. */
export function failStrayCall(error: unknown): string | undefined {
  const call = scope.getStore()
  call?.fail(error)
  return call?.tool
}

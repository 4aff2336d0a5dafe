/** Tools that do the work of hosted ones: the model is shown the tool, and the client gets what it declared. */
import type { HostedFunction } from '@toolwire/core'
import type { GatewayServerTool, Upstream } from '../settings.ts'

/** What an upstream says of a type itself comes first; what it says of all is for those without a handler. */
export function withHandlers(upstream: Upstream, hosted: readonly GatewayServerTool[]): Upstream {
  const { hostedTools = {} } = upstream
  if (hosted.length === 0) return upstream
  const handled = hosted.map(tool => [tool.name, handlerOf(tool)] as const)
  const stated = typeof hostedTools === 'string' ? { '*': hostedTools } : hostedTools
  return { ...upstream, hostedTools: { ...Object.fromEntries(handled), ...stated } }
}

function handlerOf({ description, parameters }: GatewayServerTool): HostedFunction {
  return {
    policy: 'handler',
    ...(description !== undefined && { description }),
    parameters: parameters as NonNullable<HostedFunction['parameters']>,
  }
}

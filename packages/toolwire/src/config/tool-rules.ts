/** What of a program's values is a tool that the gateway can run. */

import type { GatewayTool } from './config.ts'
import { isObject } from './json-value.ts'

/** What `defineTool` marks its tools with: a registered symbol, the same in every copy of the library. */
const toolMark = Symbol.for('toolwire.tool')

export function isGatewayTool(value: unknown): value is GatewayTool {
  if (!isObject(value)) return false
  const { [toolMark]: mark, handler } = value as { [toolMark]?: unknown; handler?: unknown }
  return mark === true && typeof handler === 'function'
}

export function isToolList(value: unknown): boolean {
  return isIterable(value) && [...value].every(isGatewayTool)
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

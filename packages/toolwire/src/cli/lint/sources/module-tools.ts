/** The tools that a module exports: definitions, tools made with `defineTool`, registries, lists and configurations. */
import { encodeTools, type WireDefinition } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core/json'

export async function toolsOfModule(exported: unknown, wire: WireDefinition): Promise<unknown[]> {
  const values = isObject(exported) ? await Promise.all(Object.values(exported)) : []
  // A module may export a tool both by name and as default.
  return [...new Set(values.flatMap(toolsIn))].map(tool => asSent(tool, wire))
}

function toolsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.filter(looksLikeTool)
  if (!isObject(value)) return []
  if (looksLikeTool(value)) return [value]
  if (isIterable(value)) return [...value].filter(looksLikeTool)
  // A configuration, or tools by name.
  const { tools } = value as JsonObject
  return (Array.isArray(tools) ? tools : Object.values(value as JsonObject)).filter(looksLikeTool)
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value
}

function looksLikeTool(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  const { name, type, function: inner } = value
  if (isObject(inner) && typeof inner.name === 'string') return true
  const hasBody = ['parameters', 'inputSchema', 'input_schema', 'handler', 'description'].some(
    key => key in value,
  )
  return typeof name === 'string'
    ? hasBody || typeof type === 'string'
    : typeof type === 'string' && type !== 'object' && hasBody
}

/** What only a program can hold, such as handlers and schemas of a library, is written as it would be sent. */
function asSent(tool: unknown, wire: WireDefinition): unknown {
  const isData = isObject(tool) && !('handler' in tool) && !('schema' in tool) && !('inputSchema' in tool)
  if (isData && Object.getOwnPropertySymbols(tool).length === 0) return tool
  const [encoded] = encodeTools([tool as never], { to: wire.name as never }).value
  return encoded ?? tool
}

/** Tools in a configuration: made with `defineTool`, or the plain definitions that it takes. */
import { defineTool, type ToolSpec } from '@toolwire/core'
import type { GatewayTool, PlainTool } from './config.ts'
import { isObject, show } from './json-value.ts'
import type { CodeFlaw } from './rule.ts'

/** What is wrong with a list of tools. */
export function flawsOfList(value: unknown): CodeFlaw[] {
  if (!isIterable(value)) return [{ path: [], message: `must be a list of tools; got ${show(value)}.` }]
  return [...value].flatMap((tool, index) => flawsOf(tool, index))
}

/** What is wrong with tools by type. */
export function flawsOfMap(value: unknown): CodeFlaw[] {
  if (!isObject(value)) {
    return [{ path: [], message: `must be an object with a tool for each type; got ${show(value)}.` }]
  }
  return Object.entries(value).flatMap(([type, tool]) => flawsOf(tool, type))
}

/** Of a value without flaws. */
export function asGatewayTool(tool: GatewayTool | PlainTool): GatewayTool {
  // It takes all that a program may give, and was asked already.
  return defineTool(tool as ToolSpec)
}

function flawsOf(tool: unknown, place: string | number): CodeFlaw[] {
  try {
    // Whatever is no definition, it throws at.
    if (defineTool(tool as ToolSpec).handler !== undefined) return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ path: [place], message: `is no tool: ${reason.replace(/\.?$/, '.')}` }]
  }
  const remedy = 'Give it a function "handler", which only a .ts or .js configuration can hold.'
  return [{ path: [place], message: 'has no handler.', remedy }]
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

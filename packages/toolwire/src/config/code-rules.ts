/** Settings that only a program can hold: tools, made with `defineTool` or the plain definitions it takes, and wires. */
import { defineTool, defineWire, type ToolSpec, type WireDefinition } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import { show } from '../terminal/printable.ts'
import type { GatewayTool, PlainTool } from './config.ts'
import type { CodeFlaw } from './rule.ts'
import { builtInWireSet } from './wires.ts'

/** What is wrong with a list of tools. */
export function flawsOfTools(value: unknown): CodeFlaw[] {
  if (!isIterable(value)) return [{ path: [], message: `must be a list of tools; got ${show(value)}.` }]
  return [...value].flatMap((tool, index) => flawsOf(tool, index))
}

/** What is wrong with tools by type. */
export function flawsOfHosted(value: unknown): CodeFlaw[] {
  if (!isObject(value)) {
    return [{ path: [], message: `must be an object with a tool for each type; got ${show(value)}.` }]
  }
  return Object.entries(value).flatMap(([type, tool]) => flawsOf(tool, type))
}

/** The value must be without flaws. */
export function asGatewayTool(tool: GatewayTool | PlainTool): GatewayTool {
  // `defineTool` takes whatever a program may write, and the value has been checked.
  return defineTool(tool as ToolSpec)
}

function flawsOf(tool: unknown, key: string | number): CodeFlaw[] {
  try {
    // It throws when the value is not a definition.
    if (defineTool(tool as ToolSpec).handler !== undefined) return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ path: [key], message: `is not a tool: ${reason.replace(/\.?$/, '.')}` }]
  }
  const remedy = 'Give it a function "handler", which only a .ts or .js configuration can hold.'
  return [{ path: [key], message: 'has no handler.', remedy }]
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/** What is wrong with a list of definitions. */
export function flawsOfWires(value: unknown): CodeFlaw[] {
  if (!Array.isArray(value)) return [{ path: [], message: `must be a list of wires; got ${show(value)}.` }]
  const taken = new Set(builtInWireSet.names)
  const served = new Map(builtInWireSet.all.flatMap(wire => routesOf(wire).map(route => [route, wire.name])))
  return value.flatMap((wire: unknown, index): CodeFlaw[] => {
    const reason = flawOf(wire)
    if (reason !== undefined) {
      const remedy = 'Write what "defineWire" of @toolwire/core returns.'
      return [{ path: [index], message: `is not a wire: ${reason}`, remedy }]
    }
    const { name } = wire as WireDefinition
    if (taken.has(name)) {
      const message = `has the name ${show(name)}, which is taken.`
      return [{ path: [index], message, remedy: 'Give the wire another name.' }]
    }
    taken.add(name)
    const routes = routesOf(wire as WireDefinition)
    const double = routes.find(route => served.has(route))
    if (double === undefined) {
      for (const route of routes) served.set(route, name)
      return []
    }
    const message = `has the route ${double}, which the wire ${show(served.get(double))} has too.`
    return [{ path: [index], message, remedy: 'Give its routes, or their prefix, another path.' }]
  })
}

/** Parameters of a path match whatever they are called. */
function routesOf({ service: { http } }: WireDefinition): string[] {
  return http.routes.map(({ method, path }) => `${method} ${http.prefix}${path.replaceAll(/\{\w+\}/g, '{}')}`)
}

function flawOf(wire: unknown): string | undefined {
  if (!looksLikeWire(wire)) return `got ${show(wire)}.`
  try {
    // A definition may come from JavaScript, or from another copy of core: its facets are checked again.
    defineWire(wire)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export function looksLikeWire(value: unknown): value is WireDefinition {
  if (!isObject(value) || typeof value.name !== 'string') return false
  const { tools, conversation, service } = value
  return isObject(tools) && isObject(conversation) && isObject(service) && isObject(service.http)
}

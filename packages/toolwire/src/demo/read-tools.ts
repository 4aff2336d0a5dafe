/** Reads the tools of a request and its `tool_choice`, with the errors that a Chat server returns. */

import type { JsonObject } from '@toolwire/core/json'
import { isObject, own } from '@toolwire/core/json'
import { GatewayError } from '../gateway/errors.ts'
import { ownObject, ownString } from './json.ts'

export interface DemoTool {
  /** `legacy`: from the deprecated `functions`. */
  readonly kind: 'function' | 'custom' | 'legacy'
  readonly name: string
  readonly description: string
  /** A JSON Schema; `undefined` when the tool takes no arguments, or free text. */
  readonly parameters: JsonObject | undefined
  readonly isStrict: boolean
  /** A regular expression for the free text of a custom tool. */
  readonly pattern: string | undefined
}

export interface Toolbox {
  /** The tools that `tool_choice` allows. */
  readonly tools: readonly DemoTool[]
  /** Whether `tool_choice` forces a call. */
  readonly mustCall: boolean
  readonly isParallel: boolean
}

export function readToolbox(body: JsonObject): Toolbox {
  const declared = arrayIn(body, 'tools').map((tool, i) => readTool(tool, `tools[${i}]`))
  const legacy = arrayIn(body, 'functions').map((tool, i) => readFunction(tool, `functions[${i}]`, 'legacy'))
  if (declared.length > 0 && legacy.length > 0)
    throw refusal("'functions' cannot be given beside 'tools'. Move them into 'tools'.", 'functions')
  const all = [...declared, ...legacy]
  const key = legacy.length > 0 ? 'function_call' : 'tool_choice'
  const isParallel = declared.length > 0 && own(body, 'parallel_tool_calls') !== false
  return { ...choose(all, own(body, key), key), isParallel }
}

function arrayIn(body: JsonObject, key: string): readonly unknown[] {
  const value = own(body, key)
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw refusal(`Invalid type for '${key}': expected an array.`, key)
}

function readTool(tool: unknown, at: string): DemoTool {
  if (!isObject(tool)) throw refusal(`Invalid type for '${at}': expected an object.`, at)
  const type = own(tool, 'type') ?? 'function'
  if (type === 'function') return readFunction(own(tool, 'function'), `${at}.function`, 'function')
  if (type === 'custom') return readCustom(own(tool, 'custom'), `${at}.custom`)
  throw refusal(
    `Invalid value: ${JSON.stringify(type)}. Supported values are: 'function' and 'custom'.`,
    `${at}.type`,
  )
}

function readFunction(holder: unknown, at: string, kind: 'function' | 'legacy'): DemoTool {
  if (!isObject(holder)) throw refusal(`Missing required parameter: '${at}'.`, at)
  const parameters = own(holder, 'parameters') ?? undefined
  if (parameters !== undefined && !isObject(parameters))
    throw refusal(`Invalid type for '${at}.parameters': expected an object.`, `${at}.parameters`)
  return {
    kind,
    ...nameOf(holder, at),
    parameters,
    isStrict: own(holder, 'strict') === true,
    pattern: undefined,
  }
}

function readCustom(holder: unknown, at: string): DemoTool {
  if (!isObject(holder)) throw refusal(`Missing required parameter: '${at}'.`, at)
  const grammar = ownObject(ownObject(holder, 'format') ?? {}, 'grammar')
  const isRegex = grammar !== undefined && own(grammar, 'syntax') === 'regex'
  return {
    kind: 'custom',
    ...nameOf(holder, at),
    parameters: undefined,
    isStrict: false,
    pattern: isRegex ? ownString(grammar, 'definition') : undefined,
  }
}

function nameOf(holder: JsonObject, at: string): Pick<DemoTool, 'name' | 'description'> {
  const name = ownString(holder, 'name') ?? ''
  if (name === '') throw refusal(`Missing required parameter: '${at}.name'.`, `${at}.name`)
  return { name, description: ownString(holder, 'description') ?? '' }
}

type Choice = Pick<Toolbox, 'tools' | 'mustCall'>

function choose(all: readonly DemoTool[], choice: unknown, key: string): Choice {
  if (choice === undefined || choice === null || choice === 'auto') return { tools: all, mustCall: false }
  if (choice === 'none') return { tools: [], mustCall: false }
  if (choice === 'required') {
    if (all.length === 0) throw refusal(`'${key}' asks for a call, but the request has no tools.`, key)
    return { tools: all, mustCall: true }
  }
  if (isObject(choice)) {
    const subset = ownObject(choice, 'allowed_tools')
    if (subset !== undefined) return allowed(all, subset, `${key}.allowed_tools`)
    const name = chosenName(choice)
    if (name !== undefined) return { tools: [find(all, name, key)], mustCall: true }
  }
  throw refusal(
    `Invalid value for '${key}'. Supported values are: 'none', 'auto', 'required', one tool by its name, and 'allowed_tools'.`,
    key,
  )
}

function allowed(all: readonly DemoTool[], subset: JsonObject, at: string): Choice {
  const names = arrayIn(subset, 'tools').map(tool => (isObject(tool) ? chosenName(tool) : undefined))
  if (names.length === 0) throw refusal(`'${at}.tools' names no tool.`, `${at}.tools`)
  const tools = names.map((name, i) => find(all, name ?? '', `${at}.tools[${i}]`))
  return { tools, mustCall: own(subset, 'mode') === 'required' }
}

function chosenName(choice: JsonObject): string | undefined {
  const holder = ownObject(choice, 'function') ?? ownObject(choice, 'custom') ?? choice
  return ownString(holder, 'name')
}

function find(all: readonly DemoTool[], name: string, at: string): DemoTool {
  const tool = all.find(one => one.name === name)
  if (tool !== undefined) return tool
  throw refusal(`'${at}' names the tool ${JSON.stringify(name)}, which is not among the request's tools.`, at)
}

export function refusal(message: string, param: string, code?: string): GatewayError {
  return new GatewayError('invalid_request', message, { param, ...(code !== undefined && { code }) })
}

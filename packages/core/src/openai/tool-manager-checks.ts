/** Checks of what programs pass to a `ToolManager`, with messages that say how to correct a mistake. */

import { checkToolOptions } from '../convert/shared/options.ts'
import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import { isObject, type JsonObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import { callOptionNames, readRunOptions } from '../runtime/calls/run-options.ts'
import { ToolError } from '../runtime/errors.ts'
import type { ToolManagerOptions } from './tool-manager-types.ts'
import { formatOptionNames } from './types.ts'

const known: KnownOptions<ToolManagerOptions & { readonly host: unknown; readonly now: unknown }> = {
  ...formatOptionNames,
  ...callOptionNames,
  tools: true,
  results: true,
  maxTracked: true,
  maxConversations: true,
  host: true,
  now: true,
}

export function checkOptions(options: ToolManagerOptions): void {
  const value: unknown = options
  if (!isObject(value)) throw new TypeError(`ToolManager takes an object of options; got ${show(value)}.`)
  refuseUnknownOptions('ToolManager', value, known)
  const { tools, results, strict, misplacedStrict, onDiagnostic, maxTracked, maxConversations } = options
  if (tools !== undefined && !isIterable(tools)) {
    throw new TypeError(`"tools" must be a ToolRegistry or a list of tools; got ${show(tools)}.`)
  }
  if (results !== undefined && results !== 'function_call_output' && results !== 'tool_result') {
    throw new TypeError(`"results" must be one of function_call_output, tool_result; got ${show(results)}.`)
  }
  if (onDiagnostic !== undefined && typeof onDiagnostic !== 'function') {
    throw new TypeError(`"onDiagnostic" must be a function; got ${show(onDiagnostic)}.`)
  }
  checkToolOptions({
    ...(strict !== undefined && typeof strict !== 'boolean' && { strict }),
    ...(misplacedStrict !== undefined && { misplacedStrict }),
  })
  checkLimit('maxTracked', maxTracked)
  checkLimit('maxConversations', maxConversations)
  readRunOptions({ ...options, tools: [] })
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function checkLimit(name: string, value: unknown): void {
  if (value === undefined || (Number.isInteger(value) && (value as number) >= 1)) return
  throw new TypeError(`"${name}" must be a whole number of at least 1; got ${show(value)}.`)
}

/** `undefined` and `null` count as an empty list, as in messages without calls. */
export function requireList(value: unknown, method: string, what: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw new ToolError('not_a_list', `${method} needs ${what}; got ${show(value)}.`)
}

/** The body of an answer: one with `output`, or one with an error. */
export function requireAnswer(value: unknown): JsonObject {
  const expected = 'process needs the body of a Responses answer, an object with a list "output"'
  if (!isObject(value)) throw new TypeError(`${expected}; got ${show(value)}.`)
  if (Array.isArray(own(value, 'output')) || isObject(own(value, 'error'))) return value
  const chat = own(value, 'choices') === undefined ? '' : ' This looks like an answer of Chat Completions.'
  throw new TypeError(`${expected}; its "output" is ${show(own(value, 'output'))}.${chat}`)
}

export function requireConversationId(id: unknown): string {
  if (typeof id === 'string' && id !== '') return id
  throw new TypeError(`The id of a conversation must be a string that is not empty; got ${show(id)}.`)
}

export function requireCallId(error: unknown): string {
  const id = isObject(error) ? error.tool_call_id : undefined
  if (typeof id === 'string' && id !== '') return id
  const expected = 'handleFailedToolCall needs the id of the failed call as "tool_call_id" on the error'
  throw new TypeError(`${expected}; got ${isObject(error) ? show(id) : show(error)}.`)
}

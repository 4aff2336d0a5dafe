/** What a user may hand in: a list of tools, a request body, or a single tool. */
import { detectWire, type Path, type BuiltInWire as Wire } from '@toolwire/core'
import { InputError } from '../terminal/errors.ts'
import { printable } from '../terminal/printable.ts'

export interface ToolInput {
  /** A list of tools, or a request body. */
  readonly value: unknown
  /** A single tool was given; the list is ours. */
  readonly single: boolean
  /** The wire it looks to be written for. */
  readonly wire: Wire | undefined
  /** There is nothing in it that any wire would say in its own way. */
  readonly empty: boolean
  /** What the user should know about how the input was taken. */
  readonly note?: string
  /** Whether what stands at a path of the document is about tools, and not the rest of a body. */
  concernsTools(path: Path): boolean
}

/** The fields of a body that belong to its tools. */
const toolFields = ['tools', 'functions', 'tool_choice', 'function_call', 'parallel_tool_calls']
/** Any of these makes an object a request body. */
const bodyKeys = [...toolFields, 'input', 'messages']
const toolKeys = ['function', 'custom', 'name', 'input_schema', 'type']

export function asToolInput(
  value: unknown,
  name: string,
  expected = 'a list of tools, or a request body with "tools"',
): ToolInput {
  if (Array.isArray(value)) return listInput(value, false)
  if (typeof value === 'object' && value !== null) {
    const has = (keys: readonly string[]): boolean => keys.some(key => Object.hasOwn(value, key))
    if (has(bodyKeys)) return bodyInput(value as Record<string, unknown>)
    if (has(toolKeys)) return listInput([value], true)
  }
  throw new InputError(printable(name), `expected ${expected}.`)
}

function listInput(value: readonly unknown[], single: boolean): ToolInput {
  const note = single ? { note: 'A single tool, taken as a list of one.' } : {}
  const wire = detectWire(value)
  return { value, single, wire, empty: value.length === 0, concernsTools: () => true, ...note }
}

function bodyInput(body: Readonly<Record<string, unknown>>): ToolInput {
  const found = toolFields.filter(key => Object.hasOwn(body, key))
  const declaring = declaringItems(body.input)
  if (declaring.size > 0) found.push('the tools in input')
  return {
    value: body,
    single: false,
    wire: detectWire(body),
    empty: found.every(key => key === 'tools' && Array.isArray(body.tools) && body.tools.length === 0),
    concernsTools: ([first, second]) =>
      toolFields.includes(String(first)) || (first === 'input' && declaring.has(second)),
    note:
      found.length === 0
        ? 'There are no tools in this body.'
        : `A request body: only its tool part (${found.join(', ')}) is converted and written, not the rest of the body.`,
  }
}

/** The items of a Responses input that declare tools. */
function declaringItems(input: unknown): ReadonlySet<unknown> {
  const indexes = (Array.isArray(input) ? input : []).map((item: unknown, index) =>
    typeof item === 'object' && item !== null && 'type' in item && item.type === 'additional_tools'
      ? index
      : -1,
  )
  return new Set(indexes.filter(index => index >= 0))
}

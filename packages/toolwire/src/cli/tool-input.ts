/** What a user may hand in: a list of tools, a request body, or a single tool. */
import { InputError } from './errors.ts'
import { printable } from './printable.ts'

export interface ToolInput {
  /** A list of tools, or a request body. */
  readonly value: unknown
  /** A single tool was given; the list is ours. */
  readonly single: boolean
  /** What the user should know about how the input was taken. */
  readonly note?: string
}

/** Any of these makes an object a request body. */
const bodyKeys = [
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'parallel_tool_calls',
  'input',
  'messages',
]
const toolKeys = ['function', 'custom', 'name', 'input_schema', 'type']

export function asToolInput(value: unknown, name: string): ToolInput {
  if (Array.isArray(value)) return { value, single: false }
  if (typeof value === 'object' && value !== null) {
    const has = (keys: readonly string[]): boolean => keys.some(key => Object.hasOwn(value, key))
    if (has(bodyKeys)) {
      const note = 'A request body: its tool part is taken, the rest is left alone.'
      return { value, single: false, note }
    }
    if (has(toolKeys)) return { value: [value], single: true, note: 'A single tool, taken as a list of one.' }
  }
  const expected = 'expected a list of tools, or a request body with "tools"'
  throw new InputError(`${printable(name)}: ${expected}.`)
}

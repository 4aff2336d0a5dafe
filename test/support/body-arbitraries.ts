/** Random tool parts of requests: tools, a choice among them or not, and the flag for parallel calls. */
import type { Wire } from '@toolwire/core'
import fc from 'fast-check'
import { toolsOf } from './tool-arbitraries.ts'

type Body = Record<string, unknown>

const optionalFlag = fc.option(fc.boolean(), { nil: undefined })
const mode = fc.constantFrom('auto', 'required')
const word = fc.constantFrom('auto', 'none', 'required')

interface Ref {
  readonly type: 'function' | 'custom'
  readonly name: string
}

/** The functions and custom tools that a choice could name. */
function declared(tools: readonly Body[]): Ref[] {
  return tools.flatMap<Ref>(tool => {
    const type = tool.type === 'custom' && tool.input_schema === undefined ? 'custom' : 'function'
    const { name } = (tool.function ?? tool.custom ?? tool) as { name?: unknown }
    return typeof name === 'string' && tool.type !== 'namespace' ? [{ type, name }] : []
  })
}

function openAiChoice(refs: readonly Ref[], nested: boolean): fc.Arbitrary<unknown> {
  const write = ({ type, name }: Ref): object => (nested ? { type, [type]: { name } } : { type, name })
  if (refs.length === 0) return word
  const one = fc.constantFrom(...refs).map(write)
  const subset = fc
    .tuple(mode, fc.uniqueArray(one, { minLength: 1, maxLength: 3 }))
    .map(([chosen, tools]) => {
      const fields = { mode: chosen, tools }
      return nested ? { type: 'allowed_tools', allowed_tools: fields } : { type: 'allowed_tools', ...fields }
    })
  return fc.oneof(word, one, subset)
}

function messagesChoice(refs: readonly Ref[]): fc.Arbitrary<unknown> {
  const flag = optionalFlag.map(value => (value === undefined ? {} : { disable_parallel_tool_use: value }))
  const plain = fc.oneof(fc.constant({ type: 'auto' }), fc.constant({ type: 'any' }))
  const kind =
    refs.length === 0
      ? plain
      : fc.oneof(
          plain,
          fc.constantFrom(...refs).map(({ name }) => ({ type: 'tool', name })),
        )
  return fc.oneof(
    fc.constant({ type: 'none' }),
    fc.tuple(kind, flag).map(([choice, more]) => ({ ...choice, ...more })),
  )
}

export function bodyOf(wire: Wire): fc.Arbitrary<Body> {
  return toolsOf(wire).chain(tools => {
    const refs = declared(tools)
    const choice = wire === 'messages' ? messagesChoice(refs) : openAiChoice(refs, wire === 'chat')
    const fields =
      wire === 'messages'
        ? { tool_choice: choice }
        : { tool_choice: choice, parallel_tool_calls: fc.boolean() }
    return fc.record(fields, { requiredKeys: [] }).map(rest => ({ tools, ...rest }))
  })
}

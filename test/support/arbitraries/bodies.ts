/** Random tool parameters of requests: tools, an optional choice among them, and the flag for parallel calls. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import fc from 'fast-check'
import { toolsOf } from './tools.ts'

type Body = Record<string, unknown>

const optionalFlag = fc.option(fc.boolean(), { nil: undefined })
const mode = fc.constantFrom('auto', 'required')
const word = fc.constantFrom('auto', 'none', 'required')

interface Ref {
  readonly type: 'function' | 'custom'
  readonly name: string
  readonly namespace?: string
}

/** The functions and custom tools that a choice could name. */
function declared(tools: readonly Body[]): Ref[] {
  return tools.flatMap<Ref>(tool => {
    if (tool.type === 'namespace') {
      return declared(tool.tools as Body[]).map(ref => ({ ...ref, namespace: String(tool.name) }))
    }
    const type = tool.type === 'custom' && tool.input_schema === undefined ? 'custom' : 'function'
    const { name } = (tool.function ?? tool.custom ?? tool) as { name?: unknown }
    return typeof name === 'string' ? [{ type, name }] : []
  })
}

/** Choices of hosted tools, declared or not. */
const hostedChoice = fc.constantFrom<Body>(
  { type: 'web_search_preview' },
  { type: 'mcp', server_label: 'docs', name: 'search' },
  { type: 'code_interpreter' },
  { type: 'shell', x_note: 'extra' },
)

const unknownField = fc.constantFrom({}, { x_choice: 'unknown' })

function openAiChoice(refs: readonly Ref[], nested: boolean): fc.Arbitrary<unknown> {
  const write = ({ type, ...fields }: Ref): Body => (nested ? { type, [type]: fields } : { type, ...fields })
  const named =
    refs.length === 0
      ? []
      : [
          fc
            .tuple(fc.constantFrom(...refs).map(write), unknownField)
            .map(([ref, more]) => ({ ...ref, ...more })),
        ]
  const refsOf = nested ? named : [...named, hostedChoice]
  if (refsOf.length === 0) return word
  const one = fc.oneof(...refsOf)
  const subset = fc
    .tuple(mode, fc.uniqueArray(one, { minLength: 1, maxLength: 3 }), unknownField)
    .map(([chosen, tools, more]) => {
      const fields = { mode: chosen, tools }
      return nested
        ? { type: 'allowed_tools', allowed_tools: fields, ...more }
        : { type: 'allowed_tools', ...fields, ...more }
    })
  return fc.oneof(word, one, subset)
}

function messagesChoice(refs: readonly Ref[]): fc.Arbitrary<unknown> {
  const flag = optionalFlag.map(value => (value === undefined ? {} : { disable_parallel_tool_use: value }))
  const plain = fc.constantFrom<Body>({ type: 'auto' }, { type: 'any' }, { type: 'none' })
  const kind =
    refs.length === 0
      ? plain
      : fc.oneof(
          plain,
          fc.constantFrom(...refs).map(({ name }) => ({ type: 'tool', name })),
        )
  return fc
    .tuple(kind, flag, unknownField)
    .map(([choice, more, unknown]) => ({ ...choice, ...more, ...unknown }))
}

/** Chat's deprecated fields, alone or beside the new ones. */
function legacyOf(tools: readonly Body[]): fc.Arbitrary<Body> {
  const functions = tools.flatMap(tool => (tool.function === undefined ? [] : [tool.function]))
  const name = (functions[0] as { name?: string } | undefined)?.name
  const call = fc.oneof(
    fc.constant('auto'),
    fc.constant('none'),
    ...(name === undefined ? [] : [fc.constant({ name })]),
  )
  if (functions.length === 0) return fc.constant({})
  return fc.oneof(
    fc.constant({}),
    fc.record({ functions: fc.constant(functions), function_call: call }, { requiredKeys: ['functions'] }),
  )
}

export function bodyOf(wire: Wire): fc.Arbitrary<Body> {
  return toolsOf(wire).chain(tools => {
    const refs = declared(tools)
    const choice = wire === 'messages' ? messagesChoice(refs) : openAiChoice(refs, wire === 'chat')
    const parallel = wire === 'responses' ? fc.option(fc.boolean()) : fc.boolean()
    const fields =
      wire === 'messages' ? { tool_choice: choice } : { tool_choice: choice, parallel_tool_calls: parallel }
    const legacy = wire === 'chat' ? legacyOf(tools) : fc.constant({})
    return fc
      .tuple(fc.record(fields, { requiredKeys: [] }), legacy)
      .map(([rest, more]) => ({ tools, ...rest, ...more }))
  })
}

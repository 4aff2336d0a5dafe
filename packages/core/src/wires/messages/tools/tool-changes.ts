/** Tools that system messages and compactions offer or withdraw in the middle of a conversation. */
import type { Draft, JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { Tool, ToolChange, ToolParams } from '../../../model/tool.ts'
import { decodeTool } from './tools.ts'

/** A change of a tool that other wires can know: by its name, or with its definition. */
export function isToolChange(block: unknown): boolean {
  return isObject(block) && changeOf(block) !== undefined
}

type Change =
  | { readonly kind: 'definition'; readonly definition: JsonObject }
  | { readonly kind: 'offered' | 'withdrawn'; readonly name: string }

function changeOf(block: JsonObject): Change | undefined {
  const type = own(block, 'type')
  const tool = own(block, 'tool')
  if (!isObject(tool) || (type !== 'tool_addition' && type !== 'tool_removal')) return undefined
  const definition = own(tool, 'definition')
  if (type === 'tool_addition' && own(tool, 'type') === 'tool_definition' && isObject(definition)) {
    return { kind: 'definition', definition }
  }
  const name = own(tool, 'name')
  if (own(tool, 'type') !== 'tool_reference' || typeof name !== 'string') return undefined
  return { kind: type === 'tool_addition' ? 'offered' : 'withdrawn', name }
}

type ToolChanges = Pick<ToolParams, 'additionalTools' | 'changes'>

export function decodeToolChanges(messages: unknown, report: Report): ToolChanges {
  const changes = new Map<string, ToolChange>()
  const defined: Tool[] = []
  for (const { block, path } of blocksOf(messages)) {
    const change = changeOf(block)
    if (change === undefined) continue
    if (change.kind !== 'definition') {
      changes.set(change.name, { kind: change.kind, path: [...path, 'tool', 'name'] })
      continue
    }
    const tool = decodeTool(change.definition, [...path, 'tool', 'definition'], report)
    defined.push(tool)
    const name = own(change.definition, 'name')
    if (typeof name === 'string') changes.delete(name)
  }
  const read: Draft<ToolChanges> = {}
  if (defined.length > 0) read.additionalTools = defined
  if (changes.size > 0) read.changes = changes
  return read
}

/** Every block that may change tools, in order. */
function* blocksOf(messages: unknown): Generator<{ block: JsonObject; path: Path }> {
  for (const { value: message, path } of membersOf(messages, ['messages'])) {
    for (const inner of membersOf(own(message, 'content'), [...path, 'content'])) {
      const { value: block } = inner
      if (own(block, 'type') !== 'compaction') yield { block, path: inner.path }
      else {
        for (const change of membersOf(own(block, 'tool_changes'), [...inner.path, 'tool_changes'])) {
          yield { block: change.value, path: change.path }
        }
      }
    }
  }
}

function* membersOf(list: unknown, path: Path): Generator<{ value: JsonObject; path: Path }> {
  if (!Array.isArray(list)) return
  for (const [i, value] of list.entries()) if (isObject(value)) yield { value, path: [...path, i] }
}

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
  const changes: ToolChange[] = []
  const defined: Tool[] = []
  eachBlock(messages, (block, place) => {
    const change = changeOf(block)
    if (change === undefined) return
    if (change.kind !== 'definition') {
      changes.push({ ...change, path: ['messages', ...place, 'tool', 'name'] })
      return
    }
    const at = ['messages', ...place, 'tool', 'definition']
    defined.push(decodeTool(change.definition, at, report))
    const name = own(change.definition, 'name')
    if (typeof name === 'string') changes.push({ kind: 'offered', name, path: [...at, 'name'] })
  })
  const read: Draft<ToolChanges> = {}
  if (defined.length > 0) read.additionalTools = defined
  if (changes.length > 0) read.changes = changes
  return read
}

/** Every block that may change tools, in order. Nearly all are ordinary content, for which no path is made. */
function eachBlock(messages: unknown, visit: (block: JsonObject, place: Path) => void): void {
  eachMember(messages, (message, at) =>
    eachMember(own(message, 'content'), (block, i) => {
      const type = own(block, 'type')
      if (type === 'tool_addition' || type === 'tool_removal') visit(block, [at, 'content', i])
      if (type !== 'compaction') return
      eachMember(own(block, 'tool_changes'), (change, j) =>
        visit(change, [at, 'content', i, 'tool_changes', j]),
      )
    }),
  )
}

function eachMember(list: unknown, visit: (member: JsonObject, index: number) => void): void {
  if (!Array.isArray(list)) return
  for (let i = 0; i < list.length; i++) if (isObject(list[i])) visit(list[i], i)
}

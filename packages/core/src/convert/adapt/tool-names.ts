/**
 * Names that the target refuses get a legal one: the same for the same name every time, and never one that
 * another tool has. Names that already fit are never touched, so only the odd ones look odd.
 */

import type { Path } from '../../model/diagnostic.ts'
import { shortHash } from '../../model/hash.ts'
import type { CustomTool, FunctionTool, Tool } from '../../model/tool.ts'
import type { AdaptContext } from './context.ts'
import { originOf } from './context.ts'

export function adaptToolNames(tools: readonly Tool[], context: AdaptContext): Tool[] {
  return renameWithin(tools, context).map(tool =>
    tool.kind === 'namespace' ? { ...tool, tools: renameWithin(tool.tools, context) } : tool,
  )
}

function renameWithin(tools: readonly Tool[], { profile, report, sameWire }: AdaptContext): Tool[] {
  const legal = legalName(profile.nameCharacters, profile.nameMaxLength)
  const names = new Map<Tool, string>()
  const taken = new Map<string, string>()
  const later: (FunctionTool | CustomTool)[] = []
  // Tools that keep their declared name choose first; flattened, wrapped and illegal ones make room.
  for (const tool of tools) {
    if (tool.kind !== 'function' && tool.kind !== 'custom') continue
    if (tool.origin !== undefined || !legal(tool.name)) later.push(tool)
    else if (!claim(taken, tool)) reportDuplicate(tool)
  }
  const mangled = new Map<string, string>()
  for (const tool of later) {
    if (legal(tool.name) && claim(taken, tool)) continue
    const origin = identity(tool)
    const known = legal(tool.name) && taken.get(tool.name) === origin ? tool.name : mangled.get(origin)
    if (known !== undefined) reportDuplicate(tool)
    const name = known ?? mangle(tool.name, origin, taken, profile.nameCharacters, profile.nameMaxLength)
    mangled.set(origin, name)
    if (name !== tool.name) names.set(tool, name)
  }
  return tools.map(tool => {
    const name = names.get(tool)
    if (name === undefined || (tool.kind !== 'function' && tool.kind !== 'custom')) return tool
    report(
      'tool_renamed',
      namePath(tool),
      `"${tool.name}" does not fit the target's rules for names or is taken; it goes as "${name}".`,
    )
    return { ...tool, name, origin: originOf(tool) }
  })

  function reportDuplicate(tool: FunctionTool | CustomTool): void {
    if (!sameWire)
      report(
        'duplicate_tool_name',
        namePath(tool),
        `Another tool is called "${tool.name}" too; most servers refuse that.`,
      )
  }
}

function namePath(tool: FunctionTool | CustomTool): Path {
  return [...tool.path, 'name']
}

function claim(taken: Map<string, string>, tool: FunctionTool | CustomTool): boolean {
  if (taken.has(tool.name)) return false
  taken.set(tool.name, identity(tool))
  return true
}

/** Tells apart tools that would go by the same name: a function and a custom tool, or two namespaces'. */
function identity(tool: FunctionTool | CustomTool): string {
  const { kind, namespace = '', name, type = '' } = originOf(tool)
  return JSON.stringify([kind, namespace, name, type])
}

function legalName(characters: string | null, maxLength: number): (name: string) => boolean {
  const pattern = characters === null ? undefined : new RegExp(`^[${characters}]+$`)
  return name => name.length <= maxLength && (pattern?.test(name) ?? true)
}

function mangle(
  name: string,
  origin: string,
  taken: Map<string, string>,
  characters: string | null,
  maxLength: number,
): string {
  const readable = characters === null ? name : name.replace(new RegExp(`[^${characters}]`, 'g'), '_')
  for (let attempt = 0; ; attempt++) {
    const suffix = `_${shortHash(attempt === 0 ? origin : `${origin}#${attempt}`)}`
    const candidate = `${readable.slice(0, maxLength - suffix.length)}${suffix}`
    if (taken.has(candidate)) continue
    taken.set(candidate, origin)
    return candidate
  }
}

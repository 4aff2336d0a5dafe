/**
 * Replaces names that the target refuses. The new name is always the same for the same tool, and never the name of
 * another tool. Legal names stay unchanged.
 */

import { isObject } from '../../../json/object.ts'
import type { Path } from '../../../model/diagnostic.ts'
import { shortHash } from '../../../model/hash.ts'
import type { Request } from '../../../model/request.ts'
import { type CallableTool, isCallable, type Tool } from '../../../model/tool.ts'
import type { Profile } from '../../../wires/profile.ts'
import { mapShared } from '../../shared/shared-lists.ts'
import { originOf } from '../../shared/tools.ts'
import { legalText, patternsOf } from '../characters.ts'
import type { AdaptContext } from '../context.ts'
import { withTools } from '../context.ts'

export function adaptToolNames(request: Request, context: AdaptContext): Request {
  const { tools } = request.tools
  if (tools === undefined) return request
  const renamed = mapShared(renameWithin(tools, context), tool => {
    if (tool.kind !== 'namespace') return tool
    const inner = renameWithin(tool.tools, context)
    return inner === tool.tools ? tool : { ...tool, tools: inner }
  })
  return withTools(request, renamed)
}

function renameWithin(tools: readonly Tool[], { profile, report, isNative }: AdaptContext): readonly Tool[] {
  const legal = legalName(profile)
  if (allKeepNames(tools, legal, isNative)) return tools
  /** The identity of the tool that has taken each name. */
  const taken = new Map<string, string>()
  const names = new Map<Tool, string>()
  if (!isNative) for (const name of tools.flatMap(fixedName)) taken.set(name, 'fixed')
  // Tools that keep their declared name come first; flattened, wrapped and illegal ones must avoid those names.
  const callables = tools.filter(isCallable)
  const settled = callables.filter(
    tool => tool.origin === undefined && legal(tool.name) && taken.get(tool.name) !== 'fixed',
  )
  const isSettled = new Set<Tool>(settled)
  for (const tool of settled) claim(taken, tool)
  const mangled = new Map<string, string>()
  for (const tool of callables.filter(tool => !isSettled.has(tool))) {
    if (legal(tool.name) && claim(taken, tool)) continue
    const origin = identity(tool)
    const known = legal(tool.name) && taken.get(tool.name) === origin ? tool.name : mangled.get(origin)
    const name = known ?? mangle(tool.name, origin, taken, profile)
    mangled.set(origin, name)
    if (name !== tool.name) names.set(tool, name)
  }
  return mapShared(tools, tool => {
    const name = names.get(tool)
    if (name === undefined || !isCallable(tool)) return tool
    const reason = legal(tool.name) ? 'is taken by another tool' : "does not fit the target's rules for names"
    report('tool_renamed', namePath(tool), `"${tool.name}" ${reason}; it goes as "${name}".`)
    return { ...tool, name, origin: originOf(tool) }
  })
}

/** True if every tool has a legal and unique name, so that nothing has to be renamed. */
function allKeepNames(tools: readonly Tool[], legal: (name: string) => boolean, isNative: boolean): boolean {
  const seen = new Set<string>()
  for (const tool of tools) {
    if (isCallable(tool)) {
      if (tool.origin !== undefined || !legal(tool.name)) return false
      // On its own wire duplicate names stay as they are.
      if (isNative) continue
      if (seen.has(tool.name)) return false
      seen.add(tool.name)
    } else if (tool.kind !== 'namespace' && !isNative) {
      return false
    }
  }
  return true
}

/** Hosted and unknown tools cannot be renamed, so their names are reserved. */
function fixedName(tool: Tool): string[] {
  if (tool.kind === 'hosted' && tool.mapped) return ['web_search']
  const source = tool.kind === 'hosted' ? tool.definition : tool.kind === 'opaque' ? tool.value : undefined
  return isObject(source) && typeof source.name === 'string' ? [source.name] : []
}

/** A hosted tool may be declared without a name; then the path of its type is used. */
export function namePath(tool: CallableTool): Path {
  return [...tool.path, tool.origin?.kind === 'hosted' ? 'type' : 'name']
}

function claim(taken: Map<string, string>, tool: CallableTool): boolean {
  if (taken.has(tool.name)) return false
  taken.set(tool.name, identity(tool))
  return true
}

/** Distinguishes tools of one name: a function and a custom tool, or tools of two namespaces. */
export function identity(tool: CallableTool): string {
  const { kind, namespace = '', name, type = '', label = '' } = originOf(tool)
  return JSON.stringify([kind, namespace, name, type, label])
}

function legalName({ nameCharacters, nameMaxLength }: Profile): (name: string) => boolean {
  const pattern = nameCharacters === null ? undefined : patternsOf(nameCharacters).only
  return name => name.length <= nameMaxLength && (pattern?.test(name) ?? true)
}

/** A legal name for a tool that is no longer declared but was called in the history. */
export function fitName(name: string, profile: Profile): string {
  return legalName(profile)(name) ? name : mangle(name, name, new Map(), profile)
}

function mangle(name: string, origin: string, taken: Map<string, string>, profile: Profile): string {
  const { nameCharacters, nameMaxLength } = profile
  const readable = legalText(name, nameCharacters)
  for (let attempt = 0; ; attempt++) {
    const suffix = `_${shortHash(attempt === 0 ? origin : `${origin}#${attempt}`)}`
    const candidate = `${readable.slice(0, nameMaxLength - suffix.length)}${suffix}`
    if (taken.has(candidate)) continue
    taken.set(candidate, origin)
    return candidate
  }
}

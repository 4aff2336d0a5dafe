/** Renames and reshapes the calls of earlier turns to match the adapted tools. */
import { parseJson } from '../../../json/text.ts'
import type { CallPart, Part, ResultPart } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import { type CallableTool, isCallable, type Tool } from '../../../model/tool.ts'
import { CallableMap } from '../../shared/callable-map.ts'
import { mapParts } from '../../shared/shared-lists.ts'
import { originOf } from '../../shared/tools.ts'
import type { AdaptContext } from '../context.ts'
import { withTurns } from '../context.ts'
import { fitName } from '../tools/tool-names.ts'

export function adaptHistoryCalls(request: Request, context: AdaptContext): Request {
  const { tools = [] } = request.tools
  if (context.isNative && tools.every(tool => !('origin' in tool))) return request
  const find = indexByOrigin(tools)
  const wrapped = new Set<string>()
  const turns = mapParts(request.turns, (part: Part): Part => {
    if (part.kind === 'call') {
      const adapted = adaptCall(part, find(part.form, part.name, part.namespace), context)
      if (adapted.form !== part.form && part.id !== undefined) wrapped.add(part.id)
      return adapted
    }
    return part.kind === 'result' ? adaptResult(part, wrapped) : part
  })
  return withTurns(request, turns)
}

function indexByOrigin(
  tools: readonly Tool[],
): (form: string, name: string, namespace?: string) => CallableTool | undefined {
  const known = new CallableMap<CallableTool>()
  const byType = new Map<string, CallableTool>()
  for (const tool of tools) {
    if (!isCallable(tool)) continue
    const { kind, name, namespace, type, family } = originOf(tool)
    known.set(tool, kind, name, namespace)
    // Calls of a hosted tool were decoded as function calls with the tool's name.
    if (kind === 'hosted') for (const hosted of [name, type, family]) if (hosted) byType.set(hosted, tool)
  }
  // Responses gives a deferred tool a namespace that repeats its name.
  return (form, name, namespace) =>
    known.get(form, name, namespace) ??
    (namespace === name ? known.get(form, name) : undefined) ??
    (namespace === undefined && form === 'function' ? byType.get(name) : undefined)
}

function adaptCall(
  part: CallPart,
  tool: CallableTool | undefined,
  { profile, report }: AdaptContext,
): CallPart {
  const { namespace } = part
  // Calls of tools that are no longer declared must fit the target too.
  const form = tool?.kind ?? (profile.customTools ? part.form : 'function')
  const fullName = namespace === undefined || profile.namespaces ? part.name : `${namespace}__${part.name}`
  const name = tool?.name ?? fitName(fullName, profile)
  if (tool === undefined && name !== fullName) {
    report(
      'tool_renamed',
      part.path,
      `"${fullName}" does not fit the target's rules for names; it goes as "${name}".`,
    )
  }
  const wrappedIn = tool?.kind === 'function' ? tool.wrappedIn : undefined
  const args = form === part.form ? normalizedInput(part) : JSON.stringify({ input: part.input })
  const input = wrappedIn === undefined ? args : `{${JSON.stringify(wrappedIn)}:${jsonOf(args)}}`
  const keepsNamespace = namespace === undefined || profile.namespaces
  if (keepsNamespace && form === part.form && name === part.name && input === part.input) return part
  const { namespace: _, ...plain } = part
  const namespaced = namespace !== undefined && profile.namespaces ? { namespace } : {}
  return { ...plain, ...namespaced, form, name, input }
}

/** Some servers write an empty string for no arguments, which others refuse. */
function normalizedInput({ form, input }: CallPart): string {
  return form === 'function' && input.trim() === '' ? '{}' : input
}

/** Arguments that are no JSON are wrapped as the text that they are. */
function jsonOf(args: string): string {
  return parseJson(args) === undefined ? JSON.stringify(args) : args
}

function adaptResult(part: ResultPart, wrapped: ReadonlySet<string>): ResultPart {
  return part.callId !== undefined && wrapped.has(part.callId) ? { ...part, form: 'function' } : part
}

/** Tools of one name: equal ones are sent once, a later one of the conversation replaces the earlier, others are an error. */
import { isSame } from '../../../json/object.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import { type CallableTool, isCallable, type Tool } from '../../../model/tool.ts'
import type { AdaptContext } from '../context.ts'
import { withTools } from '../context.ts'
import { identity, namePath } from './tool-names.ts'

/** On its own wire a list stays as it is. */
export function mergeDuplicates(request: Request, { isNative, report }: AdaptContext): Request {
  const { tools } = request.tools
  if (tools === undefined || isNative || !hasDuplicates(tools)) return request
  const kept: Tool[] = []
  const places = new Map<string, number>()
  for (const tool of tools) {
    const key = isCallable(tool) ? identity(tool) : undefined
    const at = key === undefined ? undefined : places.get(key)
    const winner =
      at === undefined ? undefined : merge(kept[at] as CallableTool, tool as CallableTool, report)
    if (at !== undefined && winner !== undefined) {
      kept[at] = winner
      continue
    }
    if (key !== undefined) places.set(key, kept.length)
    kept.push(tool)
  }
  return withTools(request, kept)
}

function hasDuplicates(tools: readonly Tool[]): boolean {
  const names = new Set<string>()
  for (const tool of tools) {
    if (!isCallable(tool)) continue
    if (names.has(tool.name)) return true
    names.add(tool.name)
  }
  return false
}

/** The one of both that is sent; `undefined` if both are. */
function merge(earlier: CallableTool, later: CallableTool, report: Report): CallableTool | undefined {
  const { name } = later
  if (later.inHistory) {
    const message = `The conversation declares "${name}" again; the last declaration counts.`
    report('duplicate_tool_removed', earlier.root, message)
    return later
  }
  if (isSame(meaningOf(earlier), meaningOf(later))) {
    report(
      'duplicate_tool_removed',
      later.root,
      `"${name}" is declared twice in the same way; it is sent once.`,
    )
    return earlier
  }
  const [first, second] = [earlier, later].map(({ root }) => placeOf(root))
  const message = `Two different tools are called "${name}": ${first} and ${second}. Rename one, or leave it out.`
  report('duplicate_tool_name', namePath(later), message)
  return undefined
}

/** What the model and the server are told of a tool. */
function meaningOf(tool: CallableTool): object {
  const { description = '', deferLoading = false } = tool
  if (tool.kind === 'custom') return { description, deferLoading, format: tool.format ?? null }
  const { parameters = null, outputSchema = null, strict = false } = tool
  return { description, deferLoading, parameters, outputSchema, strict }
}

function placeOf(root: readonly (string | number)[]): string {
  return root
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join('')
}

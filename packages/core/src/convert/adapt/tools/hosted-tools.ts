/** Applies the policies for hosted and unknown tools. */
import type { Path } from '../../../model/diagnostic.ts'
import type { Request } from '../../../model/request.ts'
import type {
  Emulation,
  FunctionTool,
  HostedTool,
  NamespaceTool,
  OpaqueTool,
  Tool,
  Toolset,
} from '../../../model/tool.ts'
import { orphans } from '../../../wires/kit/residue.ts'
import type { HostedFunction, HostedPolicy } from '../../shared/options.ts'
import { originOf } from '../../shared/tools.ts'
import type { AdaptContext } from '../context.ts'
import { mapTools, mapTopTools } from '../context.ts'

export function adaptHostedTools(request: Request, context: AdaptContext): Request {
  const adapted = mapTools(request, tool => {
    if (tool.kind === 'hosted') return adaptHosted(tool, context)
    return tool.kind === 'opaque' && !context.isNative ? adaptUnknown(tool, context) : tool
  })
  return dropEmptied(keepOneSearch(adapted, context), request, context)
}

function adaptHosted(tool: HostedTool, context: AdaptContext): Tool | readonly Tool[] {
  const { policy, stated: named, emulation: custom } = choosePolicy(tool, context)
  if (tool.webSearch?.cachedOnly && policy !== 'keep' && policy !== 'error') {
    return drop(
      tool,
      `"${tool.type}" may only read what is cached, and the target's search is live.`,
      context,
    )
  }
  switch (policy) {
    case 'keep':
      return tool
    case 'pass':
      return pass(tool, context)
    case 'emulate':
    case 'handler': {
      if (tool.toolset !== undefined && custom === undefined && policy === 'emulate')
        return expand(tool, tool.toolset, context)
      const emulation = emulationOf(tool, custom)
      if (emulation !== undefined) return emulate(tool, emulation, policy, context)
      return drop(
        tool,
        `"${tool.type}" is not known as a function; give its parameters to have it emulated.`,
        context,
      )
    }
    case 'drop':
      if (!named) return drop(tool, `The target has no "${tool.type}"; it was left out.`, context)
      context.report('hosted_tool_omitted', tool.root, `By policy "${tool.type}" was left out.`)
      return []
    case 'error':
      context.report('hosted_tool_refused', tool.root, `By policy "${tool.type}" is refused.`)
      return []
  }
}

interface ChosenPolicy {
  readonly policy: HostedPolicy | 'keep'
  /** The caller's options name the policy; otherwise it follows from the wire. */
  readonly stated: boolean
  readonly emulation?: HostedFunction
}

/** The policy that applies to a hosted tool. */
export function choosePolicy(tool: HostedTool, { options, profile, isNative }: AdaptContext): ChosenPolicy {
  const { hostedTools } = options
  const named =
    typeof hostedTools === 'object'
      ? (ownPolicy(hostedTools, tool.type) ??
        ownPolicy(hostedTools, tool.family) ??
        ownPolicy(hostedTools, '*'))
      : hostedTools
  if (typeof named === 'string') return { policy: named, stated: true }
  if (named !== undefined) return { policy: named.policy, stated: true, emulation: named }
  if (isNative) return { policy: 'keep', stated: false }
  const isKnown = (tool.emulation ?? tool.toolset) !== undefined
  if (tool.executor === 'client' && isKnown) return { policy: 'emulate', stated: false }
  return { policy: tool.webSearch !== undefined && profile.webSearch ? 'pass' : 'drop', stated: false }
}

function ownPolicy<T>(policies: { readonly [type: string]: T }, type: string): T | undefined {
  return Object.hasOwn(policies, type) ? policies[type] : undefined
}

function pass(tool: HostedTool, { profile, report, isNative }: AdaptContext): Tool {
  if (isNative) return tool
  const path = typePath(tool)
  if (tool.webSearch !== undefined && profile.webSearch) {
    report('hosted_tool_mapped', path, `"${tool.type}" became the target's own web search.`)
    return { ...tool, mapped: true }
  }
  report('hosted_tool_passed', path, `"${tool.type}" was passed on as it is; the target may refuse it.`)
  return tool
}

/** The path of the tool's `type`. A tool declared by a field of its own, such as `web_search_options`, has none. */
function typePath({ root, definition }: HostedTool): Path {
  return Object.hasOwn(definition, 'type') ? [...root, 'type'] : root
}

function emulationOf(tool: HostedTool, own: HostedFunction | undefined): Emulation | undefined {
  const parameters = own?.parameters ?? tool.emulation?.parameters
  if (parameters === undefined) return undefined
  const description = own?.description ?? tool.emulation?.description
  return {
    name: own?.name ?? tool.emulation?.name ?? tool.type,
    ...(description !== undefined && { description }),
    parameters,
    coveredKeys: tool.emulation?.coveredKeys ?? [],
  }
}

function emulate(
  tool: HostedTool,
  emulation: Emulation,
  policy: 'emulate' | 'handler',
  { report }: AdaptContext,
): FunctionTool {
  const handled = policy === 'handler'
  const residue = orphans(tool.definition, ['type', 'name', ...(emulation.coveredKeys ?? [])], tool.root)
  const path = typePath(tool)
  if (handled) report('hosted_tool_handled', path, `"${tool.type}" became a function for your handler.`)
  else report('hosted_tool_emulated', path, `"${tool.type}" became the function "${emulation.name}".`)
  const { name } = tool.definition
  if (typeof name === 'string' && name !== emulation.name) {
    report(
      'tool_renamed',
      [...tool.root, 'name'],
      `"${name}" goes by the name you gave it, "${emulation.name}".`,
    )
  }
  return {
    kind: 'function',
    root: tool.root,
    path: tool.root,
    name: emulation.name,
    ...(emulation.description !== undefined && { description: emulation.description }),
    parameters: emulation.parameters,
    parametersPath: [...tool.root, 'parameters'],
    residue,
    origin: { ...originOf(tool), ...(handled && { handled }) },
  }
}

/** The members of a toolset as a namespace of functions. */
function expand(
  tool: HostedTool,
  { name, description, members, residue }: Toolset,
  { report }: AdaptContext,
): NamespaceTool {
  const { root, type } = tool
  const message = `"${type}" became ${members.length} functions of the namespace "${name}".`
  report('hosted_tool_emulated', typePath(tool), message)
  return {
    kind: 'namespace',
    root,
    name,
    description,
    residue,
    tools: members.map<FunctionTool>(member => ({
      kind: 'function',
      root,
      path: root,
      parametersPath: root,
      ...member,
    })),
  }
}

function drop(tool: HostedTool, message: string, { report }: AdaptContext): readonly Tool[] {
  report(isOwnSearch(tool) ? 'own_search_dropped' : 'hosted_tool_dropped', tool.root, message)
  return []
}

/** A search for tools is not missed, since all tools are shown instead; nor is one of a cache that only its provider has. */
function isOwnSearch({ family, webSearch }: HostedTool): boolean {
  return family.startsWith('tool_search') || webSearch?.cachedOnly === true
}

function keepOneSearch(request: Request, context: AdaptContext): Request {
  let searches = 0
  return mapTools(request, tool => {
    if (tool.kind !== 'hosted' || !tool.mapped || searches++ === 0) return tool
    return drop(tool, 'The target takes one web search, and it has one.', context)
  })
}

/** Drops a namespace that lost all its tools, because servers refuse an empty one. */
function dropEmptied(request: Request, { tools: original }: Request, { report }: AdaptContext): Request {
  if (request.tools === original) return request
  const hadTools = new Set(
    original.tools
      ?.filter(tool => tool.kind === 'namespace' && tool.tools.length > 0)
      .map(({ root }) => root),
  )
  return mapTopTools(request, tool => {
    if (tool.kind !== 'namespace' || tool.tools.length > 0 || !hadTools.has(tool.root)) return tool
    report('tool_dropped', tool.root, 'None of its tools is on the target, so the namespace was left out.')
    return []
  })
}

function adaptUnknown(tool: OpaqueTool, { options, report }: AdaptContext): Tool | readonly Tool[] {
  switch (options.unknownTools ?? 'drop') {
    case 'pass':
      report('unknown_tool_passed', tool.root, 'The tool could not be read and was passed on as it is.')
      return tool
    case 'drop':
      report(
        'tool_dropped',
        tool.root,
        'The tool could not be read, so it has no form on the target; it was left out.',
      )
      return []
    case 'error':
      report('unknown_tool_refused', tool.root, 'The tool could not be read, and by policy it is refused.')
      return []
  }
}

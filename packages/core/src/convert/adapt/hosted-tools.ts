/** Hosted and unknown tools on a wire they do not belong to. */
import type { Residue } from '../../model/residue.ts'
import type { Emulation, FunctionTool, HostedTool, OpaqueTool, Tool } from '../../model/tool.ts'
import type { HostedFunction, HostedPolicy } from '../options.ts'
import type { AdaptContext } from './context.ts'
import { mapTools } from './context.ts'

export function adaptHostedTools(tools: readonly Tool[], context: AdaptContext): Tool[] {
  let searches = 0
  return mapTools(tools, tool => {
    if (tool.kind === 'hosted') {
      const adapted = adaptHosted(tool, context)
      const mapped = adapted === tool && tool.webSearch !== undefined && !context.sameWire
      return mapped && searches++ > 0
        ? drop(tool, 'The target takes one web search, and it has one.', context)
        : adapted
    }
    if (tool.kind === 'opaque' && !context.sameWire) return adaptUnknown(tool, context)
    return tool
  })
}

function adaptHosted(tool: HostedTool, context: AdaptContext): Tool | readonly Tool[] {
  const { report, profile } = context
  const chosen = choose(tool, context)
  const policy = typeof chosen === 'string' ? chosen : chosen.policy
  switch (policy) {
    case 'keep':
      return tool
    case 'pass': {
      if (tool.webSearch !== undefined && profile.webSearch) {
        report(
          'hosted_tool_mapped',
          [...tool.root, 'type'],
          `"${tool.type}" became the target wire's own web search.`,
        )
      } else {
        report(
          'hosted_tool_passed',
          [...tool.root, 'type'],
          `"${tool.type}" was passed on as it is; the target may refuse it.`,
        )
      }
      return tool
    }
    case 'emulate':
    case 'handler': {
      const emulation = emulationOf(tool, typeof chosen === 'string' ? undefined : chosen)
      if (emulation !== undefined) return emulate(tool, emulation, policy, context)
      return drop(
        tool,
        `"${tool.type}" is not known as a function; give its parameters to have it emulated.`,
        context,
      )
    }
    case 'drop':
      return drop(tool, `The target wire has no "${tool.type}"; it was left out.`, context)
    case 'error':
      report(
        'hosted_tool_refused',
        tool.root,
        `The target wire has no "${tool.type}", and the policy is to refuse it.`,
      )
      return []
  }
}

function choose(
  tool: HostedTool,
  { options, profile, sameWire }: AdaptContext,
): HostedPolicy | 'keep' | HostedFunction {
  const { hostedTools } = options
  const stated = typeof hostedTools === 'object' ? ownPolicy(hostedTools, tool.type) : hostedTools
  if (stated !== undefined) return stated
  if (sameWire) return 'keep'
  if (tool.executor === 'client' && tool.emulation !== undefined) return 'emulate'
  return tool.webSearch !== undefined && profile.webSearch ? 'pass' : 'drop'
}

function ownPolicy<T>(policies: { readonly [type: string]: T }, type: string): T | undefined {
  return Object.hasOwn(policies, type) ? policies[type] : undefined
}

function emulationOf(tool: HostedTool, own: HostedFunction | undefined): Emulation | undefined {
  const parameters = own?.parameters ?? tool.emulation?.parameters
  if (parameters === undefined) return undefined
  return {
    name: own?.name ?? tool.emulation?.name ?? tool.type,
    description: own?.description ?? tool.emulation?.description ?? '',
    parameters,
    says: tool.emulation?.says ?? [],
  }
}

function emulate(
  tool: HostedTool,
  emulation: Emulation,
  policy: 'emulate' | 'handler',
  { report }: AdaptContext,
): FunctionTool {
  const handled = policy === 'handler'
  const said = new Set(['type', 'name', ...(emulation.says ?? [])])
  const entries = Object.entries(tool.definition).filter(([key]) => !said.has(key))
  const residue: Residue = {
    wire: tool.wire,
    at: tool.root,
    entries: entries.map(([key, value]) => [[key], value]),
  }
  if (handled)
    report(
      'hosted_tool_handled',
      [...tool.root, 'type'],
      `"${tool.type}" became a function for your handler.`,
    )
  else
    report(
      'hosted_tool_emulated',
      [...tool.root, 'type'],
      `"${tool.type}" became the function "${emulation.name}".`,
    )
  return {
    kind: 'function',
    root: tool.root,
    path: tool.root,
    name: emulation.name,
    description: emulation.description,
    parameters: emulation.parameters,
    parametersPath: [...tool.root, 'parameters'],
    residue,
    origin: { kind: 'hosted', name: emulation.name, type: tool.type, ...(handled && { handled }) },
  }
}

function drop(tool: HostedTool, message: string, { report }: AdaptContext): readonly Tool[] {
  report('hosted_tool_dropped', tool.root, message)
  return []
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
        'The tool could not be read, so it has no form on the target wire; it was left out.',
      )
      return []
    case 'error':
      report('unknown_tool_refused', tool.root, 'The tool could not be read, and the policy is to refuse it.')
      return []
  }
}

/** Tools: `{ called, about, takes }`, and `must` for the choice among them. */

import { compact, isObject, own } from '@toolwire/core/json'
import type {
  Draft,
  FunctionTool,
  JsonObject,
  Path,
  Profile,
  Report,
  ResidueEntry,
  Tool,
  ToolChoice,
  ToolParams,
  WireTools,
} from '@toolwire/core/wires'
import {
  createFieldReader,
  openaiLimits,
  permissiveProfile,
  restoreMissingOrReport,
  restoreOrReport,
} from '@toolwire/core/wires'

const profile: Profile = {
  ...permissiveProfile,
  nameCharacters: 'a-zA-Z0-9_-',
  nameMaxLength: 48,
  namespaces: false,
  additionalTools: false,
  customTools: false,
  allowedTools: false,
  webSearch: false,
  results: 'one per turn',
  resultMedia: false,
  itemIds: false,
  callReasoning: 'unused',
  reasoningText: false,
  developerRole: false,
  instructionsField: true,
  autoStrict: false,
}

function decodeTool(tool: unknown, path: Path, report: Report): Tool {
  const fields = isObject(tool) ? createFieldReader(tool) : undefined
  if (fields === undefined) report('invalid_tool', path, 'A tool must be an object.')
  const name = fields?.string('called')
  if (fields === undefined || name === undefined || name === '') {
    if (fields !== undefined) report('missing_name', [...path, 'called'], 'The tool is not called anything.')
    return { kind: 'opaque', wire: 'relay', root: path, value: tool }
  }
  const read: Draft<FunctionTool> = {
    kind: 'function',
    root: path,
    path,
    name,
    parametersPath: [...path, 'takes'],
  }
  const description = fields.string('about')
  if (description !== undefined) read.description = description
  const parameters = fields.value('takes')
  if (parameters !== undefined) read.parameters = parameters
  const entries = fields.unread()
  if (entries.length > 0) read.residue = { wire: 'relay', at: path, entries }
  return read
}

function encodeTool(tool: Tool, report: Report): unknown {
  switch (tool.kind) {
    case 'function': {
      const { name, description, parameters, strict, path } = tool
      if (strict === true) report('strict_dropped', [...path, 'strict'], 'Relay has no strict mode.')
      const written: Record<string, unknown> = compact({
        called: name,
        about: description,
        takes: parameters,
      })
      restoreMissingOrReport(written, tool.residue, 'relay', report)
      return written
    }
    case 'hosted':
      return tool.definition
    case 'opaque':
      return tool.value
    default:
      // The profile says that there are none, so an adaptation has turned them into functions.
      return { called: tool.name }
  }
}

const words = { auto: 'may', required: 'any', none: 'none' } as const

function decodeChoice(value: unknown, report: Report): ToolChoice {
  const path = ['must']
  for (const mode of ['auto', 'required', 'none'] as const) if (value === words[mode]) return { mode, path }
  const name = isObject(value) && Object.keys(value).length === 1 ? own(value, 'tool') : undefined
  if (typeof name === 'string') return { mode: 'tool', path, tool: { kind: 'function', name, path } }
  report('invalid_tool_choice', path, 'Relay has no such choice of tools.')
  return { mode: 'opaque', wire: 'relay', value, path }
}

function encodeChoice(choice: ToolChoice, report: Report): unknown {
  switch (choice.mode) {
    case 'tool':
      return { tool: choice.tool.name }
    case 'allowed':
      report('tool_choice_dropped', choice.path, 'Relay cannot name a subset of the tools.')
      return choice.required ? words.required : words.auto
    case 'opaque':
      return choice.value
    default:
      return words[choice.mode]
  }
}

export function decodeToolParams(body: JsonObject, report: Report): ToolParams {
  const params: Draft<ToolParams> = {}
  const entries: ResidueEntry[] = []
  const toolbox = own(body, 'toolbox')
  if (Array.isArray(toolbox)) {
    params.tools = toolbox.map((tool, i) => decodeTool(tool, ['toolbox', i], report))
  } else if (toolbox !== undefined) {
    if (toolbox !== null) report('not_a_list', ['toolbox'], '"toolbox" must be a list of tools.')
    entries.push([['toolbox'], toolbox])
  }
  const must = own(body, 'must')
  if (must === null) entries.push([['must'], null])
  else if (must !== undefined) params.choice = decodeChoice(must, report)
  if (entries.length > 0) params.residue = { wire: 'relay', at: [], entries }
  return params
}

export function encodeToolParams(params: ToolParams, report: Report): JsonObject {
  const body: Record<string, unknown> = {}
  if (params.tools !== undefined) body.toolbox = params.tools.map(tool => encodeTool(tool, report))
  if (params.choice !== undefined) body.must = encodeChoice(params.choice, report)
  if (params.parallel !== undefined) {
    report(
      'parallel_tool_calls_dropped',
      params.parallelPath ?? [],
      'Relay has no setting for parallel calls; it was left out.',
    )
  }
  restoreOrReport(body, params.residue, 'relay', report)
  return body
}

export const relayTools: WireTools = {
  wire: 'relay',
  title: 'Relay',
  profile,
  never: ['namespaces', 'additionalTools', 'customTools', 'webSearch'],
  decodeTool,
  encodeTool,
  decodeToolParams,
  encodeToolParams,
  fields: { name: 'called', description: 'about' },
  limits: { ...openaiLimits, maxTools: 32 },
  hostedTools: { types: [], datedFamilies: [], required: new Map(), exactlyOne: new Map() },
  recogniseTool: tool => (typeof own(tool, 'called') === 'string' ? 5 : 0),
}

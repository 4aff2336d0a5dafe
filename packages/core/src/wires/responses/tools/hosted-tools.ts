/**
 * The tools that Responses defines by type. Those that the client runs can be shown to any LLM as an ordinary function;
 * those that the provider runs need a provider, or a handler of the caller.
 */

import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own, ownString } from '../../../json/object.ts'
import type { Path } from '../../../model/diagnostic.ts'
import type { Emulation, HostedTool, ToolRef, WebSearch } from '../../../model/tool.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { webSearchEmulation } from '../../kit/openai-facts.ts'

const localShellEmulation = (): Emulation => ({
  name: 'local_shell',
  description: 'Execute local shell commands in the browser environment',
  parameters: {
    type: 'object',
    properties: { command: { type: 'string', description: 'The shell command to execute' } },
    required: ['command'],
  },
})

const shellEmulation = (): Emulation => ({
  name: 'shell',
  description: 'Run shell commands and return what each one printed and how it ended.',
  parameters: {
    type: 'object',
    properties: {
      commands: { type: 'array', items: { type: 'string' }, description: 'The commands to run, in order' },
      timeout_ms: { type: 'integer', description: 'How long the commands may take, in milliseconds' },
      max_output_length: { type: 'integer', description: 'How many characters of output to return at most' },
    },
    required: ['commands'],
  },
})

const applyPatchEmulation = (): Emulation => ({
  name: 'apply_patch',
  description: 'Create, update or delete one file by a patch.',
  parameters: {
    type: 'object',
    properties: {
      type: {
        type: 'string',
        enum: ['create_file', 'update_file', 'delete_file'],
        description: 'What to do with the file',
      },
      path: { type: 'string', description: 'The file, relative to the workspace' },
      diff: { type: 'string', description: 'The change in V4A diff form; left out when deleting' },
    },
    required: ['type', 'path'],
  },
})

interface HostedKind {
  /** Set only if the type is a dated or renamed form of another. */
  readonly family?: string
  readonly executor: (tool: JsonObject) => HostedTool['executor']
  readonly emulation?: (tool: JsonObject) => Emulation | undefined
  readonly webSearch?: boolean
}

const provider = (): 'provider' => 'provider'
const client = (): 'client' => 'client'
const searchKind: HostedKind = {
  family: 'web_search',
  executor: provider,
  emulation: webSearchEmulation,
  webSearch: true,
}

const kinds: ReadonlyMap<string, HostedKind> = new Map<string, HostedKind>([
  ['tool_search', { executor: toolSearchExecutor, emulation: emulateToolSearch }],
  ['programmatic_tool_calling', { executor: provider }],
  ['web_search', searchKind],
  ['web_search_2025_08_26', searchKind],
  ['web_search_preview', searchKind],
  ['web_search_preview_2025_03_11', searchKind],
  ['file_search', { executor: provider }],
  ['code_interpreter', { executor: provider }],
  ['image_generation', { executor: provider }],
  ['mcp', { executor: provider }],
  ['computer', { executor: client }],
  ['computer_use_preview', { family: 'computer', executor: client }],
  ['local_shell', { executor: client, emulation: localShellEmulation }],
  ['shell', { executor: shellExecutor, emulation: shellEmulation }],
  ['apply_patch', { executor: client, emulation: applyPatchEmulation }],
])

export const hostedTypes: readonly string[] = [...kinds.keys()]

function toolSearchExecutor(tool: JsonObject): HostedTool['executor'] {
  return own(tool, 'execution') === 'client' ? 'client' : 'provider'
}

/** A search that the client runs has its own description and schema. */
function emulateToolSearch(tool: JsonObject): Emulation | undefined {
  const parameters = own(tool, 'parameters')
  if (toolSearchExecutor(tool) !== 'client' || !isObject(parameters)) return undefined
  return {
    name: 'tool_search',
    description: ownString(tool, 'description') ?? 'Search for tools.',
    parameters,
    coveredKeys: ['execution', 'description', 'parameters'],
  }
}

function shellExecutor(tool: JsonObject): HostedTool['executor'] {
  const environment = own(tool, 'environment')
  return isObject(environment) && own(environment, 'type') !== 'local' ? 'provider' : 'client'
}

export function decodeHostedTool(tool: JsonObject, type: string, path: Path): HostedTool | undefined {
  const kind = kinds.get(type)
  if (kind === undefined) return undefined
  return {
    kind: 'hosted',
    wire: 'responses',
    type,
    family: kind.family ?? type,
    root: path,
    definition: tool,
    executor: kind.executor(tool),
    ...compact({
      label: ownString(tool, 'server_label'),
      emulation: kind.emulation?.(tool),
      webSearch: kind.webSearch ? decodeWebSearch(tool, path) : undefined,
    }),
  }
}

/** A hosted tool in a tool choice. Some have another type there than in their declaration. */
export function decodeHostedRef(ref: JsonObject, path: Path): ToolRef | undefined {
  const type = ownString(ref, 'type')
  if (type === undefined) return undefined
  const family =
    type === 'computer_use' ? 'computer' : kinds.has(type) ? (kinds.get(type)?.family ?? type) : undefined
  if (family === undefined) return undefined
  return {
    kind: 'hosted',
    name: type,
    family,
    path,
    definition: ref,
    ...compact({ label: ownString(ref, 'server_label') }),
  }
}

function decodeWebSearch(tool: JsonObject, at: Path): WebSearch {
  const fields = new FieldReader(tool)
  fields.ignore('type')
  const contextSize = fields.string('search_context_size')
  const userLocation = fields.object('user_location')
  const filters = fields.object('filters')
  const filterFields = new FieldReader(filters ?? {})
  const allowedDomains = filterFields.list('allowed_domains')
  const cachedOnly = own(tool, 'external_web_access') === false || undefined
  const entries = [...fields.unread(), ...filterFields.unread(['filters'])]
  return {
    ...compact({ contextSize, allowedDomains, userLocation, cachedOnly }),
    residue: { wire: 'responses', at, entries },
  }
}

/** Another wire's web search as a tool of Responses. */
export function encodeWebSearch(search: WebSearch): JsonObject {
  return compact({
    type: 'web_search',
    search_context_size: search.contextSize,
    filters: search.allowedDomains && { allowed_domains: search.allowedDomains },
    user_location: search.userLocation,
  })
}

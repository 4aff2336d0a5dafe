/**
 * The tools that Messages defines by a dated type. The meaning of a family does not change from one date to the next, so
 * a date newer than this code is decoded as the same family.
 */

import type { JsonObject } from '../../../json/object.ts'
import { compact, own, ownString } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { into } from '../../../model/diagnostic.ts'
import type { Emulation, HostedTool, WebSearch } from '../../../model/tool.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { decodeToolset } from './toolsets.ts'

type Look = Omit<Emulation, 'name'>

const text = (description: string): JsonObject => ({ type: 'string', description })

const command = (...names: string[]): JsonObject => ({
  type: 'string',
  enum: names,
  description: 'What to do',
})

const editing = (): JsonObject => ({
  path: text('The file or directory'),
  file_text: text('For create: the content of the new file'),
  old_str: text('For str_replace: the text to replace, which must occur exactly once'),
  new_str: text('For str_replace and insert: the new text'),
  insert_line: {
    type: 'integer',
    description: 'For insert: the line after which to insert; 0 is the beginning',
  },
  view_range: { type: 'array', items: { type: 'integer' }, description: 'For view: first and last line' },
})

const bash = (): Look => ({
  description: 'Run a command in a persistent bash session.',
  parameters: {
    type: 'object',
    properties: {
      command: text('The command to run; not needed when restarting'),
      restart: { type: 'boolean', description: 'Start the session anew' },
    },
  },
})

/** Only the first version of the editor could undo. */
const textEditor = (type: string): Look => ({
  description: 'View, create and edit files.',
  parameters: {
    type: 'object',
    properties: {
      command: command(
        'view',
        'create',
        'str_replace',
        'insert',
        ...(type.endsWith('20250124') ? ['undo_edit'] : []),
      ),
      ...editing(),
    },
    required: ['command', 'path'],
  },
})

const memory = (): Look => ({
  description: 'Keep notes in files under /memories that outlast the conversation.',
  parameters: {
    type: 'object',
    properties: {
      command: command('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
      ...editing(),
      insert_text: text('For insert: the new text'),
      old_path: text('For rename: the present path'),
      new_path: text('For rename: the new path'),
    },
    required: ['command'],
  },
})

interface Family {
  readonly executor: HostedTool['executor']
  /** The tool as a function; a new object each time, because the caller receives it. */
  readonly look?: (type: string) => Look
}

const families: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['bash', { executor: 'client', look: bash }],
  ['text_editor', { executor: 'client', look: textEditor }],
  ['memory', { executor: 'client', look: memory }],
  ['browser_toolset', { executor: 'client' }],
  ['computer_toolset', { executor: 'client' }],
  ['computer', { executor: 'client' }],
  ['web_search', { executor: 'provider' }],
  ['web_fetch', { executor: 'provider' }],
  ['code_execution', { executor: 'provider' }],
  ['tool_search_tool_bm25', { executor: 'provider' }],
  ['tool_search_tool_regex', { executor: 'provider' }],
  ['advisor', { executor: 'provider' }],
  ['mcp_toolset', { executor: 'provider' }],
])

export const hostedFamilies: readonly string[] = [...families.keys()]

export function decodeHostedTool(tool: JsonObject, type: string, path: Path): HostedTool | undefined {
  const familyName = type.replace(/_\d{8}$/, '')
  const family = families.get(familyName)
  if (family === undefined) return undefined
  const name = own(tool, 'name')
  const look = family.look?.(type)
  const emulation = look && { name: typeof name === 'string' ? name : familyName, ...look }
  return {
    kind: 'hosted',
    wire: 'messages',
    type,
    family: familyName,
    root: path,
    definition: tool,
    executor: family.executor,
    ...compact({
      label: ownString(tool, 'mcp_server_name'),
      emulation,
      toolset: decodeToolset(familyName, tool, path),
      webSearch: familyName === 'web_search' ? decodeWebSearch(tool, path) : undefined,
    }),
  }
}

function decodeWebSearch(tool: JsonObject, at: Path): WebSearch {
  const fields = new FieldReader(tool)
  fields.ignore('type')
  if (own(tool, 'name') === 'web_search') fields.ignore('name')
  const allowedDomains = fields.list('allowed_domains')
  const userLocation = fields.object('user_location')
  return {
    ...compact({ allowedDomains, userLocation }),
    residue: { wire: 'messages', at, entries: fields.unread() },
  }
}

/** Another wire's web search as a tool of Messages, in the version that every LLM with search accepts. */
export function encodeWebSearch(search: WebSearch, report: Report): JsonObject {
  if (search.contextSize !== undefined) {
    const place = into(search.residue.at, 'search_context_size')
    report('field_dropped', place, 'Messages has no place for "search_context_size"; it was left out.')
  }
  return compact({
    type: 'web_search_20250305',
    name: 'web_search',
    allowed_domains: search.allowedDomains,
    user_location: search.userLocation && { ...search.userLocation, type: 'approximate' },
  })
}

/**
 * The tools Messages defines by a dated type. A family keeps its meaning from one date to the next, so a
 * date newer than this code is still read as the family it belongs to.
 */
import type { Path } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, own } from '../../model/json.ts'
import type { Emulation, HostedTool, WebSearch } from '../../model/tool.ts'
import { createFieldReader } from '../field-reader.ts'

const text = (description: string): JsonObject => ({ type: 'string', description })

const filePath: JsonObject = text('The file or directory')

const editProperties: JsonObject = {
  path: filePath,
  file_text: text('For create: the content of the new file'),
  old_str: text('For str_replace: the text to replace, which must occur exactly once'),
  new_str: text('For str_replace and insert: the new text'),
  insert_line: {
    type: 'integer',
    description: 'For insert: the line after which to insert; 0 is the beginning',
  },
  view_range: { type: 'array', items: { type: 'integer' }, description: 'For view: first and last line' },
}

const command = (...names: string[]): JsonObject => ({
  type: 'string',
  enum: names,
  description: 'What to do',
})

const families: ReadonlyMap<
  string,
  { executor: HostedTool['executor']; emulation?: Omit<Emulation, 'name'> }
> = new Map([
  [
    'bash',
    {
      executor: 'client',
      emulation: {
        description: 'Run a command in a persistent bash session.',
        parameters: {
          type: 'object',
          properties: {
            command: text('The command to run; not needed when restarting'),
            restart: { type: 'boolean', description: 'Start the session anew' },
          },
        },
      },
    },
  ],
  [
    'text_editor',
    {
      executor: 'client',
      emulation: {
        description: 'View, create and edit files.',
        parameters: {
          type: 'object',
          properties: {
            command: command('view', 'create', 'str_replace', 'insert', 'undo_edit'),
            ...editProperties,
          },
          required: ['command', 'path'],
        },
      },
    },
  ],
  [
    'memory',
    {
      executor: 'client',
      emulation: {
        description: 'Keep notes in files under /memories that outlast the conversation.',
        parameters: {
          type: 'object',
          properties: {
            command: command('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
            ...editProperties,
            insert_text: text('For insert: the new text'),
            old_path: text('For rename: the present path'),
            new_path: text('For rename: the new path'),
          },
          required: ['command'],
        },
      },
    },
  ],
  ['browser_toolset', { executor: 'client' }],
  ['computer_toolset', { executor: 'client' }],
  ['computer', { executor: 'client' }],
  ['web_search', { executor: 'provider' }],
  ['web_fetch', { executor: 'provider' }],
  ['code_execution', { executor: 'provider' }],
  ['tool_search_tool_bm25', { executor: 'provider' }],
  ['tool_search_tool_regex', { executor: 'provider' }],
])

export function readHostedTool(tool: JsonObject, type: string, path: Path): HostedTool | undefined {
  const familyName = type.replace(/_\d{8}$/, '')
  const family = families.get(familyName)
  if (family === undefined) return undefined
  const name = own(tool, 'name')
  const emulation = family.emulation && {
    name: typeof name === 'string' ? name : familyName,
    ...family.emulation,
  }
  return {
    kind: 'hosted',
    wire: 'messages',
    type,
    root: path,
    definition: tool,
    executor: family.executor,
    ...compact({ emulation, webSearch: familyName === 'web_search' ? readWebSearch(tool, path) : undefined }),
  }
}

function readWebSearch(tool: JsonObject, at: Path): WebSearch {
  const fields = createFieldReader(tool)
  fields.skip('type')
  if (own(tool, 'name') === 'web_search') fields.skip('name')
  const domains = fields.value('allowed_domains')
  const allowedDomains = Array.isArray(domains) ? domains : undefined
  const userLocation = fields.object('user_location')
  return {
    ...compact({ allowedDomains, userLocation }),
    residue: { wire: 'messages', at, entries: fields.rest() },
  }
}

/** Another wire's web search in Messages' words, in the version that every model with search takes. */
export function writeWebSearch(search: WebSearch): JsonObject {
  return compact({
    type: 'web_search_20250305',
    name: 'web_search',
    allowed_domains: search.allowedDomains,
    user_location: search.userLocation && { type: 'approximate', ...search.userLocation },
  })
}

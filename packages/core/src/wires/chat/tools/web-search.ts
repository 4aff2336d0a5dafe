/**
 * Chat asks for a web search beside its tools. Elsewhere it is one of them, so it is read as one, and stands where it
 * stood when it comes back.
 */
import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own } from '../../../json/object.ts'
import type { HostedTool, Tool, WebSearch } from '../../../model/tool.ts'
import { createFieldReader } from '../../kit/field-reader.ts'
import { webSearchEmulation } from '../../kit/web-search-emulation.ts'

export const searchKey = 'web_search_options'

export function decodeWebSearch(body: JsonObject): HostedTool | undefined {
  const definition = own(body, searchKey)
  if (!isObject(definition)) return undefined
  return {
    kind: 'hosted',
    wire: 'chat',
    type: 'web_search',
    family: 'web_search',
    root: [searchKey],
    definition,
    executor: 'provider',
    emulation: webSearchEmulation(),
    webSearch: decodeOptions(definition),
  }
}

/** Chat holds the parts of a place in an object of their own. */
function decodeOptions(options: JsonObject): WebSearch {
  const fields = createFieldReader(options)
  const contextSize = fields.string('search_context_size')
  const location = createFieldReader(fields.object('user_location') ?? {})
  location.is('type', 'approximate')
  const approximate = location.object('approximate')
  const userLocation = approximate && { type: 'approximate', ...approximate }
  const entries = [...fields.unread(), ...location.unread(['user_location'])]
  return {
    ...compact({ contextSize, userLocation }),
    residue: { wire: 'chat', at: [searchKey], entries },
  }
}

/** Only Chat's own; one of another wire that is passed on as it is goes with the tools. */
export function isWebSearch(tool: Tool): tool is HostedTool {
  return tool.kind === 'hosted' && tool.wire === 'chat'
}

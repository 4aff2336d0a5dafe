/**
 * On Chat a web search is requested in a separate field. On other wires it is a tool, so it is decoded as one, and
 * encoded in its field again.
 */
import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own } from '../../../json/object.ts'
import type { HostedTool, Tool, WebSearch } from '../../../model/tool.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { webSearchEmulation } from '../../kit/openai-facts.ts'

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

/** On Chat the parts of a location are nested in `approximate`. */
function decodeOptions(options: JsonObject): WebSearch {
  const fields = new FieldReader(options)
  const contextSize = fields.string('search_context_size')
  const location = new FieldReader(fields.object('user_location') ?? {})
  location.is('type', 'approximate')
  const approximate = location.object('approximate')
  const userLocation = approximate && { type: 'approximate', ...approximate }
  const entries = [...fields.unread(), ...location.unread(['user_location'])]
  return {
    ...compact({ contextSize, userLocation }),
    residue: { wire: 'chat', at: [searchKey], entries },
  }
}

/** Only a search that was read from Chat; one of another wire is encoded among the tools. */
export function isWebSearch(tool: Tool): tool is HostedTool {
  return tool.kind === 'hosted' && tool.wire === 'chat'
}

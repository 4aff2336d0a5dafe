/**
 * Server tool calls as the blocks in which this wire shows calls that its provider ran. The text of a search is stored
 * in `encrypted_content`, which clients send back without reading it.
 */

import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import type { CallPart, HostedPart, Part, ResultPart } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { DecodedServerCall, ServerToolCall, ServerToolItem } from '../define-wire.ts'
import { jsonText, parseObject, textOfContent } from '../kit/json-text.ts'
import { orphans } from '../kit/residue.ts'

/** Marks an `encrypted_content` that was not written by a provider. */
const mark = 'toolwire:'

export function encodeServerCall(
  call: ServerToolCall,
  newId: (prefix: string) => string,
): ServerToolItem | undefined {
  if (call.server !== undefined) return mcpUse(call, call.server, newId('mcptoolu_'))
  return call.family === 'web_search' ? searchUse(call, newId('srvtoolu_')) : undefined
}

function hosted(value: JsonObject & { type: string }, path: Path): HostedPart {
  return { kind: 'hosted', wire: 'messages', type: value.type, value, path }
}

function mcpUse({ name, input, path }: ServerToolCall, server: string, id: string): ServerToolItem {
  const use = { type: 'mcp_tool_use', id, name, server_name: server, input: parseObject(input) ?? {} }
  return {
    apart: true,
    begun: hosted(use, path),
    ended: ({ content, isError = false }) => {
      const text = textOfContent(content)
      const result = { type: 'mcp_tool_result', tool_use_id: id, is_error: isError }
      return hosted({ ...result, content: text === '' ? [] : [{ type: 'text', text }] }, path)
    },
  }
}

function searchUse({ input, path }: ServerToolCall, id: string): ServerToolItem {
  const args = parseObject(input) ?? {}
  const query = own(args, 'query')
  const title = typeof query === 'string' && query !== '' ? query : 'web_search'
  return {
    apart: true,
    begun: hosted({ type: 'server_tool_use', id, name: 'web_search', input: args }, path),
    ended: ({ content, isError = false }) => {
      const text = textOfContent(content)
      const found = {
        type: 'web_search_result',
        title,
        url: /https?:\/\/[^\s"'<>)\]]+/.exec(text)?.[0] ?? '',
        encrypted_content: `${mark}${text}`,
        page_age: null,
      }
      const error = { type: 'web_search_tool_result_error', error_code: 'unavailable' }
      const failed = { ...error, message: `${mark}${text}` }
      const result = { type: 'web_search_tool_result', tool_use_id: id }
      return hosted({ ...result, content: isError ? failed : [found] }, path)
    },
  }
}

export function decodeServerCalls(parts: readonly Part[]): ReadonlyMap<Part, DecodedServerCall> {
  const uses = new Map<string, HostedPart>()
  const read = new Map<Part, DecodedServerCall>()
  for (const part of parts) {
    if (part.kind !== 'hosted') continue
    const { type, value } = part
    const id = own(value, 'id')
    if ((type === 'mcp_tool_use' || type === 'server_tool_use') && typeof id === 'string') uses.set(id, part)
    const use = uses.get(String(own(value, 'tool_use_id')))
    const run = use && decodePair(use, part)
    if (use === undefined || run === undefined) continue
    read.set(use, { ...run, parts: [run.call] })
    read.set(part, { ...run, parts: [run.result] })
  }
  return read
}

interface Pair extends Omit<DecodedServerCall, 'parts'> {
  readonly call: CallPart
  readonly result: ResultPart
}

function decodePair(use: HostedPart, part: HostedPart): Pair | undefined {
  if (part.type === 'mcp_tool_result' && use.type === 'mcp_tool_use') {
    const content = own(part.value, 'content')
    const text = typeof content === 'string' ? content : textOfBlocks(content)
    const server = own(use.value, 'server_name')
    return {
      ...pair(use, part, text, own(part.value, 'is_error') === true),
      ...(typeof server === 'string' && { server }),
      foreign: false,
    }
  }
  if (part.type !== 'web_search_tool_result' || use.type !== 'server_tool_use') return undefined
  const text = markedText(own(part.value, 'content'))
  const isError = isObject(own(part.value, 'content'))
  return text === undefined ? undefined : { ...pair(use, part, text, isError), foreign: true }
}

function textOfBlocks(content: unknown): string {
  const texts = Array.isArray(content)
    ? content.map((block: unknown) => (isObject(block) ? own(block, 'text') : undefined))
    : []
  const known = texts.filter(text => typeof text === 'string')
  return known.length > 0 || content === undefined || texts.length === 0
    ? known.join('\n')
    : (jsonText(content) ?? '')
}

/** The text of a search that was run for the client; `undefined` if the provider ran it. */
function markedText(content: unknown): string | undefined {
  const [only, ...more] = Array.isArray(content) ? (content as unknown[]) : [content]
  const text = isObject(only) ? own(only, only === content ? 'message' : 'encrypted_content') : undefined
  if (more.length > 0 || typeof text !== 'string' || !text.startsWith(mark)) return undefined
  return text.slice(mark.length)
}

function pair(
  use: HostedPart,
  { value, path }: HostedPart,
  text: string,
  isError: boolean,
): { call: CallPart; result: ResultPart } {
  const { id, name, input } = use.value
  const callId = String(id)
  return {
    call: {
      kind: 'call',
      form: 'function',
      id: callId,
      name: typeof name === 'string' ? name : use.type,
      input: jsonText(input) ?? '{}',
      path: use.path,
      residue: orphans(use.value, ['type', 'id', 'name', 'input'], use.path),
    },
    result: {
      kind: 'result',
      form: 'function',
      callId,
      content: [{ kind: 'text', text, path }],
      plain: true,
      ...(isError && { isError }),
      path,
      residue: orphans(value, ['type', 'tool_use_id', 'content', 'is_error'], path),
    },
  }
}

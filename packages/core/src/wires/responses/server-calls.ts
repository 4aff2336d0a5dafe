/**
 * Server tool calls as the items in which this wire shows calls that its provider ran: MCP calls, which hold their
 * result, and web searches, whose result is stored in the field `results`.
 */

import type { JsonObject } from '../../json/object.ts'
import { isObject, own, ownString } from '../../json/object.ts'
import type { CallPart, HostedPart, Part, ResultPart } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import type { DecodedServerCall, ServerToolCall, ServerToolItem } from '../define-wire.ts'
import { jsonText, parseObject, textOfContent } from '../kit/json-text.ts'
import { orphans } from '../kit/residue.ts'

export function encodeServerCall(
  call: ServerToolCall,
  newId: (prefix: string) => string,
): ServerToolItem | undefined {
  if (call.server !== undefined) return mcpCall(call, call.server, newId('mcp_'))
  return call.family === 'web_search' ? searchCall(call, newId('ws_')) : undefined
}

function hosted(value: JsonObject & { type: string }, path: Path): HostedPart {
  return { kind: 'hosted', wire: 'responses', type: value.type, value, path }
}

function mcpCall({ name, input, path }: ServerToolCall, server: string, id: string): ServerToolItem {
  const head = {
    type: 'mcp_call',
    id,
    server_label: server,
    name,
    arguments: input,
    approval_request_id: null,
  }
  return {
    apart: false,
    begun: hosted({ ...head, output: null, error: null, status: 'in_progress' }, path),
    ended({ content, isError = false }) {
      const text = textOfContent(content)
      const failed = { type: 'mcp_tool_execution_error', content: [{ type: 'text', text }] }
      const result = isError
        ? { output: null, error: failed, status: 'failed' }
        : { output: text, error: null, status: 'completed' }
      return hosted({ ...head, ...result }, path)
    },
  }
}

function searchCall({ input, path }: ServerToolCall, id: string): ServerToolItem {
  const query = queryOf(input)
  const head = { type: 'web_search_call', id, action: { type: 'search', query, queries: [query] } }
  return {
    apart: false,
    begun: hosted({ ...head, status: 'in_progress' }, path),
    ended({ content, isError = false }) {
      const results = [{ type: 'text', text: textOfContent(content) }]
      return hosted({ ...head, status: isError ? 'failed' : 'completed', results }, path)
    },
  }
}

function queryOf(input: string): string {
  const args = parseObject(input)
  return (args && ownString(args, 'query')) ?? ''
}

export function decodeServerCalls(parts: readonly Part[]): ReadonlyMap<Part, DecodedServerCall> {
  const read = new Map<Part, DecodedServerCall>()
  for (const part of parts) {
    if (part.kind !== 'hosted') continue
    const run =
      part.type === 'mcp_call'
        ? decodeMcpCall(part)
        : part.type === 'web_search_call'
          ? decodeSearch(part)
          : undefined
    if (run !== undefined) read.set(part, run)
  }
  return read
}

function decodeMcpCall({ value, path }: HostedPart): DecodedServerCall | undefined {
  const { id, name, server_label: server, arguments: input, output, error } = value
  const failed = isObject(error)
  if (typeof id !== 'string' || typeof name !== 'string' || (!failed && typeof output !== 'string'))
    return undefined
  const known = ['type', 'id', 'name', 'arguments', 'status', failed ? 'error' : 'output']
  const text = failed ? errorText(error) : String(output)
  const args = typeof input === 'string' ? input : ''
  return {
    parts: pair({ id, name, input: args, text, isError: failed }, path, orphans(value, known, path)),
    ...(typeof server === 'string' && { server }),
    foreign: false,
  }
}

/** Only a search with results can become a call and its result on other wires. */
function decodeSearch({ value, path }: HostedPart): DecodedServerCall | undefined {
  const { id, action, results, status } = value
  if (typeof id !== 'string' || !Array.isArray(results) || results.length === 0) return undefined
  const texts = results.map((result: unknown) =>
    isObject(result) && own(result, 'type') === 'text' ? own(result, 'text') : undefined,
  )
  const isOurs = texts.every(text => typeof text === 'string')
  const text = isOurs ? texts.join('\n') : jsonText(results)
  if (text === undefined) return undefined
  const { query, entries } = decodeAction(isObject(action) ? action : {})
  const input = JSON.stringify({ query })
  const beside = orphans(value, ['type', 'id', 'status', 'results', 'action'], path)
  const residue = { ...beside, entries: [...beside.entries, ...entries] }
  return {
    parts: pair({ id, name: 'web_search', input, text, isError: status === 'failed' }, path, residue),
    foreign: isOurs,
  }
}

function decodeAction(action: JsonObject): { query: string; entries: ResidueEntry[] } {
  const { query, queries } = action
  const [first, ...more]: unknown[] = Array.isArray(queries) ? queries : []
  const asked = typeof query === 'string' ? query : typeof first === 'string' ? first : ''
  const said = new Set(['type', 'query', ...(more.length === 0 ? ['queries'] : [])])
  const left = Object.entries(action).filter(([key]) => !said.has(key))
  return { query: asked, entries: left.map(([key, value]) => [['action', key], value]) }
}

interface Answered {
  readonly id: string
  readonly name: string
  readonly input: string
  readonly text: string
  readonly isError: boolean
}

function pair(
  { id, name, input, text, isError }: Answered,
  path: Path,
  residue: Residue,
): [CallPart, ResultPart] {
  return [
    { kind: 'call', form: 'function', id, name, input, path, residue },
    {
      kind: 'result',
      form: 'function',
      callId: id,
      content: [{ kind: 'text', text, path }],
      plain: true,
      ...(isError && { isError }),
      path,
    },
  ]
}

function errorText(error: JsonObject): string {
  const { message, content } = error
  if (typeof message === 'string') return message
  if (typeof content === 'string') return content
  const texts = Array.isArray(content)
    ? content.map((block: unknown) => (isObject(block) ? own(block, 'text') : undefined))
    : []
  const known = texts.filter(text => typeof text === 'string')
  return known.length > 0 ? known.join('\n') : (jsonText(error) ?? 'The call failed.')
}

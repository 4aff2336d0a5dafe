/**
 * Tools as MCP servers list them (`tools/list`): a format that is read and never written. A list is taken alone, as the
 * result with its `tools`, or as the whole JSON-RPC message.
 */
import type { JsonObject } from '../../json/object.ts'
import { isObject, own } from '../../json/object.ts'
import type { Path, Report } from '../../model/diagnostic.ts'
import type { Tool, ToolParams } from '../../model/tool.ts'
import type { Score, ToolFormat } from '../define-wire.ts'
import { programProfile } from '../profile.ts'
import type { ToolShape } from './decode-tool.ts'
import { decodeFunctionTool } from './decode-tool.ts'

const shape: ToolShape = { wire: 'mcp', title: 'MCP', holder: 'flat', parametersKey: 'inputSchema' }

/** The definitions of MCP tools, which can be read but not written. */
export const mcpTools: ToolFormat = {
  wire: 'mcp',
  title: 'MCP',
  profile: programProfile,
  decodeTool,
  decodeToolParams,
  openList,
  recogniseTool,
}

function decodeTool(tool: unknown, path: Path, report: Report): Tool {
  if (isObject(tool)) return decodeFunctionTool(tool, path, shape, report)
  report('invalid_tool', path, 'A tool must be an object.')
  return { kind: 'opaque', wire: shape.wire, root: path, value: tool }
}

function decodeToolParams(body: JsonObject, report: Report): ToolParams {
  const { list, path } = openList(body, report) ?? { list: [], path: [] }
  return { tools: list.map((tool, i) => decodeTool(tool, [...path, i], report)) }
}

function openList(value: unknown, report: Report): ReturnType<NonNullable<ToolFormat['openList']>> {
  if (!isObject(value)) return undefined
  const result = own(value, 'result')
  const [holder, at] = isObject(result) ? [result, ['result']] : [value, []]
  const list = own(holder, 'tools')
  if (!Array.isArray(list)) return undefined
  if (typeof own(holder, 'nextCursor') === 'string') {
    const message = 'The list goes on behind this cursor; ask the server for the rest of the tools.'
    report('field_dropped', [...at, 'nextCursor'], message)
  }
  return { list, path: [...at, 'tools'] }
}

function recogniseTool(tool: JsonObject): Score {
  const isOther = ['function', 'parameters', 'input_schema'].some(key => own(tool, key) !== undefined)
  return !isOther && isObject(own(tool, 'inputSchema')) ? 5 : 0
}

/** True for a message or result of `tools/list`, and for a list most of whose members an MCP server would write so. */
export function isMcpList(value: unknown): boolean {
  const list = Array.isArray(value) ? value : openList(value, () => undefined)?.list
  if (list === undefined) return false
  if (isObject(value) && isObject(own(value, 'result'))) return true
  return list.filter(tool => isObject(tool) && recogniseTool(tool) > 0).length * 2 > list.length
}

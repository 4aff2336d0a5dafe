import type { Path, Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { Tool, ToolParams } from '../../model/tool.ts'
import type { Codec } from '../codec.ts'
import { readParallel, readToolList } from '../tool-params.ts'
import { finish } from '../tool-refs.ts'
import { chatProfile } from './profile.ts'
import {
  decodeChatToolChoice,
  decodeFunctionCall,
  encodeChatToolChoice,
  encodeFunctionCall,
} from './tool-choice.ts'
import { decodeChatTool, encodeChatTool } from './tools.ts'

export const chatCodec: Codec = {
  wire: 'chat',
  profile: chatProfile,
  decodeTool: decodeChatTool,
  encodeTool: encodeChatTool,
  decodeToolParams,
  encodeToolParams,
}

function decodeToolParams(body: JsonObject, report: Report): ToolParams {
  const entries: ResidueEntry[] = []
  const tools = readToolList(body, 'tools', decodeChatTool, entries, report)
  const functions = readToolList(body, 'functions', decodeLegacyFunction, entries, report)
  const legacy = tools === undefined && functions !== undefined
  if (functions !== undefined) {
    report(
      'legacy_functions',
      ['functions'],
      '"functions" and "function_call" are deprecated; they were read as tools.',
    )
  }
  const all =
    tools === undefined && functions === undefined ? undefined : [...(tools ?? []), ...(functions ?? [])]
  return compact({
    tools: all,
    choice: decodeChoice(body, entries, report),
    ...readParallel(body, entries),
    legacy: legacy || undefined,
    residue: entries.length === 0 ? undefined : ({ wire: 'chat', at: [], entries } as const),
  })
}

function decodeChoice(body: JsonObject, entries: ResidueEntry[], report: Report): ToolParams['choice'] {
  const current = own(body, 'tool_choice')
  const legacy = own(body, 'function_call')
  if (current === null) entries.push([['tool_choice'], null])
  if (current !== undefined && current !== null) {
    if (legacy !== undefined) entries.push([['function_call'], legacy])
    return decodeChatToolChoice(current, ['tool_choice'], report)
  }
  if (legacy !== undefined && legacy !== null) return decodeFunctionCall(legacy, ['function_call'], report)
  if (legacy === null) entries.push([['function_call'], null])
  return undefined
}

/** A legacy function is the bare inside of a function tool, and no mistake. */
function decodeLegacyFunction(tool: unknown, path: Path, report: Report): Tool {
  return decodeChatTool(tool, path, (code, at, message) => {
    if (code !== 'mixed_shape') report(code, at, message)
  })
}

function encodeToolParams(params: ToolParams, report: Report): JsonObject {
  const written: Record<string, unknown> = {}
  const { tools, choice, parallel } = params
  if (params.legacy) {
    if (tools !== undefined) written.functions = tools.map(tool => unwrap(encodeChatTool(tool, report)))
    if (choice !== undefined) written.function_call = encodeFunctionCall(choice, report)
  } else {
    if (tools !== undefined) written.tools = tools.map(tool => encodeChatTool(tool, report))
    if (choice !== undefined) written.tool_choice = encodeChatToolChoice(choice, report)
  }
  if (parallel !== undefined) written.parallel_tool_calls = parallel
  finish(written, params.residue, 'chat', report)
  return written
}

function unwrap(tool: unknown): unknown {
  return (tool as { function?: unknown }).function ?? tool
}

/** Converts the tool fields of a request for Chat Completions. */

import { refuseUnknownOptions } from '../json/known-options.ts'
import type { JsonObject } from '../json/object.ts'
import { compact, isObject, omit, own } from '../json/object.ts'
import type { Report } from '../model/diagnostic.ts'
import type { ToolParams } from '../model/tool.ts'
import { builtInTools } from '../wires/registry.ts'
import type { InvalidToolError } from './errors.ts'
import { readTools } from './read-tools.ts'
import { withReport } from './tool-formats.ts'
import { formatOptionNames, type OpenAITool, type ToolFormatOptions } from './types.ts'
import { toChatParams } from './write-tools.ts'

const toolKeys = ['tools', 'tool_choice', 'parallel_tool_calls'] as const
type ToolKey = (typeof toolKeys)[number]

/** The request of a type of yours, with the tools as OpenAI takes them. */
export type OpenAIRequest<Request> = Omit<Request, ToolKey> & {
  tools?: OpenAITool[]
  tool_choice?: unknown
  parallel_tool_calls?: boolean
}

/**
 * Returns the request with `tools`, `tool_choice` and `parallel_tool_calls` converted for Chat; all other fields stay.
 * The original request is not changed.
 */
export function convertToOpenAIRequest<Request extends object>(
  request: Request,
  options: ToolFormatOptions = {},
): OpenAIRequest<Request> {
  refuseUnknownOptions('convertToOpenAIRequest', options, formatOptionNames)
  return withReport(options, report => {
    if (!isObject(request)) {
      report('invalid_request', [], 'A request must be an object.')
      return {} as OpenAIRequest<Request>
    }
    const read = readParams(request, options, report)
    const written = builtInTools.chat.encodeToolParams(toChatParams(read.params, options, report), report)
    if (read.failure !== undefined && options.onInvalid === 'throw') throw read.failure
    const removed = toolKeys.filter(key => !Object.hasOwn(written, key) && own(request, key) !== undefined)
    return { ...omit(request, removed), ...written } as OpenAIRequest<Request>
  })
}

function readParams(
  request: JsonObject,
  options: ToolFormatOptions,
  report: Report,
): { params: ToolParams; failure?: InvalidToolError } {
  const tools = own(request, 'tools')
  const choice = compact({
    tool_choice: own(request, 'tool_choice') ?? undefined,
    parallel_tool_calls: own(request, 'parallel_tool_calls') ?? undefined,
  })
  // Responses has every form of choice that Chat has, and in addition tools chosen by type.
  const params = builtInTools.responses.decodeToolParams(choice, report)
  if (tools === undefined || tools === null) return { params }
  const requireDescription = options.requireDescription ?? false
  const { tools: read, ...rest } = readTools(tools, { requireDescription, path: ['tools'] }, report)
  return { params: { ...params, tools: read }, ...rest }
}

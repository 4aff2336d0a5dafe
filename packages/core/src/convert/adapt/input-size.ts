/** How long the input of a request is, for limits that depend on it. A bound from above rather than a count. */
import { isObject } from '../../json/object.ts'
import type { Part } from '../../model/conversation.ts'
import type { Request } from '../../model/request.ts'
import type { Tool } from '../../model/tool.ts'

/** Texts of English or code have about four characters to a token, dense JSON and other scripts fewer. */
const charactersPerToken = 2.5
const tokensPerMedium = 5_000

/** In tokens. */
export function inputSize({ turns, tools }: Request): number {
  let size = 0
  for (const { parts } of turns) for (const part of parts) size += partSize(part)
  for (const tool of [...(tools.tools ?? []), ...(tools.additionalTools ?? [])]) size += toolSize(tool)
  return Math.ceil(size / charactersPerToken)
}

function partSize(part: Part): number {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text.length
    case 'call':
      return part.name.length + part.input.length
    case 'result':
      return part.content.reduce((sum, inner) => sum + partSize(inner), 0)
    case 'image':
    case 'file':
      return part.source.type === 'text' ? part.source.text.length : tokensPerMedium * charactersPerToken
    default:
      return valueSize(part)
  }
}

function toolSize(tool: Tool): number {
  if (tool.kind === 'function')
    return (tool.description?.length ?? 0) + tool.name.length + valueSize(tool.parameters)
  if (tool.kind === 'namespace') return tool.tools.reduce((sum, inner) => sum + toolSize(inner), 0)
  return valueSize(tool.kind === 'hosted' ? tool.definition : tool)
}

/** Of a value of JSON. What was read has been checked for its depth. */
function valueSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + valueSize(item) + 1, 2)
  if (!isObject(value)) return 5
  let size = 2
  for (const key of Object.keys(value)) size += key.length + 4 + valueSize(value[key])
  return size
}

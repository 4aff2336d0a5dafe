/** How long the input of a request is, for limits that depend on it. Rather too long than too short. */
import { isObject } from '../../json/object.ts'
import type { Part } from '../../model/conversation.ts'
import { estimateTokens } from '../../model/estimate-tokens.ts'
import type { Request } from '../../model/request.ts'
import type { Tool } from '../../model/tool.ts'

/** Texts of English or code have about four characters to a token, dense JSON fewer; of other scripts, each may be one. */
const charactersPerToken = 2.5
const otherScript = /[\u0080-\uffff]/
const tokensPerMedium = 5_000
/** The estimate was fitted to one tokenizer; others make more tokens of the same text. */
const margin = 1.35

/** How much a text weighs. */
type Weigh = (text: string) => number

/** In tokens. To look at every word takes time, so that is done only if a quick look finds more than `plenty`. */
export function inputSize(request: Request, plenty: number): number {
  const quick = weighRequest(request, textSize)
  return quick <= plenty ? quick : weighRequest(request, estimatedSize)
}

function weighRequest({ turns, tools }: Request, weigh: Weigh): number {
  let size = 0
  for (const { parts } of turns) for (const part of parts) size += partSize(part, weigh)
  for (const tool of [...(tools.tools ?? []), ...(tools.additionalTools ?? [])]) size += toolSize(tool, weigh)
  return Math.ceil(size / charactersPerToken)
}

/** In characters, about: a medium is no text, and weighs as much as one. */
export function partSize(part: Part, weigh: Weigh = textSize): number {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return weigh(part.text)
    case 'reasoning':
      // A signature is no text that the model reads.
      return [...part.summary, ...part.text].reduce((sum, text) => sum + weigh(text), 0)
    case 'call':
      return part.name.length + weigh(part.input)
    case 'result':
      return part.content.reduce((sum, inner) => sum + partSize(inner, weigh), 0)
    case 'image':
    case 'file':
      return part.source.type === 'text' ? weigh(part.source.text) : tokensPerMedium * charactersPerToken
    default:
      return valueSize(part, weigh)
  }
}

function textSize(text: string): number {
  const first = text.search(otherScript)
  if (first < 0) return text.length
  let size = first
  for (let at = first; at < text.length; at++) size += text.charCodeAt(at) < 128 ? 1 : charactersPerToken
  return size
}

function estimatedSize(text: string): number {
  return estimateTokens(text) * margin * charactersPerToken
}

function toolSize(tool: Tool, weigh: Weigh): number {
  if (tool.kind === 'function')
    return weigh(tool.description ?? '') + tool.name.length + valueSize(tool.parameters, weigh)
  if (tool.kind === 'namespace') return tool.tools.reduce((sum, inner) => sum + toolSize(inner, weigh), 0)
  return valueSize(tool.kind === 'hosted' ? tool.definition : tool, weigh)
}

/** Of a value of JSON. What was read has been checked for its depth. */
function valueSize(value: unknown, weigh: Weigh): number {
  if (typeof value === 'string') return weigh(value) + 2
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + valueSize(item, weigh) + 1, 2)
  if (!isObject(value)) return 5
  let size = 2
  for (const key of Object.keys(value)) size += key.length + 4 + valueSize(value[key], weigh)
  return size
}

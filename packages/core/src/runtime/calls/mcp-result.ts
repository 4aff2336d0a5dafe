/** Results in the shape of MCP's `CallToolResult`, so that a handler can return what a server answered. */
import { isObject, type JsonObject, own } from '../../json/object.ts'
import type { ContentPart } from './outcome.ts'
import { jsonText } from './result-text.ts'
import { textPart } from './tool-result.ts'

export interface McpResult {
  readonly content: readonly JsonObject[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

const resultFields = ['content', 'structuredContent', 'isError', '_meta']

/** Strict about the fields, because an ordinary result may also have an array called `content`. */
export function isMcpResult(value: unknown): value is McpResult {
  if (!isObject(value) || !Array.isArray(own(value, 'content'))) return false
  const keys = Object.keys(value)
  const content = value.content as readonly unknown[]
  return (
    (content.length > 0 || keys.length > 1) &&
    keys.every(key => resultFields.includes(key)) &&
    content.every(block => isObject(block) && typeof own(block, 'type') === 'string')
  )
}

/** Servers that follow the specification repeat the structured content as text. For the others it is added here. */
export function mcpContent({ content, structuredContent }: McpResult): ContentPart[] {
  const parts = content.map(blockPart)
  const hasText = content.some(block => own(block, 'type') === 'text')
  if (structuredContent !== undefined && !hasText) parts.push(textPart(jsonText(structuredContent).text))
  return parts
}

/** A block of an unknown type becomes its JSON text. */
function blockPart(block: JsonObject): ContentPart {
  const { type, text, data, mimeType, resource } = block
  if (type === 'text' && typeof text === 'string') return textPart(text)
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string')
    return mediaPart(data, mimeType)
  if (type === 'resource' && isObject(resource))
    return resourcePart(resource) ?? textPart(jsonText(block).text)
  return textPart(jsonText(block).text)
}

function resourcePart({ uri, text, blob, mimeType }: JsonObject): ContentPart | undefined {
  const name = typeof uri === 'string' ? uri : undefined
  if (typeof text === 'string') return textPart(name === undefined ? text : `${name}\n\n${text}`)
  if (typeof blob !== 'string') return undefined
  return mediaPart(blob, typeof mimeType === 'string' ? mimeType : 'application/octet-stream', name)
}

function mediaPart(data: string, mediaType: string, filename?: string): ContentPart {
  const source = { type: 'data', mediaType, data } as const
  if (mediaType.startsWith('image/')) return { kind: 'image', source, path: [] }
  return { kind: 'file', source, ...(filename !== undefined && { filename }), path: [] }
}

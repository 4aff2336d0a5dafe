/** `toolResult()`: for handlers that determine the exact content: texts, images, files, and whether it is an error. */
import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { isObject } from '../../json/object.ts'
import { show } from '../../json/text.ts'
import { bytesOf, detectMediaType, toBase64 } from './bytes.ts'
import type { ContentPart } from './outcome.ts'

/** A registered symbol, so that a result of another copy of this library is recognised. */
const resultMark: unique symbol = Symbol.for('toolwire.result')

/** Base64 without a `data:` prefix, or bytes. */
export type ResultData = string | Uint8Array | ArrayBuffer

/** What a handler can return in a `toolResult`: text, images and files. */
export type ResultPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image'
      readonly data?: ResultData
      readonly url?: string
      /** Required with `data`, unless the type can be detected from the bytes. */
      readonly mediaType?: string
    }
  | {
      readonly type: 'file'
      readonly data?: ResultData
      readonly url?: string
      readonly mediaType?: string
      readonly filename?: string
    }

/** A result with several parts, or one that is an error; made by `toolResult`. */
export interface ToolResult {
  readonly [resultMark]: true
  readonly content: readonly ContentPart[]
  readonly isError: boolean
}

/** What `toolResult` is made of. */
export interface ToolResultInit {
  readonly content: string | readonly ResultPart[]
  readonly isError?: boolean
}

const known: KnownOptions<ToolResultInit> = { content: true, isError: true }

/** A result with several parts, or one that is an error. Throws a `TypeError` for an invalid part. */
export function toolResult(init: ToolResultInit): ToolResult {
  refuseUnknownOptions('toolResult', init, known)
  const { content, isError = false } = init
  const parts: readonly unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (!Array.isArray(parts))
    throw new TypeError(`"content" must be a text or a list of parts; got ${show(parts)}.`)
  return Object.freeze<ToolResult>({
    [resultMark]: true,
    content: parts.map(readPart),
    isError: isError === true,
  })
}

export function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && (value as Partial<ToolResult>)[resultMark] === true
}

function readPart(part: unknown, index: number): ContentPart {
  const path = `"content[${index}]`
  if (!isObject(part)) throw new TypeError(`${path}" must be an object; got ${show(part)}.`)
  if (part.type === 'text') {
    if (typeof part.text === 'string') return textPart(part.text)
    throw new TypeError(`${path}.text" must be a text; got ${show(part.text)}.`)
  }
  if (part.type !== 'image' && part.type !== 'file')
    throw new TypeError(`${path}.type" must be "text", "image" or "file"; got ${show(part.type)}.`)
  const source = readSource(part, path)
  if (part.type === 'image') return { kind: 'image', source, path: [] }
  const { filename } = part
  return { kind: 'file', source, ...(typeof filename === 'string' && { filename }), path: [] }
}

type Source = Extract<ContentPart, { kind: 'image' }>['source']

function readSource({ data, url, mediaType }: { [key: string]: unknown }, path: string): Source {
  const bytes = bytesOf(data)
  if (bytes === undefined && typeof data !== 'string') {
    if (typeof url === 'string' && url !== '') return urlSource(url)
    throw new TypeError(`${path}" must have "data" (Base64 or bytes) or "url".`)
  }
  const type = typeof mediaType === 'string' ? mediaType : bytes && detectMediaType(bytes)
  if (type === undefined)
    throw new TypeError(`${path}.mediaType" is needed with "data", such as "image/png".`)
  return { type: 'data', mediaType: type, data: bytes === undefined ? String(data) : toBase64(bytes) }
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+=-]+)*;base64,/i

/** A `data:` URL becomes data, because not every wire accepts such a URL. */
function urlSource(url: string): Source {
  const [prefix, mediaType] = dataUrl.exec(url.slice(0, 200)) ?? []
  if (prefix === undefined || mediaType === undefined) return { type: 'url', url }
  return { type: 'data', mediaType, data: url.slice(prefix.length) }
}

export function textPart(text: string): ContentPart {
  return { kind: 'text', text, path: [] }
}

/** Turns what a handler returned into the content that is sent to the model, shortened to the size limit. */
import { describeError, isError } from '../errors.ts'
import { bytesOf, detectMediaType, toBase64 } from './bytes.ts'
import { type Failure, failed, thrownFailure } from './failure.ts'
import { isMcpResult, mcpContent } from './mcp-result.ts'
import type { ContentPart } from './outcome.ts'
import { binaryMark, jsonText } from './result-text.ts'
import { isToolResult, textPart } from './tool-result.ts'

export interface ResultContent {
  readonly content: readonly ContentPart[]
  readonly cut: boolean
  /** The tool itself marked its result as an error. */
  readonly isError: boolean
}

const noOutput = '(no output)'

/** The content of a returned value, or a failure if it cannot be written as content. */
export function resultContent(value: unknown, maxLength: number): ResultContent | Failure {
  try {
    if (isError(value)) return thrownFailure(value)
    if (isUnreadStream(value)) {
      const message =
        'The tool returned a stream or a response and not its contents, so there is no result that could be shown.'
      return failed('invalid_result', message)
    }
    const { parts, isError: isMarked, cut } = partsOf(value)
    const filled = parts.filter(part => part.kind !== 'text' || part.text !== '')
    const limited = cutContent(filled.length === 0 ? [textPart(noOutput)] : filled, maxLength)
    return { content: limited.content, cut: limited.cut || cut, isError: isMarked }
  } catch (thrown) {
    const message = `The tool returned a value that cannot be written as text: ${describeError(thrown).message}`
    return failed('invalid_result', message, thrown)
  }
}

function partsOf(value: unknown): { parts: readonly ContentPart[]; isError: boolean; cut: boolean } {
  const plain = { isError: false, cut: false }
  if (value === undefined) return { parts: [], ...plain }
  if (typeof value === 'string') return { parts: [textPart(value)], ...plain }
  if (isToolResult(value)) return { parts: value.content, isError: value.isError, cut: false }
  const bytes = bytesOf(value)
  if (bytes !== undefined) return { parts: [binaryPart(bytes)], ...plain }
  if (isMcpResult(value)) return { parts: mcpContent(value), isError: value.isError === true, cut: false }
  const { text, cut } = jsonText(value)
  return { parts: [textPart(text)], isError: false, cut }
}

function binaryPart(bytes: Uint8Array): ContentPart {
  const mediaType = detectMediaType(bytes)
  if (mediaType === undefined) return textPart(binaryMark(bytes))
  const source = { type: 'data', mediaType, data: toBase64(bytes) } as const
  return mediaType.startsWith('image/')
    ? { kind: 'image', source, path: [] }
    : { kind: 'file', source, filename: 'document.pdf', path: [] }
}

/** Generators, streams, responses and blobs would be `{}` in JSON, which hides their contents. */
function isUnreadStream(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { next, getReader, arrayBuffer } = value as { readonly [method: string]: unknown }
  const iterates = Symbol.iterator in value && typeof next === 'function'
  const isRead = [getReader, arrayBuffer].some(method => typeof method === 'function')
  return Symbol.asyncIterator in value || iterates || isRead
}

/**
 * Cuts out the middle and puts a mark there that says how much is missing. The result has at most `limit` characters,
 * or is the mark alone if that is longer.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const longestMark = omissionMark(text.length, text.length)
  const room = Math.max(0, limit - longestMark.length)
  // Two thirds from the beginning, where a text usually says what it is.
  const head = withoutLoneSurrogate(text.slice(0, Math.ceil((room * 2) / 3)))
  const tail = text.slice(text.length - Math.floor(room / 3)).replace(/^[\udc00-\udfff]/, '')
  return `${head}${omissionMark(text.length - head.length - tail.length, text.length)}${tail}`
}

/** Limits all text parts together. The first that does not fit is cut; those after it are dropped and counted. */
function cutContent(
  content: readonly ContentPart[],
  limit: number,
): { content: ContentPart[]; cut: boolean } {
  const limited: ContentPart[] = []
  let room = limit
  let leftOut = 0
  let cut = false
  for (const part of content) {
    if (part.kind !== 'text') {
      limited.push(part)
    } else if (cut) {
      leftOut += part.text.length
    } else {
      cut = part.text.length > room
      limited.push(cut ? textPart(cutText(part.text, room)) : part)
      room -= part.text.length
    }
  }
  if (leftOut > 0) limited.push(textPart(omissionMark(leftOut, leftOut)))
  return { content: limited, cut }
}

function omissionMark(missing: number, all: number): string {
  return `[… ${missing} of ${all} characters left out …]`
}

/** Half of a surrogate pair cannot be encoded as UTF-8. */
function withoutLoneSurrogate(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}

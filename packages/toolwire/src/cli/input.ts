/** What a user may hand in: tools, a request, an answer or a stream, of any registered wire. */
import type { Diagnostic, Path, WireDefinition } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core/json'
import { isMcpList } from '@toolwire/core/wires'
import type { ToolSource, WireSet } from '../config/wires.ts'
import { mcpSource } from '../config/wires.ts'
import { InputError } from '../terminal/errors.ts'
import type { JsonDocument } from '../terminal/json-document.ts'
import { printable } from '../terminal/printable.ts'

/** `tools` is a bare list; an object that declares nothing but tools is none of the three. */
export function kindOf(value: unknown, wires: WireSet): 'tools' | 'request' | 'answer' | undefined {
  if (Array.isArray(value)) return 'tools'
  if (!isObject(value)) return undefined
  if (isMcp(value, wires)) return 'tools'
  if (wires.detect(value, 'answer') !== undefined) return 'answer'
  return wires.all.some(wire => isRequest(value, wire)) ? 'request' : undefined
}

/** A list of an MCP server, alone, in its result or in its message. A request may hold such tools too. */
function isMcp(value: unknown, wires: WireSet): boolean {
  return isMcpList(value) && !(isObject(value) && wires.all.some(wire => isRequest(value, wire)))
}

/** Whether there is more in the body than tools. */
function isRequest(body: JsonObject, wire: WireDefinition): boolean {
  const { habits, recognise } = wire.conversation
  const fields = [habits.history, ...(habits.memory === undefined ? [] : Object.values(habits.memory))]
  if (fields.some(field => Object.hasOwn(body, field))) return true
  const { fields: toolFields } = toolPart(body, [wire])
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => !toolFields.includes(key)))
  return recognise.request(rest) > 0
}

/** Server-sent events, where JSON was expected. */
export function looksLikeEvents(text: string): boolean {
  return /^\s*(?:(?:event|data|id|retry):|:)/.test(text)
}

/** How much of a text is inspected to tell a stream from JSON. */
const headLength = 64 * 1024

/** A stream of any registered wire, where JSON was expected. */
export function looksLikeStream(text: string, wires: WireSet): boolean {
  return looksLikeEvents(text) || wires.detect(text.slice(0, headLength), 'stream') !== undefined
}

export interface ToolInput {
  /** A list of tools, or a request body. */
  readonly value: unknown
  /** A single tool was given; `value` is a list around it. */
  readonly single: boolean
  /** The wire that was stated, or what it looks to be written for. */
  readonly source: ToolSource | undefined
  /** It holds no tools, so that it is the same on every wire. */
  readonly empty: boolean
  /** What the user should know about how the input was read. */
  readonly note?: string
  /** Whether a path of the document is about tools, and not about the rest of a body. */
  concernsTools(path: Path): boolean
}

interface ToolInputOptions {
  readonly wires: WireSet
  readonly stated?: ToolSource | undefined
  /** For the message when it is something else. */
  readonly expected?: string
}

export function asToolInput(value: unknown, name: string, options: ToolInputOptions): ToolInput {
  const { wires, expected = 'a list of tools, or a request body with "tools"' } = options
  if (Array.isArray(value)) return listInput(value, false, options)
  if (options.stated === mcpSource || (options.stated === undefined && isMcp(value, wires))) {
    const isSingle = isObject(value) && mcpSource.tools.recogniseTool(value) > 0
    return isSingle ? listInput([value], true, options) : mcpInput(value)
  }
  if (isObject(value)) {
    const body = bodyInput(value, options)
    if (body !== undefined) return body
    const isTool = wires.all.some(({ tools }) => tools.recogniseTool(value) > 0)
    if (isTool || Object.hasOwn(value, 'name') || Object.hasOwn(value, 'type')) {
      return listInput([value], true, options)
    }
  }
  throw new InputError(printable(name), `expected ${expected}.`)
}

/**
 * Whether a file that nobody named holds tools. Many files have a name, a description or a type, such as `package.json`: a
 * tool has a schema beside its name, or a type that a wire defines.
 */
export function holdsTools(value: unknown, name: string, options: ToolInputOptions): boolean {
  const { value: given } = asToolInput(value, name, options)
  return !Array.isArray(given) || given.some(tool => isCertainTool(tool, options.wires))
}

function isCertainTool(tool: unknown, wires: WireSet): boolean {
  if (!isObject(tool)) return false
  const read = wires.all.flatMap(wire => wire.tools.decodeToolParams({ tools: [tool] }, () => {}).tools ?? [])
  return read.some(
    found =>
      found.kind !== 'opaque' &&
      (found.kind !== 'function' || found.parameters !== undefined || Object.hasOwn(tool, 'type')),
  )
}

function mcpInput(value: unknown): ToolInput {
  const empty = mcpSource.tools.openList?.(value, () => undefined)?.list.length === 0
  return { value, single: false, source: mcpSource, empty, concernsTools: () => true }
}

function listInput(
  value: readonly unknown[],
  single: boolean,
  { wires, stated }: ToolInputOptions,
): ToolInput {
  const note = single ? { note: 'A single tool, taken as a list of one.' } : {}
  const source = stated ?? (isMcpList(value) ? mcpSource : wires.detect(value))
  return { value, single, source, empty: value.length === 0, concernsTools: () => true, ...note }
}

/** `undefined` when the object is not a request body. */
function bodyInput(body: JsonObject, { wires, stated }: ToolInputOptions): ToolInput | undefined {
  const source = stated ?? wires.detect(body)
  const { fields, roots } = toolPart(body, isWire(source) ? [source] : wires.all)
  const elsewhere = [...new Set(roots.map(([field]) => `the tools in ${field}`))]
  const found = [...fields, ...elsewhere]
  const hasHistory = wires.all.some(({ conversation: { habits } }) => Object.hasOwn(body, habits.history))
  if (found.length === 0 && !hasHistory) return undefined
  return {
    value: body,
    single: false,
    source,
    empty: found.every(field => isEmptyList(body[field])),
    concernsTools: ([first, second]) =>
      fields.includes(String(first)) || roots.some(root => root[0] === first && root[1] === second),
    note:
      found.length === 0
        ? 'There are no tools in this body.'
        : `A request body: only its tool part (${found.join(', ')}) is converted and written, not the rest of the body.`,
  }
}

function isWire(source: ToolSource | undefined): source is WireDefinition {
  return source !== undefined && source !== mcpSource
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

interface ToolPart {
  /** The fields of the body that declare tools or choose among them. */
  readonly fields: readonly string[]
  /** Entries elsewhere in the body that declare tools. */
  readonly roots: readonly Path[]
}

/** Found by the codecs: what a wire reads as tools, it writes into the same fields. */
function toolPart(body: JsonObject, wires: readonly WireDefinition[]): ToolPart {
  const ignore = (): void => {}
  const read = wires.map(({ tools }) => ({ tools, params: tools.decodeToolParams(body, ignore) }))
  const written = read.flatMap(({ tools, params }) => Object.keys(tools.encodeToolParams(params, ignore)))
  return {
    fields: [...new Set(written)].filter(field => Object.hasOwn(body, field)),
    roots: read.flatMap(({ params }) => (params.additionalTools ?? []).map(({ root }) => root.slice(0, 2))),
  }
}

/** The diagnostics and the flaws of the text in the order of the document, which is the one a reader expects. */
export function inDocumentOrder(
  diagnostics: readonly Diagnostic[],
  document: JsonDocument,
  { single, concernsTools }: Pick<ToolInput, 'single' | 'concernsTools'> = wholeInput,
): Diagnostic[] {
  // A single tool is converted as a list of one, so that paths have one step more than the document.
  const inside = single ? 1 : 0
  const flaws = document.flaws
    .filter(({ path }) => concernsTools(path))
    .map(({ code, severity, path, message, range }) => ({
      offset: range.offset,
      diagnostic: { code, severity, path: single ? [0, ...path] : path, message },
    }))
  const converted = diagnostics.map(diagnostic => ({
    offset: document.rangeOf(diagnostic.path.slice(inside)).offset,
    diagnostic,
  }))
  return [...flaws, ...converted].sort((a, b) => a.offset - b.offset).map(({ diagnostic }) => diagnostic)
}

const wholeInput = { single: false, concernsTools: () => true }

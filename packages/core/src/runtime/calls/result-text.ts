/**
 * Any value as JSON text, without the gaps of `JSON.stringify`: values that JSON lacks become visible marks, cycles
 * and endless structures are cut, and deep nesting uses no stack. A BigInt becomes its digits, a Map an object (or
 * pairs, if a key is not a string), a Set an array, an Error its name and message, bytes their count. NaN,
 * functions, symbols and opaque objects such as promises become a string that names them.
 */
import { isObject } from '../../json/object.ts'
import { bytesOf } from './bytes.ts'

export interface ResultText {
  readonly text: string
  /** Something was dropped because the value is too deep or has too many parts. */
  readonly cut: boolean
}

const maxDepth = 512
const maxParts = 1_000_000

interface Frame {
  readonly source: object
  readonly close: string
  readonly entries: Iterator<readonly [key: string | undefined, value: unknown]>
  isEmpty: boolean
}

/** Throws what a getter or a `toJSON` of the value throws. */
export function jsonText(root: unknown): ResultText {
  const out: string[] = []
  const stack: Frame[] = []
  const ancestors = new Set<object>()
  let parts = 0
  let cut = false

  const write = (raw: unknown, key: string): void => {
    const value = viaToJson(raw, key)
    if (!isContainer(value)) return void out.push(scalarText(value))
    if (ancestors.has(value)) return void out.push('"[circular]"')
    if (stack.length >= maxDepth) {
      cut = true
      return void out.push('"[left out: nested too deep]"')
    }
    ancestors.add(value)
    stack.push(openFrame(value, out))
  }

  write(root, '')
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { done, value: entry } = frame.entries.next()
    if (done === true || parts > maxParts) {
      if (done !== true) {
        cut = true
        out.push(
          `${frame.isEmpty ? '' : ','}${frame.close === '}' ? '"…":' : ''}"[left out: too many parts]"`,
        )
      }
      out.push(frame.close)
      stack.pop()
      ancestors.delete(frame.source)
      continue
    }
    parts++
    const [key, value] = entry
    if (!frame.isEmpty) out.push(',')
    frame.isEmpty = false
    if (key !== undefined) out.push(JSON.stringify(key), ':')
    write(value, key ?? '')
  }
  return { text: out.join(''), cut }
}

function openFrame(source: object, out: string[]): Frame {
  const isList =
    Array.isArray(source) || source instanceof Set || isNumberArray(source) || hasNonStringKeys(source)
  out.push(isList ? '[' : '{')
  const entries = isList ? listEntries(source as Iterable<unknown>) : memberEntries(source)
  return { source, close: isList ? ']' : '}', entries, isEmpty: true }
}

function* listEntries(list: Iterable<unknown>): Generator<readonly [undefined, unknown]> {
  for (const item of list) yield [undefined, item === undefined ? null : item]
}

function* memberEntries(source: object): Generator<readonly [string, unknown]> {
  if (source instanceof Map) {
    for (const [key, value] of source) if (value !== undefined) yield [String(key), value]
    return
  }
  const isFailure = source instanceof Error
  if (isFailure) {
    yield ['name', source.name]
    yield ['message', source.message]
  }
  for (const key of Object.keys(source)) {
    if (isFailure && ['name', 'message', 'stack'].includes(key)) continue
    const value: unknown = (source as Record<string, unknown>)[key]
    if (value !== undefined) yield [key, value]
  }
}

function hasNonStringKeys(source: object): boolean {
  return source instanceof Map && [...source.keys()].some(key => typeof key !== 'string')
}

/** Typed arrays of numbers wider than a byte; byte arrays are handled before this. */
function isNumberArray(source: object): boolean {
  return ArrayBuffer.isView(source)
}

function viaToJson(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'Invalid Date'
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === 'function' ? Reflect.apply(toJSON, value, [key]) : value
}

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  return !isBoxed(value) && bytesOf(value) === undefined && hiddenKind(value) === undefined
}

/** The class name of an object without enumerable members, such as `Promise`, `Headers` or `RegExp`. */
function hiddenKind(value: object): string | undefined {
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
  if (kind === 'Object' || isBoxed(value) || ArrayBuffer.isView(value)) return undefined
  const isKnown = value instanceof Map || value instanceof Set || value instanceof Error
  return isKnown || Object.keys(value).length > 0 ? undefined : kind
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean
}

function scalarText(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return String(value)
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`
    case 'undefined':
      return 'null'
    case 'function':
      return JSON.stringify(`[function ${value.name}]`.replace(' ]', ']'))
    case 'symbol':
      return JSON.stringify(`[${String(value)}]`)
    default: {
      if (!isObject(value)) return JSON.stringify(value)
      const bytes = bytesOf(value)
      if (bytes !== undefined) return JSON.stringify(binaryMark(bytes))
      const kind = hiddenKind(value)
      return JSON.stringify(kind === undefined ? value : `[${kind}]`)
    }
  }
}

export function binaryMark(bytes: Uint8Array): string {
  return `[binary data: ${bytes.length} bytes]`
}

/**
 * A JSON text, its value, and the position of every part. The value comes from `JSON.parse`, which treats `__proto__` as a
 * plain key; the tree is used only for positions.
 */
import type { Path } from '@toolwire/core'
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { createLineIndex, type LineIndex, type Range } from './code-frame.ts'
import { type Flaw, findFlaws } from './json-flaws.ts'

export interface JsonDocument {
  readonly text: string
  readonly value: unknown
  readonly lines: LineIndex
  readonly root: Node
  find(path: Path): Node | undefined
  /** The range to point at for a path; where the path does not exist, that of its nearest parent. */
  rangeOf(path: Path): Range
  /** Flaws that only the text shows, in the order of the text. */
  readonly flaws: readonly Flaw[]
}

/** Where and why a text is not JSON. */
export class JsonSyntaxError extends Error {
  readonly range: Range

  constructor(message: string, range: Range) {
    super(message)
    this.name = 'JsonSyntaxError'
    this.range = range
  }
}

/** Deeper than any real document, and well within what the recursive tree builder can take. */
const maxNesting = 1000

function parseValue(text: string): unknown {
  checkNesting(text)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw locateSyntaxError(text, error)
  }
}

/** Throws a `JsonSyntaxError` with the position. */
export function parseDocument(text: string): JsonDocument {
  const value = parseValue(text)
  const root = parseTree(text, [], { disallowComments: true })
  if (root === undefined) throw new JsonSyntaxError('There is no JSON value here', { offset: 0, length: 0 })
  const membersOf = createMemberIndex()
  const find = (path: Path): Node | undefined => {
    let here: Node | undefined = root
    for (const part of path) here = here === undefined ? undefined : membersOf(here, part)
    return here
  }
  return {
    text,
    value,
    root,
    find,
    lines: createLineIndex(text),
    flaws: findFlaws(text),
    rangeOf(path) {
      for (let length = path.length; length >= 0; length--) {
        const node = find(path.slice(0, length))
        if (node !== undefined) return pointAt(node)
      }
      return { offset: 0, length: 1 }
    },
  }
}

/** A long value is named by its key, or by its opening bracket; a short one shows itself. */
function pointAt(node: Node): Range {
  if (node.type !== 'object' && node.type !== 'array') return { offset: node.offset, length: node.length }
  const [key] = node.parent?.type === 'property' ? (node.parent.children ?? []) : []
  return key === undefined ? { offset: node.offset, length: 1 } : { offset: key.offset, length: key.length }
}

/** Looks members up in constant time; of equal keys the last counts, as it does for `JSON.parse`. */
function createMemberIndex(): (holder: Node, part: string | number) => Node | undefined {
  const known = new Map<Node, Map<string, Node>>()
  return (holder, part) => {
    if (holder.type === 'array') return typeof part === 'number' ? holder.children?.[part] : undefined
    if (holder.type !== 'object') return undefined
    let members = known.get(holder)
    if (members === undefined) {
      members = new Map()
      for (const { key, value } of propertiesOf(holder)) members.set(key, value)
      known.set(holder, members)
    }
    return members.get(String(part))
  }
}

export function propertiesOf(object: Node): { key: string; value: Node; node: Node }[] {
  return (object.children ?? []).flatMap(node => {
    const [key, value] = node.children ?? []
    return key === undefined || value === undefined ? [] : [{ key: String(key.value), value, node }]
  })
}

function checkNesting(text: string): void {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (char === '\\') i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '[' || char === '{') {
      if (++depth > maxNesting) throw new JsonSyntaxError(`Nested deeper than ${maxNesting} levels`, at(i))
    } else if (char === ']' || char === '}') depth--
  }
}

function locateSyntaxError(text: string, cause: unknown): JsonSyntaxError {
  if (text.trim() === '') return new JsonSyntaxError('The input is empty', at(0))
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true })
  const [first] = errors
  if (first !== undefined) {
    const { offset, length } = first
    return new JsonSyntaxError(explain(printParseErrorCode(first.error), text, offset), { offset, length })
  }
  // The engine is stricter than the tree builder in a few cases; its message contains the position.
  return new JsonSyntaxError(cause instanceof Error ? cause.message : String(cause), at(0))
}

function at(offset: number): Range {
  return { offset, length: 1 }
}

function explain(code: string, text: string, offset: number): string {
  if (offset >= text.trimEnd().length) return 'The text ends before the JSON does'
  switch (code) {
    case 'PropertyNameExpected':
      return text.slice(0, offset).trimEnd().endsWith(',')
        ? 'A comma must not stand before the closing brace'
        : 'A property name in double quotes was expected'
    case 'ValueExpected':
      return text.slice(0, offset).trimEnd().endsWith(',')
        ? 'A value was expected after the comma'
        : 'A value was expected'
    case 'ColonExpected':
      return 'A colon was expected'
    case 'CommaExpected':
      return 'A comma was expected'
    case 'EndOfFileExpected':
      return 'The JSON has ended before this'
    case 'InvalidCommentToken':
      return 'JSON has no comments'
    case 'UnexpectedEndOfString':
      return 'The string does not end'
    default:
      return 'This is not JSON'
  }
}

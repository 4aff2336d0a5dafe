/**
 * JSON for reading: what fits is written on one line, and schemas, which are long and rarely of interest, always are.
 * Every line carries the path of the value that begins on it.
 */
import type { Path } from '@toolwire/core'
import { cutToWidth, displayWidth, splitToWidth } from '../../terminal/display-width.ts'
import { printable } from '../../terminal/printable.ts'

export interface JsonLine {
  readonly text: string
  readonly path: Path
}

/** A longer line is harder to read than several. */
const widestFlat = 80
const schemaKeys: readonly unknown[] = ['parameters', 'input_schema', 'schema', 'output_schema']

interface Place {
  readonly path: Path
  readonly indent: string
  /** The key, and the comma behind the value. */
  readonly before: string
  readonly after: string
}

export function jsonLines(value: unknown, width: number, full: boolean): JsonLine[] {
  const lines: JsonLine[] = []
  const add = (text: string, path: Path, indent: string): void => {
    const [first = '', ...more] = full ? splitToWidth(text, width) : [cutToWidth(text, width)]
    lines.push({ text: first, path })
    const room = Math.max(1, width - indent.length)
    const rest = more.length === 0 ? [] : splitToWidth(more.join(''), room)
    for (const piece of rest) lines.push({ text: indent + piece, path })
  }
  const visit = (here: unknown, { path, indent, before, after }: Place): void => {
    const start = indent + before
    const room = Math.min(width, indent.length + widestFlat) - displayWidth(start) - after.length
    const members = membersOf(here) ?? []
    const line = flatten(here, room) ?? (full ? inFull(here) : inShort(here, path, width))
    if (line !== undefined) {
      add(start + line + after, path, indent)
      return
    }
    const [open, close] = Array.isArray(here) ? ['[', ']'] : ['{', '}']
    add(start + open, path, indent)
    // Below half the width there would be nothing left to write on.
    const inner = ' '.repeat(Math.min(indent.length + 2, Math.floor(width / 2)))
    members.forEach(([key, member], i) => {
      visit(member, {
        path: [...path, key],
        indent: inner,
        before: typeof key === 'number' ? '' : `${scalar(key)}: `,
        after: i === members.length - 1 ? '' : ',',
      })
    })
    add(indent + close + after, path, indent)
  }
  visit(value, { path: [], indent: '', before: '', after: '' })
  return lines
}

function membersOf(value: unknown): [key: string | number, member: unknown][] | undefined {
  if (Array.isArray(value)) return [...value.entries()]
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined
}

/** Scalars get one line even if they do not fit. */
function inFull(value: unknown): string | undefined {
  return membersOf(value) === undefined ? scalar(value) : undefined
}

function inShort(value: unknown, path: Path, width: number): string | undefined {
  if (membersOf(value) === undefined) return scalar(value, width)
  return schemaKeys.includes(path.at(-1)) ? printable(JSON.stringify(value).slice(0, width)) : undefined
}

/** Escaped for JSON, and for the terminal. Of a long text no more is escaped than can be shown. */
function scalar(value: unknown, width?: number): string {
  const shown = typeof value === 'string' && width !== undefined ? value.slice(0, width * 8) : value
  return printable(JSON.stringify(shown) ?? 'null')
}

/** On one line of at most `room` columns, or not at all. Looks at no more than could fit. */
function flatten(value: unknown, room: number): string | undefined {
  if (room < 1 || (typeof value === 'string' && value.length > room * 8)) return undefined
  const members = membersOf(value)
  if (members === undefined) {
    const text = scalar(value)
    return displayWidth(text) <= room ? text : undefined
  }
  const list = Array.isArray(value)
  if (members.length === 0) return list ? '[]' : '{}'
  const parts: string[] = []
  let left = room - (list ? 2 : 4)
  for (const [key, member] of members) {
    const before = list ? '' : `${scalar(key)}: `
    const text = flatten(member, left - displayWidth(before))
    if (text === undefined) return undefined
    parts.push(before + text)
    left -= displayWidth(before + text) + 2
  }
  if (left < -2) return undefined
  return list ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
}

/**
 * Writes fixes into the text of a document. Only what a fix names is touched: formatting, key order and
 * everything else stay byte for byte. All places come from one tree, so the time grows with the text and the
 * fixes, not with their product.
 */
import type { Path } from '@toolwire/core'
import { append } from '@toolwire/core/json'
import type { LintEdit, LintFix } from '@toolwire/core/lint'
import type { Node } from 'jsonc-parser'
import { type JsonDocument, propertiesOf } from '../../terminal/json-document.ts'
import { type JsonStyle, spellingsIn, usualSpelling, writeJson } from './write-json.ts'

interface TextEdit {
  readonly offset: number
  readonly length: number
  readonly text: string
}

export interface FixResult {
  readonly text: string
  /** Which of the fixes were applied, by their index. */
  readonly applied: readonly number[]
}

/** Applies as many of the fixes as do not touch one another; the rest is found again in the next round. */
export function applyFixes(document: JsonDocument, fixes: readonly LintFix[]): FixResult {
  const claims = createClaims()
  const layout = layoutOf(document.text)
  const edits: TextEdit[] = []
  const applied: number[] = []
  for (const [index, fix] of fixes.entries()) {
    // Many findings may share one large fix, so overlaps are checked before anything is written.
    const places = fix.edits.map(edit => placeOf(edit, document))
    if (!places.every(place => place !== undefined)) continue
    if (!claims.take(places.flatMap(place => place.claims))) continue
    append(
      edits,
      places.map(place => place.write(layout)),
    )
    applied.push(index)
  }
  return { text: splice(document.text, edits), applied }
}

/** A claimed path is the scene of one fix, with all that is below it. */
function createClaims(): { take(paths: readonly Path[]): boolean } {
  const taken = new Set<string>()
  const above = new Set<string>()
  const beginnings = (path: Path): string[] =>
    Array.from({ length: path.length + 1 }, (_, length) => JSON.stringify(path.slice(0, length)))
  return {
    take(paths) {
      const clash = paths.some(path => {
        const steps = beginnings(path)
        return steps.some(step => taken.has(step)) || above.has(steps.at(-1) ?? '')
      })
      if (clash) return false
      for (const path of paths) {
        const steps = beginnings(path)
        taken.add(steps.at(-1) ?? '')
        for (const step of steps) above.add(step)
      }
      return true
    },
  }
}

interface Place {
  readonly claims: readonly Path[]
  write(layout: Layout): TextEdit
}

function placeOf(edit: LintEdit, document: JsonDocument): Place | undefined {
  const { text } = document
  const node = document.find(edit.path)
  // Adding and removing move commas about, so the list of members is claimed and not only the member.
  const claims = [edit.path, [...edit.path.slice(0, -1), '\0members']]
  if (!Object.hasOwn(edit, 'value')) {
    const removal = node === undefined ? undefined : remove(node)
    return removal && { claims, write: () => removal }
  }
  if (node !== undefined) {
    return { claims: [edit.path], write: layout => replace(node, edit.value, text, layout) }
  }
  const holder = document.find(edit.path.slice(0, -1))
  const key = edit.path.at(-1)
  if (holder?.type !== 'object' || typeof key !== 'string') return undefined
  return { claims, write: layout => insert(holder, key, edit.value, text, layout) }
}

function replace(node: Node, value: unknown, text: string, layout: Layout): TextEdit {
  const inline = isOneLine(node, text) || isOneLine(holderOf(node), text)
  const indent = indentAt(text, node.offset)
  const style = { ...layout, inline, indent, spelling: spellingsIn(node, text) }
  return { offset: node.offset, length: node.length, text: writeJson(value, style) }
}

function remove(node: Node): TextEdit | undefined {
  const member = node.parent?.type === 'property' ? node.parent : node
  const siblings = member.parent?.children
  if (siblings === undefined) return undefined
  const index = siblings.indexOf(member)
  const next = siblings[index + 1]
  const previous = siblings[index - 1]
  if (next !== undefined) return { offset: member.offset, length: next.offset - member.offset, text: '' }
  const from = previous === undefined ? member.offset : previous.offset + previous.length
  return { offset: from, length: member.offset + member.length - from, text: '' }
}

function insert(holder: Node, key: string, value: unknown, text: string, layout: Layout): TextEdit {
  const last = propertiesOf(holder).at(-1)?.node
  const outer = indentAt(text, holder.offset)
  const inline = isOneLine(holder, text)
  const indent = last === undefined ? outer + layout.unit : indentAt(text, last.offset)
  const space = layout.unit === '' ? '' : ' '
  const style = { ...layout, inline, indent, spelling: usualSpelling }
  const member = `${JSON.stringify(key)}:${space}${writeJson(value, style)}`
  if (last !== undefined) {
    const glue = inline ? space : `${layout.eol}${indent}`
    return { offset: last.offset + last.length, length: 0, text: `,${glue}${member}` }
  }
  const inside = space === '' ? member : `${layout.eol}${indent}${member}${layout.eol}${outer}`
  return { offset: holder.offset, length: holder.length, text: `{${inside}}` }
}

function holderOf(node: Node): Node | undefined {
  return node.parent?.type === 'property' ? node.parent.parent : node.parent
}

/** Whether an object or list is written in one line, and should stay so. */
function isOneLine(node: Node | undefined, text: string): boolean {
  if (node?.children === undefined || node.children.length === 0) return false
  return !text.slice(node.offset, node.offset + node.length).includes('\n')
}

type Layout = Pick<JsonStyle, 'unit' | 'eol'>

function layoutOf(text: string): Layout {
  const unit = /\n([ \t]+)\S/.exec(text)?.[1]
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  if (unit !== undefined) return { unit, eol }
  return { unit: text.trimEnd().includes('\n') ? '  ' : '', eol }
}

/** The white space at the beginning of the line. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, Math.min(offset, start + 200)))?.[0] ?? ''
}

function splice(text: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = []
  let at = 0
  for (const edit of [...edits].sort((a, b) => a.offset - b.offset)) {
    pieces.push(text.slice(at, edit.offset), edit.text)
    at = edit.offset + edit.length
  }
  pieces.push(text.slice(at))
  return pieces.join('')
}

/**
 * Which fixes may be written into the text. A fix is made from the value; where the value has already lost something of
 * the text, such as the first of two equal keys, the fix would make the loss final.
 */
export function createFixFilter(document: JsonDocument): (fix: LintFix) => boolean {
  const offsets = document.flaws.map(({ range }) => range.offset)
  const doubled = new Set(
    document.flaws.flatMap(({ code, path }) => (code === 'duplicate_key' ? [JSON.stringify(path)] : [])),
  )
  const isSafe = (fix: LintFix): boolean =>
    fix.edits.every(({ path }) => {
      // Of two values under one key it is unknown which is meant.
      for (let length = 1; doubled.size > 0 && length <= path.length; length++) {
        if (doubled.has(JSON.stringify(path.slice(0, length)))) return false
      }
      const node = document.find(path)
      return node === undefined || !hasBetween(offsets, node.offset, node.offset + node.length)
    })
  const known = new Map<LintFix, boolean>()
  return fix => {
    const safe = known.get(fix) ?? isSafe(fix)
    known.set(fix, safe)
    return safe
  }
}

/** Whether one of the sorted numbers lies in the range. */
function hasBetween(sorted: readonly number[], from: number, to: number): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return (sorted[low] ?? Number.POSITIVE_INFINITY) < to
}

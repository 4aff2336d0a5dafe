/**
 * Writes fixes into the text of a document. Only what a fix names is touched: formatting, key order and
 * everything else stay byte for byte. All places come from one tree, so the time grows with the text and the
 * fixes, not with their product.
 */
import type { Path } from '@toolwire/core'
import type { LintEdit, LintFix } from '@toolwire/core/lint'
import type { Node } from 'jsonc-parser'
import { type JsonDocument, propertiesOf } from '../json-document.ts'

interface TextEdit {
  readonly offset: number
  readonly length: number
  readonly text: string
}

export interface FixResult {
  readonly text: string
  readonly applied: number
}

/** Applies as many of the fixes as do not touch one another; the rest is found again in the next round. */
export function applyFixes(document: JsonDocument, fixes: readonly LintFix[]): FixResult {
  const claims = createClaims()
  const layout = layoutOf(document.text)
  const edits: TextEdit[] = []
  let applied = 0
  for (const fix of fixes) {
    const planned = fix.edits.map(edit => plan(edit, document, layout))
    if (!planned.every(item => item !== undefined)) continue
    if (!claims.take(planned.flatMap(item => item.claims))) continue
    edits.push(...planned.map(({ edit }) => edit))
    applied++
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

function plan(
  edit: LintEdit,
  document: JsonDocument,
  layout: Layout,
): { edit: TextEdit; claims: Path[] } | undefined {
  const node = document.find(edit.path)
  // Adding and removing move commas about, so the list of members is claimed and not only the member.
  const claims = [edit.path, [...edit.path.slice(0, -1), '\0members']]
  if (!Object.hasOwn(edit, 'value')) {
    const removal = node === undefined ? undefined : remove(node)
    return removal && { edit: removal, claims }
  }
  if (node !== undefined) {
    const inline = isOneLine(node, document.text) || isOneLine(holderOf(node), document.text)
    const text = write(edit.value, inline, layout, indentAt(document.text, node.offset))
    return { edit: { offset: node.offset, length: node.length, text }, claims: [edit.path] }
  }
  const holder = document.find(edit.path.slice(0, -1))
  const key = edit.path.at(-1)
  if (holder?.type !== 'object' || typeof key !== 'string') return undefined
  return { edit: insert(holder, key, edit.value, document.text, layout), claims }
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
  const member = `${JSON.stringify(key)}:${space}${write(value, inline, layout, indent)}`
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

/** Whether an object or list was written in one line by somebody who will want to see it stay so. */
function isOneLine(node: Node | undefined, text: string): boolean {
  if (node?.children === undefined || node.children.length === 0) return false
  return !text.slice(node.offset, node.offset + node.length).includes('\n')
}

interface Layout {
  /** One step of indentation; empty for a document without line breaks. */
  readonly unit: string
  readonly eol: string
}

function layoutOf(text: string): Layout {
  const unit = /\n([ \t]+)\S/.exec(text)?.[1]
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  if (unit !== undefined) return { unit, eol }
  return { unit: text.trimEnd().includes('\n') ? '  ' : '', eol }
}

function write(value: unknown, inline: boolean, { unit, eol }: Layout, indent: string): string {
  const text = JSON.stringify(value, null, unit)
  // Line breaks inside strings are escaped, so those that are left are the layout's.
  return inline ? text.replace(/\n\s*/g, ' ') : text.replaceAll('\n', `${eol}${indent}`)
}

/** The white space that begins the line of a place. */
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

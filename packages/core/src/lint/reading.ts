/** What the codec reported while decoding, with remedies, and fixes for misplaced fields. */

import { isObject, omit, own, setOwn } from '../json/object.ts'
import type { Diagnostic, Path } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Tool } from '../model/tool.ts'
import type { WireTools } from '../wires/define-wire.ts'
import { type LintContext, quote, valueAt } from './context.ts'
import { type LintFix, remedyFor } from './finding.ts'

export function reportReading(
  reading: readonly Diagnostic[],
  tools: readonly Tool[],
  context: LintContext,
): void {
  const ownerOf = indexByRoot(tools)
  const dead = new Map<Tool, Path[]>()
  for (const { code, path } of reading) {
    const tool = code === 'misplaced_strict' ? ownerOf(path) : undefined
    if (tool !== undefined) dead.set(tool, [...(dead.get(tool) ?? []), path])
  }
  const reshaped = new Map<Tool, LintFix | undefined>()
  for (const { code, path, message } of reading) {
    const tool = ownerOf(path)
    let fix: LintFix | undefined
    if (code === 'mixed_shape' && tool !== undefined) {
      // One rewrite puts right all that is misshapen in a tool, so every finding about its shape shows it.
      if (!reshaped.has(tool)) reshaped.set(tool, reshape(tool, dead.get(tool) ?? [], context))
      fix = reshaped.get(tool)
    }
    if (code === 'misplaced_strict')
      fix = { title: 'Remove the "strict" that has no effect', edits: [{ path }] }
    context.add(code, path, message, remedyFor(code), fix)
  }
}

/** Finds the tool a path lies in: the one whose own path is the longest beginning of it. */
function indexByRoot(tools: readonly Tool[]): (path: Path) => Tool | undefined {
  const byRoot = new Map<string, Tool>()
  const index = (list: readonly Tool[]): void => {
    for (const tool of list) {
      byRoot.set(JSON.stringify(tool.root), tool)
      if (tool.kind === 'namespace') index(tool.tools)
    }
  }
  index(tools)
  return path => {
    for (let length = path.length; length > 0; length--) {
      const tool = byRoot.get(JSON.stringify(path.slice(0, length)))
      if (tool !== undefined) return tool
    }
    return undefined
  }
}

/** The tool in its wire's own shape, when writing it that way really leaves nothing misshapen. */
function reshape(tool: Tool, dead: readonly Path[], { codec, source }: LintContext): LintFix | undefined {
  if (!('encodeTool' in codec) || (tool.kind === 'function' && tool.legacy)) return undefined
  const wire = codec as WireTools
  // A "strict" without effect must not gain one by the move, so the tool is read again without it.
  const given = dead.reduce(
    (value, path) => without(value, path.slice(tool.root.length)),
    valueAt(source, tool.root),
  )
  const written = createReport()
  const value = wire.encodeTool(wire.decodeTool(given, tool.root, written.report), written.report)
  const { report, diagnostics } = createReport()
  wire.decodeTool(value, tool.root, report)
  if (diagnostics.some(({ code }) => code === 'mixed_shape')) return undefined
  const lost = written.diagnostics.filter(({ code }) => code.endsWith('_dropped'))
  const names = lost.map(({ path }) => quote(String(path.at(-1)))).join(', ')
  const title = names === '' ? 'Reshape the tool' : `Reshape the tool, without ${names}`
  return { title, edits: [{ path: tool.root, value }] }
}

/** A copy of `value` without the value at `path`. */
function without(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined || !isObject(value)) return value
  const name = String(key)
  if (rest.length === 0) return omit(value, [name])
  const copy = { ...value }
  setOwn(copy, name, without(own(value, name), rest))
  return copy
}

/** What the codec said while reading, with remedies, and the fixes that put misplaced things in their place. */
import type { Diagnostic, Path } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import { own } from '../model/json.ts'
import type { FunctionTool, Tool } from '../model/tool.ts'
import { type LintContext, objectAt } from './context.ts'
import type { LintEdit, LintFix } from './finding.ts'
import { remedyFor } from './remedies.ts'

export function reportReading(
  reading: readonly Diagnostic[],
  tools: readonly Tool[],
  context: LintContext,
): void {
  const ownerOf = indexByRoot(tools)
  const reshaped = new Set<Tool>()
  for (const { code, path, message } of reading) {
    const tool = ownerOf(path)
    let fix: LintFix | undefined
    if (code === 'mixed_shape' && tool !== undefined && !reshaped.has(tool)) {
      // One rewrite puts right all that is misshapen in a tool.
      reshaped.add(tool)
      fix = reshape(tool, context)
    }
    if (code === 'misplaced_strict' && tool?.kind === 'function') fix = moveStrict(tool, path, context)
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
function reshape(tool: Tool, { codec }: LintContext): LintFix | undefined {
  const value = codec.encodeTool(tool, () => {})
  const { report, diagnostics } = createReport()
  codec.decodeTool(value, tool.root, report)
  if (diagnostics.some(({ code }) => code === 'mixed_shape')) return undefined
  return { title: 'Reshape the tool', edits: [{ path: tool.root, value }] }
}

function moveStrict(tool: FunctionTool, path: Path, { source }: LintContext): LintFix {
  const value = tool.misplacedStrict
  const stated = typeof own(objectAt(source, tool.path), 'strict') === 'boolean'
  const edits: LintEdit[] = [{ path }]
  if (!stated) edits.push({ path: [...tool.path, 'strict'], value })
  const title = stated ? 'Remove the "strict" that means nothing' : 'Move "strict" to where it counts'
  return { title, edits }
}

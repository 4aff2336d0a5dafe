/** Lints one JSON document against one or more targets and finds every finding's place in the text. */
import type { Path, BuiltInWire as Wire } from '@toolwire/core'
import { type LintFinding, type LintFix, lintToolParams, lintTools } from '@toolwire/core/lint'
import type { Position, Range } from '../../terminal/code-frame.ts'
import type { JsonDocument } from '../../terminal/json-document.ts'
import { asToolInput } from '../tool-input.ts'
import { createFixFilter } from './safe-fix.ts'

export interface LintSettings {
  readonly from?: Wire
  readonly targets: readonly Wire[]
  readonly strict: boolean
}

export interface LocatedFinding extends LintFinding {
  readonly targets: readonly Wire[]
  readonly range: Range
  readonly start: Position
  readonly end: Position
}

export interface DocumentReport {
  readonly name: string
  readonly document: JsonDocument
  readonly wire: Wire
  /** How the wire is known: the user said it, the input shows it, or nothing does. */
  readonly wireBy: 'stated' | 'shown' | 'assumed'
  /** Set when there are no tools to lint. */
  readonly note?: string
  readonly targets: readonly Wire[]
  readonly findings: readonly LocatedFinding[]
}

export function lintDocument(name: string, document: JsonDocument, settings: LintSettings): DocumentReport {
  const input = asToolInput(document.value, name)
  const { value, single, empty, note = '' } = input
  const wire = settings.from ?? input.wire ?? settings.targets[0] ?? 'chat'
  const targets = settings.targets.length === 0 ? [wire] : settings.targets
  const lint = Array.isArray(value) ? lintTools : lintToolParams
  const fit = createFitter(single, createFixFilter(document))
  const merged = new Map<string, { finding: LintFinding; targets: Wire[] }>()
  for (const target of targets) {
    for (const found of lint(value, { wire, target, strict: settings.strict }).findings) {
      const finding = fit(found)
      const key = JSON.stringify([finding.code, finding.path, finding.message])
      const known = merged.get(key)
      if (known === undefined) merged.set(key, { finding, targets: [target] })
      else known.targets.push(target)
    }
  }
  const located = [...merged.values()].map(({ finding, targets: of }) =>
    locate(finding, of, document.rangeOf(finding.path), document),
  )
  const flaws = document.flaws
    .filter(({ path }) => input.concernsTools(path))
    .map(({ range, ...flaw }) => locate(flaw, targets, range, document))
  const findings = [...flaws, ...located].sort((a, b) => a.range.offset - b.range.offset)
  const wireBy = settings.from !== undefined ? 'stated' : input.wire !== undefined ? 'shown' : 'assumed'
  return { name, document, wire, wireBy, targets, findings, ...(empty && { note }) }
}

function locate(
  finding: LintFinding,
  targets: readonly Wire[],
  range: Range,
  { lines }: JsonDocument,
): LocatedFinding {
  const start = lines.positionAt(range.offset)
  return { ...finding, targets, range, start, end: lines.positionAt(range.offset + range.length) }
}

/**
 * Fits findings to the document: a single tool was linted as a list of one, and its paths begin at the tool
 * itself; a fix that would harm the document goes. Findings that share a fix go on sharing it.
 */
function createFitter(
  single: boolean,
  isSafe: (fix: LintFix) => boolean,
): (finding: LintFinding) => LintFinding {
  const strip = (path: Path): (string | number)[] => (single ? path.slice(1) : [...path])
  const fixes = new Map<LintFix, LintFix>()
  return ({ fix, ...finding }) => {
    const moved = { ...finding, path: strip(finding.path) }
    if (fix === undefined) return moved
    const own = fixes.get(fix) ?? {
      ...fix,
      edits: fix.edits.map(edit => ({ ...edit, path: strip(edit.path) })),
    }
    fixes.set(fix, own)
    return isSafe(own) ? { ...moved, fix: own } : moved
  }
}

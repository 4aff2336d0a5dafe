/** Lints one JSON document against one or more targets and finds every finding's place in the text. */
import { detectWire, type Path, type Wire } from '@toolwire/core'
import { type LintFinding, lintToolParams, lintTools } from '@toolwire/core/lint'
import type { Position, Range } from '../code-frame.ts'
import type { JsonDocument } from '../json-document.ts'
import { asToolInput } from '../tool-input.ts'

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
  readonly targets: readonly Wire[]
  readonly findings: readonly LocatedFinding[]
}

export function lintDocument(name: string, document: JsonDocument, settings: LintSettings): DocumentReport {
  const { value, single } = asToolInput(document.value, name)
  const wire = settings.from ?? detectWire(value) ?? settings.targets[0] ?? 'chat'
  const targets = settings.targets.length === 0 ? [wire] : settings.targets
  const lint = Array.isArray(value) ? lintTools : lintToolParams
  const merged = new Map<string, { finding: LintFinding; targets: Wire[] }>()
  for (const target of targets) {
    for (const found of lint(value, { wire, target, strict: settings.strict }).findings) {
      const finding = single ? outOfList(found) : found
      const key = JSON.stringify([finding.code, finding.path, finding.message])
      const known = merged.get(key)
      if (known === undefined) merged.set(key, { finding, targets: [target] })
      else known.targets.push(target)
    }
  }
  const located = [...merged.values()].map(({ finding, targets: of }) =>
    locate(finding, of, document.rangeOf(finding.path), document),
  )
  const findings = [...duplicateKeys(document, targets), ...located]
  findings.sort((a, b) => a.range.offset - b.range.offset)
  return { name, document, wire, targets, findings }
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

function duplicateKeys(document: JsonDocument, targets: readonly Wire[]): LocatedFinding[] {
  return document.duplicateKeys.map(({ path, key, range }) => {
    const finding: LintFinding = {
      code: 'duplicate_key',
      severity: 'warning',
      path: [...path],
      message: `The key ${JSON.stringify(key)} stands here a second time; the first value is lost.`,
      remedy: 'Remove or rename one of the two.',
    }
    return locate(finding, targets, range, document)
  })
}

/** A single tool was linted as a list of one; its paths begin at the tool itself. */
function outOfList(finding: LintFinding): LintFinding {
  const strip = (path: Path): (string | number)[] => path.slice(1)
  const { fix } = finding
  const moved = { ...finding, path: strip(finding.path) }
  if (fix === undefined) return moved
  return { ...moved, fix: { ...fix, edits: fix.edits.map(edit => ({ ...edit, path: strip(edit.path) })) } }
}

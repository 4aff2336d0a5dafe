/** Lints one JSON document against one or more targets, locates every finding in the text, and repairs what it can. */
import type { Path, WireDefinition } from '@toolwire/core'
import { type LintFinding, type LintFix, lintToolParams, lintTools } from '@toolwire/core/lint'
import { jsonOf } from '../../config/mask-config.ts'
import type { ToolSource, WireSet } from '../../config/wires.ts'
import { mcpSource, sourceOption } from '../../config/wires.ts'
import type { LineIndex, Position, Range } from '../../terminal/code-frame.ts'
import { createLineIndex } from '../../terminal/code-frame.ts'
import { type JsonDocument, parseDocument } from '../../terminal/json-document.ts'
import { asToolInput } from '../input.ts'
import { applyFixes, createFixFilter } from './apply-fixes.ts'
import type { LintSource } from './sources/lint-source.ts'
import { createSuppressor, type IgnoreRule } from './suppress.ts'

export interface LintSettings {
  readonly from?: ToolSource
  readonly targets: readonly WireDefinition[]
  readonly strict: boolean
  readonly wires: WireSet
  /** Findings that nobody wants to see. */
  readonly ignore: readonly IgnoreRule[]
}

export interface LocatedFinding extends LintFinding {
  /** Names of wires. */
  readonly targets: readonly string[]
  /** The text that holds it: that of the file, or of the JSON that stands for it. */
  readonly lines: LineIndex
  readonly range: Range
  readonly start: Position
  readonly end: Position
  /** Whether start and end are those of a file. */
  readonly isPlaced: boolean
}

export interface DocumentReport {
  readonly source: LintSource
  readonly name: string
  readonly document: JsonDocument
  /** The name of the wire it is read as. */
  readonly wire: string
  /** The wire itself; absent for the tools of an MCP server. */
  readonly definition?: WireDefinition
  /** How the wire is known: from the user, from the input, or not at all. */
  readonly wireBy: 'stated' | 'shown' | 'assumed'
  /** Set when there are no tools to lint. */
  readonly note?: string
  /** Names of wires. */
  readonly targets: readonly string[]
  readonly findings: readonly LocatedFinding[]
}

export function lintDocument(source: LintSource, settings: LintSettings): DocumentReport {
  const { name, document } = source
  const { from, wires, strict } = settings
  const shown = asToolInput(document.value, name, { wires })
  const input = from === undefined ? shown : asToolInput(document.value, name, { wires, stated: from })
  const { value, single, empty, note = '' } = input
  const wire = from ?? shown.source ?? settings.targets[0] ?? wires.all[0]
  if (wire === undefined) throw new TypeError('There are no wires.')
  const isMcp = wire === mcpSource
  // Tools of an MCP server are sent on no wire as they are, and may be meant for any.
  const usual = isMcp ? wires.all : [wire as WireDefinition]
  const targets = settings.targets.length === 0 ? usual : settings.targets
  const names = targets.map(target => target.name)
  const lint = Array.isArray(value) || isMcp ? lintTools : lintToolParams
  const fit = createFitter(single, createFixFilter(document))
  const merged = new Map<string, { finding: LintFinding; targets: string[] }>()
  for (const target of targets) {
    for (const found of lint(value, { wire: sourceOption(wire), target, strict }).findings) {
      const finding = fit(found)
      const key = JSON.stringify([finding.code, finding.path, finding.message])
      const known = merged.get(key)
      if (known === undefined) merged.set(key, { finding, targets: [target.name] })
      else known.targets.push(target.name)
    }
  }
  const located = [...merged.values()].map(({ finding, targets: of }) =>
    locate(finding, of, document.rangeOf(finding.path), document),
  )
  const flaws = document.flaws
    .filter(({ path }) => input.concernsTools(path))
    .map(({ range, ...flaw }) => locate(flaw, names, range, document))
  const isSuppressed = createSuppressor(name, source.text, [
    ...settings.ignore,
    { codes: source.unsaid ?? [] },
  ])
  const lines = source.rangeOf === undefined ? document.lines : createLineIndex(source.text)
  const findings = [...flaws, ...located]
    .sort((a, b) => a.range.offset - b.range.offset)
    .map(finding => inSource(finding, source, lines))
    .filter(({ code, start, isPlaced }) => !isSuppressed({ code, line: isPlaced ? start.line : undefined }))
  const wireBy = from !== undefined ? 'stated' : shown.source !== undefined ? 'shown' : 'assumed'
  return {
    source,
    name,
    document,
    wire: wire.name,
    ...(!isMcp && { definition: wire as WireDefinition }),
    wireBy,
    targets: names,
    findings,
    ...(empty && { note }),
  }
}

/** Where the JSON was made from something else, there is nothing to repair, and its lines are not those of the text. */
function inSource(
  finding: LocatedFinding,
  { file, rangeOf, nameOf }: LintSource,
  lines: LineIndex,
): LocatedFinding {
  if (file !== undefined) return finding
  const { fix, ...rest } = finding
  const shown = rest.example ?? fix?.edits.find(edit => Object.hasOwn(edit, 'value'))
  const example = shown && { ...shown, path: [...(nameOf?.(shown.path) ?? shown.path)] }
  const unfixed = { ...rest, ...(example && { example }) }
  if (rangeOf === undefined) return unfixed
  const range = rangeOf(finding.path)
  return range === undefined
    ? { ...unfixed, isPlaced: false }
    : { ...unfixed, ...placed(range, lines), lines }
}

function locate(
  finding: LintFinding,
  targets: readonly string[],
  range: Range,
  { lines }: JsonDocument,
): LocatedFinding {
  return { ...finding, targets, isPlaced: true, lines, ...placed(range, lines) }
}

function placed(range: Range, lines: LineIndex): Pick<LocatedFinding, 'range' | 'start' | 'end'> {
  const start = lines.positionAt(range.offset)
  return { range, start, end: lines.positionAt(range.offset + range.length) }
}

/**
 * Fits findings to the document: a single tool was linted as a list of one, and its paths begin at the tool
 * itself; a fix that would harm the document is removed. Findings that share a fix still share it afterwards.
 */
function createFitter(
  single: boolean,
  isSafe: (fix: LintFix) => boolean,
): (finding: LintFinding) => LintFinding {
  const strip = (path: Path): (string | number)[] => (single ? path.slice(1) : [...path])
  const fixes = new Map<LintFix, LintFix>()
  return ({ fix, example, ...finding }) => {
    const moved = {
      ...finding,
      path: strip(finding.path),
      ...(example && { example: { ...example, path: strip(example.path) } }),
    }
    if (fix === undefined) return moved
    const own = fixes.get(fix) ?? {
      ...fix,
      edits: fix.edits.map(edit => ({ ...edit, path: strip(edit.path) })),
    }
    fixes.set(fix, own)
    return isSafe(own) ? { ...moved, fix: own } : moved
  }
}

export interface LintedFile {
  readonly report: DocumentReport
  readonly repairs: readonly Repair[]
}

/** A file that could not be read or written. */
export interface FailedFile {
  readonly name: string
  readonly reason: string
  readonly place?: Position
}

export interface LintRun {
  readonly files: readonly LintedFile[]
  readonly failed: readonly FailedFile[]
  /** The repairs were only worked out and not made. */
  readonly dryRun: boolean
}

/** The code under which a failed file is reported. */
export const failureCode = 'unreadable_file'

/** A repair may uncover another; no real document needs more rounds than this. */
const maxRounds = 10

interface Repair {
  readonly title: string
  readonly code: string
  /** Where it was found, in the text as it was at that moment. */
  readonly line: number
}

export function repairDocument(source: LintSource, settings: LintSettings): LintedFile {
  let report = lintDocument(source, settings)
  const repairs: Repair[] = []
  for (let round = 0; round < maxRounds; round++) {
    const fixable = report.findings.flatMap(({ fix, code, start }) => (fix ? [{ fix, code, start }] : []))
    const { text, applied } = applyFixes(
      report.document,
      fixable.map(({ fix }) => fix),
    )
    if (applied.length === 0) break
    for (const index of applied) {
      const done = fixable[index]
      if (done !== undefined) repairs.push({ title: done.fix.title, code: done.code, line: done.start.line })
    }
    const document = { ...parseDocument(jsonOf(text)), text }
    report = lintDocument({ ...source, text, document }, settings)
  }
  return { report, repairs }
}

/**
 * Diagnostics describe what the library changed or could not convert. They are returned beside the result and never
 * printed. The path points into the *caller's* input.
 */
import type { DiagnosticCode } from './diagnostic-codes.ts'
import { severityOf } from './diagnostic-codes.ts'

/** How bad a diagnostic is. */
export type Severity = 'info' | 'warning' | 'error'

/** The way to a place in a JSON value, by keys and indexes. */
export type Path = readonly (string | number)[]

type PathKey = Path[number]

/** The path extended by `key`. Written out for the usual depths, because a spread is several times slower. */
export function into(path: Path, key: PathKey): Path {
  switch (path.length) {
    case 0:
      return [key]
    case 1:
      return [path[0] as PathKey, key]
    case 2:
      return [path[0] as PathKey, path[1] as PathKey, key]
    case 3:
      return [path[0] as PathKey, path[1] as PathKey, path[2] as PathKey, key]
    default:
      return [...path, key]
  }
}

/** A reported fact about a conversion: what, how bad, and where. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  /** `info`: nothing is lost. `warning`: something is lost or approximated. `error`: the result will not work as meant. */
  readonly severity: Severity
  readonly path: (string | number)[]
  readonly message: string
  /** Of `losses_omitted` only: how many warnings and errors are not listed. */
  readonly omitted?: number
}

/** Takes a diagnostic. */
export type Report = (code: DiagnosticCode, path: Path, message: string) => void

/** How many diagnostics are listed. A request of real use has dozens; a hostile one could have millions. */
export const mostDiagnostics = 10_000

/** A report function that collects into a list; every public function creates its own. */
export function createReport(): { report: Report; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  let omit: ((code: DiagnosticCode) => boolean) | undefined
  const report: Report = (code, path, message) => {
    if (diagnostics.length >= mostDiagnostics) {
      omit ??= createOmission(diagnostics)
      if (omit(code)) return
    }
    diagnostics.push({ code, severity: severityOf(code), path: [...path], message })
  }
  return { report, diagnostics }
}

/** When the list is full, a code that it already has is counted in one last entry, unless nothing is lost by it. */
function createOmission(diagnostics: Diagnostic[]): (code: DiagnosticCode) => boolean {
  const codes = new Set<DiagnosticCode>()
  for (const { code } of diagnostics) codes.add(code)
  let entry: (Diagnostic & { message: string; omitted: number }) | undefined
  return code => {
    if (!codes.has(code)) {
      codes.add(code)
      return false
    }
    if (severityOf(code) === 'info') return true
    if (entry === undefined) {
      entry = {
        code: 'losses_omitted',
        severity: severityOf('losses_omitted'),
        path: [],
        message: '',
        omitted: 0,
      }
      diagnostics.push(entry)
    }
    entry.omitted++
    entry.message = `${entry.omitted} more losses of the kinds above are not listed.`
    return true
  }
}

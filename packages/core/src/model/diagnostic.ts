/**
 * Diagnostics describe what the library changed or could not convert. They are returned beside the result and never
 * printed. The path points into the *caller's* input.
 */
import type { DiagnosticCode } from './diagnostic-codes.ts'
import { severities } from './diagnostic-codes.ts'

export type Severity = 'info' | 'warning' | 'error'

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

export interface Diagnostic {
  readonly code: DiagnosticCode
  /** `info`: nothing is lost. `warning`: something is lost or approximated. `error`: the result will not work as meant. */
  readonly severity: Severity
  readonly path: (string | number)[]
  readonly message: string
}

export type Report = (code: DiagnosticCode, path: Path, message: string) => void

/** A report function that collects into a list; every public function creates its own. */
export function createReport(): { report: Report; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const report: Report = (code, path, message) => {
    diagnostics.push({ code, severity: severities[code], path: [...path], message })
  }
  return { report, diagnostics }
}

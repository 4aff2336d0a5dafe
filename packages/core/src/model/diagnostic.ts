/**
 * Diagnostics are how the library says what it changed or could not carry. They are returned beside the
 * value and never printed. The path points at the place in the *caller's* input.
 */
import type { DiagnosticCode } from './diagnostic-codes.ts'
import { severities } from './diagnostic-codes.ts'

export type Severity = 'info' | 'warning' | 'error'

export type Path = readonly (string | number)[]

type PathKey = Path[number]

/** The path of what stands under `key`. Written out for the usual depths, where a spread costs several times as much. */
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

/** A report function that gathers into a list; every public function makes its own. */
export function createReport(): { report: Report; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const report: Report = (code, path, message) => {
    diagnostics.push({ code, severity: severities[code], path: [...path], message })
  }
  return { report, diagnostics }
}

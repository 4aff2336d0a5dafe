/** Where something stands in the request as the client sent it, when a history was put before its input. */
import type { Diagnostic } from '@toolwire/core'
import type { StatefulRequest } from '../responses-api/state.ts'

export function toClientPaths(
  diagnostics: readonly Diagnostic[],
  { places, previousId }: StatefulRequest,
  input: unknown,
): Diagnostic[] {
  return diagnostics.map(diagnostic => {
    const [field, at, ...rest] = diagnostic.path
    if (field !== 'input' || typeof at !== 'number' || at >= places.length) return diagnostic
    const place = places[at]
    if (place === undefined) {
      return { ...diagnostic, path: [previousId === undefined ? 'conversation' : 'previous_response_id'] }
    }
    return { ...diagnostic, path: typeof input === 'string' ? ['input'] : ['input', place, ...rest] }
  })
}

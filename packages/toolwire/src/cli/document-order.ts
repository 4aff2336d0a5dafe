/** The order in which the input says things; that in which a conversion came upon them means nothing to a reader. */
import type { Diagnostic } from '@toolwire/core'
import type { JsonDocument } from '../terminal/json-document.ts'
import type { ToolInput } from './tool-input.ts'

/** All of the input was converted. */
const wholeInput = { single: false, concernsTools: () => true }

/** What the conversion says, together with what the text says that the conversion could not see. */
export function inDocumentOrder(
  diagnostics: readonly Diagnostic[],
  document: JsonDocument,
  { single, concernsTools }: Pick<ToolInput, 'single' | 'concernsTools'> = wholeInput,
): Diagnostic[] {
  // A single tool is converted as a list of one, so that paths have one step more than the document.
  const inside = single ? 1 : 0
  const read = document.flaws
    .filter(({ path }) => concernsTools(path))
    .map(({ code, severity, path, message, range }) => ({
      offset: range.offset,
      diagnostic: { code, severity, path: single ? [0, ...path] : path, message },
    }))
  const converted = diagnostics.map(diagnostic => ({
    offset: document.rangeOf(diagnostic.path.slice(inside)).offset,
    diagnostic,
  }))
  return [...read, ...converted].sort((a, b) => a.offset - b.offset).map(({ diagnostic }) => diagnostic)
}

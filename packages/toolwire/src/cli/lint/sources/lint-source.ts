/** What lint reads: one JSON document each, wherever its tools were found. */
import type { Path } from '@toolwire/core'
import type { Range } from '../../../terminal/code-frame.ts'
import type { JsonDocument } from '../../../terminal/json-document.ts'

export interface LintSource {
  /** Its name in messages. */
  readonly name: string
  readonly document: JsonDocument
  /** The text in which comments may suppress findings. */
  readonly text: string
  /** The file that repairs are written to, with its byte order mark; absent where the JSON was made from something else. */
  readonly file?: { readonly path: string; readonly mark: string }
  /** Where a path stands in the text, if the document was made from it; `undefined` when that is not known. */
  rangeOf?(path: Path): Range | undefined
  /** What a path is called in the text, if it is called something else there. */
  nameOf?(path: Path): Path | undefined
  /** Findings about what cannot be written in such a text. */
  readonly unsaid?: readonly string[]
}

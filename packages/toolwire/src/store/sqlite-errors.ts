/** The result codes of SQLite, in the words of the store. */
import { StoreError, type StoreErrorCode } from './store-error.ts'

const BUSY = 5
const LOCKED = 6

/** What can be done, by result code. https://sqlite.org/rescode.html */
const explanations: ReadonlyMap<number, readonly [StoreErrorCode, string]> = new Map([
  [BUSY, ['busy', 'another process holds it. Try again, or end the process that keeps it locked.']],
  [LOCKED, ['busy', 'another process holds it. Try again, or end the process that keeps it locked.']],
  [8, ['unavailable', 'it is read-only. Give this user the right to write the file and its folder.']],
  [10, ['unavailable', 'the disk failed to read or write. Look at the disk and its file system.']],
  [11, ['unavailable', 'the file is damaged. Put a backup in its place, or move it away to begin anew.']],
  [13, ['unavailable', 'the disk is full. Free some space, or lower maxBytes.']],
  [
    14,
    ['unavailable', 'it cannot be opened. Check that the folder exists and that this user may write there.'],
  ],
  [26, ['not_a_store', 'it is not an SQLite file. Choose another path, or move the file away.']],
])

/** Extended codes carry the plain one in the low byte. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
}

export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === BUSY || code === LOCKED
}

/** Errors that are not SQLite's own are given back as they are. */
export function translate(error: unknown, path: string): unknown {
  const code = resultCode(error)
  if (code === undefined || !(error instanceof Error)) return error
  const [kind, words] = explanations.get(code) ?? ['unavailable', `SQLite said: ${error.message}`]
  return new StoreError(kind, `The store at ${path} cannot be used: ${words}`, {
    cause: error,
    reason: words,
  })
}

/** Single keys in the terminal of a running gateway. */
import type { Environment } from './environment.ts'

export interface HotKey {
  readonly key: string
  /** A word or two, for the line of keys. */
  readonly name: string
  /** For the help. */
  readonly about: string
  act(): void | Promise<void>
}

const interrupt = '\u0003'
const endOfInput = '\u0004'

/** Returns what ends it. `onBlank` is called for the return key, with which people part what they have seen. */
export function listenForKeys(
  keys: readonly HotKey[],
  { onKey, askToStop }: Pick<Environment, 'onKey' | 'askToStop'>,
  { onBlank, onFailure }: { onBlank(): void; onFailure(error: unknown): void },
): () => void {
  return onKey(pressed => {
    // In this mode of the terminal Ctrl-C is a character like any other.
    if (pressed === interrupt || pressed === endOfInput) return askToStop()
    if (pressed === '\r' || pressed === '\n') return onBlank()
    const found = keys.find(({ key }) => key === pressed.toLowerCase())
    if (found === undefined) return
    void (async () => found.act())().catch(onFailure)
  })
}

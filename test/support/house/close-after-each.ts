/** Closes after each test what it opened, whether it passed or not. */
import { afterEach } from 'vitest'

/** Call it once, at the top of a file, and push a function onto the list for everything that must be closed. */
export function closeAfterEach(): (() => Promise<void>)[] {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  return closing
}

/** What a test opened is closed after it, whether it passed or not. */
import { afterEach } from 'vitest'

/** Put in what closes it. Called once, at the top of a file. */
export function closeAfterEach(): (() => Promise<void>)[] {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  return closing
}

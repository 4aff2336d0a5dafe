/** Lints again whenever a file may have changed, until it is interrupted. */
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'

const clear = '\u001b[2J\u001b[3J\u001b[H'
/** Editors write a file in several steps. */
const settleMs = 100

export async function watchAndLint(
  names: readonly string[],
  io: Io,
  lint: (version: number) => Promise<number>,
): Promise<number> {
  if (names.includes('-')) throw new UsageError('--watch needs files or folders.')
  for (let version = 1; ; version++) {
    // Before linting, so that no change in between is missed.
    const changed = nextChange(names, io)
    if (io.stdout.isTTY) io.stdout.write(clear)
    await lint(version)
    io.stderr.write('Waiting for changes; Ctrl-C ends.\n')
    await changed
  }
}

function nextChange(names: readonly string[], io: Io): Promise<void> {
  return new Promise(resolve => {
    const stop = io.watch(names, () => {
      stop()
      setTimeout(resolve, settleMs)
    })
  })
}

/** The process around one run: streams, files and signals. */
import { createReadStream, watch } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { failStrayCall } from '../gateway/server-tools/tool-scope.ts'
import type { Io, Output } from '../terminal/io.ts'
import { printable } from '../terminal/printable.ts'
import { exitCodes } from './exit-codes.ts'
import { reportBug } from './print-error.ts'
import { run } from './run.ts'

const output = (stream: NodeJS.WriteStream): Output => ({
  write: text => void stream.write(text),
  isTTY: stream.isTTY === true,
  // Read each time, because windows are resized.
  get columns() {
    return stream.columns ?? 0
  },
})

const io: Io = {
  cwd: process.cwd(),
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  stdinIsTTY: process.stdin.isTTY === true,
  env: process.env,
  read: file => (file === '-' ? process.stdin : createReadStream(file)),
  writeFile: (path, text) => writeFile(path, text),
  list: path => readdir(path).catch(() => undefined),
  watch(paths, callback) {
    const watchers = paths.map(path => watch(path, callback))
    return () => {
      for (const watcher of watchers) watcher.close()
    }
  },
  load: url => import(url),
}

// A reader such as `head` may close the pipe early; that is not a failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The same goes for a terminal that was closed.
    if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(exitCodes.ok)
    throw error
  })
}
/** What a configured tool left behind fails that tool; anything else means that the program is in an unknown state. */
const onStray = (error: unknown): void => {
  const tool = failStrayCall(error)
  if (tool === undefined) process.exit(reportBug(error, io))
  const reason = error instanceof Error ? error.message : String(error)
  io.stderr.write(`The tool "${printable(tool)}" failed outside of its call: ${printable(reason)}\n`)
}
process.on('uncaughtException', onStray)
process.on('unhandledRejection', onStray)
process.once('SIGINT', () => process.exit(exitCodes.interrupted))

// Set instead of calling exit, so that pending writes to a pipe are flushed.
process.exitCode = await run(process.argv.slice(2), io)

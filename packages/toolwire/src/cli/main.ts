/** The process around one run: real streams, real files, signals. */
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import type { Io, Output } from '../terminal/io.ts'
import { exitCodes } from './exit-codes.ts'
import { reportBug } from './print-error.ts'
import { run } from './run.ts'

const output = (stream: NodeJS.WriteStream): Output => ({
  write: text => void stream.write(text),
  isTTY: stream.isTTY === true,
  // Asked each time: windows are resized.
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
  load: url => import(url),
}

// A reader such as `head` that has seen enough is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok)
    throw error
  })
}
process.once('uncaughtException', error => process.exit(reportBug(error, io)))
process.once('SIGINT', () => process.exit(exitCodes.interrupted))

// Set rather than exit: what is still on its way to a pipe must arrive.
process.exitCode = await run(process.argv.slice(2), io)

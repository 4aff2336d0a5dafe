/** An MCP server as a program. It runs in a separate process, as one bundled file. */
import { spawn } from 'node:child_process'
import process from 'node:process'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createSampleServer } from './sample-server.test-helper.ts'

export function serve(mode = ''): void {
  if (mode === 'broken') {
    process.stderr.write('No licence found.\n')
    process.exit(7)
  }
  const pids = [process.pid, ...(mode === 'stubborn' ? beStubborn() : [])]
  process.stderr.write(`pids ${pids.join(' ')}\n`)
  if (mode === 'chatty') process.stdout.write('Welcome to the sample server!\n')
  if (mode === 'silent') {
    setInterval(() => {}, 60_000)
    return
  }
  const onCancelled = (): void => void process.stderr.write('taken back\n')
  const onWaiting = (): void => void process.stderr.write('waiting\n')
  const options = { onCancelled, onWaiting, ...(mode === 'paged' && { pageSize: 2 }) }
  serveStdio(() => createSampleServer('sample', options), mode === 'modern' ? { legacy: 'reject' } : {})
}

/** Neither the end of its input nor SIGTERM ends it, and it has a child process that behaves the same. */
function beStubborn(): number[] {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 60_000)
  const idle = "process.on('SIGTERM', () => {}); setInterval(() => {}, 60000)"
  const helper = spawn(process.execPath, ['-e', idle], { stdio: 'inherit' })
  return helper.pid === undefined ? [] : [helper.pid]
}

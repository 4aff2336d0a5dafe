/** Started programs end with this process, however it ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Programs } from './programs.test-helper.ts'
import { createPrograms, gone } from './programs.test-helper.ts'

let programs: Programs
let host: string
let server: string

beforeAll(async () => {
  programs = createPrograms()
  server = await programs.make('stdio-program.test-helper.ts', 'serve')
  host = await programs.make('host-program.test-helper.ts', 'host')
})
afterAll(() => programs.remove())

test.each([
  ['an uncaught error', 'stubborn', 'throw', 2],
  ['process.exit', 'stubborn', 'exit', 2],
  // No code of this process runs then. A program that follows the protocol ends when its input does.
  ['SIGKILL', 'plain', 'kill', 1],
])('After %s, no %s program is left running.', async (_, mode, end, count) => {
  const child = spawn(process.execPath, [host, server, mode, end], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const pids = line.split(' ').slice(1).map(Number)
  expect(pids).toHaveLength(count)
  if (end === 'kill') child.kill('SIGKILL')
  else child.stdin.write('now\n')
  await ended
  await Promise.all(pids.map(gone))
})

/** `toolwire trace`: what went through a running gateway. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Io } from '../../terminal/io.ts'
import type { Arguments } from '../arguments.ts'
import { runTrace } from '../trace/run-trace.ts'

export function run(args: Arguments, io: Io): Promise<number> {
  return runTrace(args, io, { fetch: (url, init) => fetch(url, init), sleep: ms => sleep(ms) })
}

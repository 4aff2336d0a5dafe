/** Runs the command in memory. */
import { createMemoryIo, type MemorySetup, toBytes } from '../terminal/memory-io.test-helper.ts'
import { run } from './run.ts'

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly files: Record<string, string>
  /** The files that were written, in order. */
  readonly written: readonly string[]
}

export type Setup = MemorySetup

export async function toolwire(argv: readonly string[], setup: Setup = {}): Promise<Result> {
  const { io, printed, files, written } = createMemoryIo(setup)
  const code = await run(argv, io)
  const texts = Object.entries(files).map(([path, content]) => [
    path,
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(toBytes(content)),
  ])
  return { code, ...printed, files: Object.fromEntries(texts), written }
}

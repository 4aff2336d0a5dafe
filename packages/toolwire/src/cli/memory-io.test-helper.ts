/** A world for the command that lives in memory. */
import type { Io, Output } from './io.ts'
import { run } from './run.ts'

export interface Setup {
  readonly files?: Record<string, string>
  readonly stdin?: string
  readonly env?: Record<string, string>
  readonly isTTY?: boolean
  readonly columns?: number
  readonly readOnly?: boolean
}

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly files: Record<string, string>
  /** The files that were written, in order. */
  readonly written: readonly string[]
}

export async function toolwire(argv: readonly string[], setup: Setup = {}): Promise<Result> {
  const files = { ...setup.files }
  const { isTTY = false, columns = 100 } = setup
  const printed = { stdout: '', stderr: '' }
  const written: string[] = []
  const output = (name: keyof typeof printed): Output => ({
    write: text => {
      printed[name] += text
    },
    isTTY,
    columns,
  })
  const io: Io = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdinIsTTY: false,
    env: setup.env ?? {},
    readStdin: async () => setup.stdin ?? '',
    async readFile(path) {
      const text = files[path]
      if (text !== undefined) return text
      const isDirectory = Object.keys(files).some(file => file.startsWith(`${path}/`))
      throw Object.assign(new Error('failed'), { code: isDirectory ? 'EISDIR' : 'ENOENT' })
    },
    async writeFile(path, text) {
      if (setup.readOnly) throw Object.assign(new Error('failed'), { code: 'EACCES' })
      files[path] = text
      written.push(path)
    },
  }
  const code = await run(argv, io)
  return { code, ...printed, files, written }
}

/** A world for the command that lives in memory. */
import type { Io, Output } from './io.ts'
import { run } from './run.ts'

export interface Setup {
  readonly files?: Record<string, string>
  readonly stdin?: string
  readonly env?: Record<string, string>
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly files: Record<string, string>
}

export async function toolwire(argv: readonly string[], setup: Setup = {}): Promise<Result> {
  const files = { ...setup.files }
  const { isTTY = false, columns = 100 } = setup
  const written = { stdout: '', stderr: '' }
  const output = (name: keyof typeof written): Output => ({
    write: text => {
      written[name] += text
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
      files[path] = text
    },
  }
  const code = await run(argv, io)
  return { code, ...written, files }
}

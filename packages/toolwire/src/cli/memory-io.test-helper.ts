/** A world for the command that lives in memory. */
import type { Io, Output } from '../terminal/io.ts'
import { run } from './run.ts'

export interface Setup {
  readonly files?: Record<string, string | Uint8Array>
  /** The whole of it, or its pieces; a piece may look at what was printed before it was asked for. */
  readonly stdin?: string | Uint8Array | ((printed: Printed) => AsyncIterable<Uint8Array>)
  readonly env?: Record<string, string>
  readonly isTTY?: boolean
  readonly columns?: number
  readonly readOnly?: boolean
  /** Thrown by whatever reads. */
  readonly broken?: unknown
}

interface Printed {
  readonly stdout: string
  readonly stderr: string
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
  const bytes = (content: string | Uint8Array): Uint8Array =>
    typeof content === 'string' ? new TextEncoder().encode(content) : content
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
    async *read(path) {
      if (setup.broken !== undefined) throw setup.broken
      const content = path === '-' ? (setup.stdin ?? '') : files[path]
      if (typeof content === 'function') return yield* content(printed)
      if (content !== undefined) return yield bytes(content)
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
  const texts = Object.entries(files).map(([path, content]) => [
    path,
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes(content)),
  ])
  return { code, ...printed, files: Object.fromEntries(texts), written }
}

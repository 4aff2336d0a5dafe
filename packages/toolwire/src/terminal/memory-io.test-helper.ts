/** An `Io` whose files, modules and streams live in memory. */
import { resolve } from 'node:path'
import type { Io, Output } from './io.ts'

export const cwd = '/home/me/work'

export interface MemorySetup {
  /** By path, from the working directory. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** What modules export, by path; their text may stand in `files`. */
  readonly programs?: Readonly<Record<string, () => unknown>>
  /** All of it, or its pieces; a piece may look at what was printed before it was asked for. */
  readonly stdin?: string | Uint8Array | ((printed: Printed) => AsyncIterable<Uint8Array>)
  readonly env?: Readonly<Record<string, string>>
  readonly isTTY?: boolean
  readonly stdinIsTTY?: boolean
  readonly columns?: number
  readonly readOnly?: boolean
  /** Thrown by every read. */
  readonly broken?: unknown
}

interface Printed {
  readonly stdout: string
  readonly stderr: string
}

export interface MemoryIo {
  readonly io: Io
  readonly printed: { stdout: string; stderr: string }
  /** By path, as they are now. */
  readonly files: Record<string, string | Uint8Array>
  /** The files that were written, in order. */
  readonly written: readonly string[]
  /** Tells whoever watches files that one has changed. */
  change(): void
}

/** `onWrite` is called after each text that is printed. */
export function createMemoryIo(setup: MemorySetup = {}, onWrite: () => void = () => {}): MemoryIo {
  const { programs = {}, isTTY = false, columns = 100 } = setup
  const files = { ...Object.fromEntries(Object.keys(programs).map(path => [path, ''])), ...setup.files }
  const printed = { stdout: '', stderr: '' }
  const written: string[] = []
  const watching = new Set<() => void>()
  const relative = (path: string): string => resolve(cwd, path).slice(cwd.length + 1)
  const find = (path: string): string | Uint8Array | undefined => files[path] ?? files[relative(path)]
  const output = (name: keyof Printed): Output => ({
    write(text) {
      printed[name] += text
      onWrite()
    },
    isTTY,
    columns,
  })
  const io: Io = {
    cwd,
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdinIsTTY: setup.stdinIsTTY ?? false,
    env: setup.env ?? {},
    async *read(path) {
      if (setup.broken !== undefined) throw setup.broken
      const content = path === '-' ? (setup.stdin ?? '') : find(path)
      if (typeof content === 'function') return yield* content(printed)
      if (content !== undefined) return yield toBytes(content)
      const isDirectory = Object.keys(files).some(file => file.startsWith(`${path}/`))
      throw Object.assign(new Error('failed'), { code: isDirectory ? 'EISDIR' : 'ENOENT' })
    },
    async writeFile(path, text) {
      if (setup.readOnly) throw Object.assign(new Error('failed'), { code: 'EACCES' })
      files[path] = text
      written.push(path)
    },
    async list(path) {
      const folder = `${relative(path)}/`.replace(/^\//, '')
      const inside = Object.keys(files).filter(file => file.startsWith(folder))
      if (inside.length === 0) return undefined
      return [...new Set(inside.map(file => file.slice(folder.length).split('/')[0] ?? ''))]
    },
    watch(_, callback) {
      watching.add(callback)
      return () => watching.delete(callback)
    },
    load: async url => programs[relative(new URL(url).pathname)]?.(),
  }
  const change = (): void => {
    for (const callback of watching) callback()
  }
  return { io, printed, files, written, change }
}

export function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

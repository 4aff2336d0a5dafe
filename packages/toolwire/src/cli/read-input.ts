/** Reads and writes files and standard input, and words what can go wrong on the way. */
import { codeFrame, createLineIndex } from './code-frame.ts'
import { colorsFor } from './colors.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'
import { JsonSyntaxError } from './json-document.ts'
import { printable } from './printable.ts'

export interface Input {
  /** How messages call it. */
  readonly name: string
  readonly text: string
}

export const stdinName = '<stdin>'

export async function readInput(file: string, io: Io): Promise<Input> {
  if (file === '-') {
    if (io.stdinIsTTY) io.stderr.write('Reading JSON from the terminal; end with Ctrl-D.\n')
    return { name: stdinName, text: withoutMark(await io.readStdin()) }
  }
  try {
    return { name: file, text: withoutMark(await io.readFile(file)) }
  } catch (error) {
    throw fileError(file, error)
  }
}

export async function writeOutput(file: string, text: string, io: Io): Promise<void> {
  try {
    await io.writeFile(file, text)
  } catch (error) {
    throw fileError(file, error)
  }
}

function fileError(file: string, error: unknown): InputError {
  return new InputError(`${printable(file)}: ${reason(error)}`)
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'no such file'
  if (code === 'EISDIR') return 'this is a directory'
  if (code === 'EACCES' || code === 'EROFS') return 'permission denied'
  return error instanceof Error ? printable(error.message) : 'the file system refused'
}

/** Runs a parser on the input and turns its complaint into one with file, line, column and frame. */
export function parseInput<T>(input: Input, parse: (text: string) => T, io: Io): T {
  try {
    return parse(input.text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const lines = createLineIndex(input.text)
    const { line, column } = lines.positionAt(error.range.offset)
    const where = `${printable(input.name)}:${line}:${column}`
    const frame = input.text.trim() === '' ? '' : codeFrame(lines, error.range, colorsFor(io.stderr, io.env))
    throw new InputError(`${where}: ${printable(error.message)}.`, frame)
  }
}

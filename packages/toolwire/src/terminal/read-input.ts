/** Reads and writes files and standard input, with messages for what can go wrong. */
import { codeFrame, createLineIndex } from './code-frame.ts'
import { colorsFor } from './colors.ts'
import { InputError } from './errors.ts'
import type { Io } from './io.ts'
import { type JsonDocument, JsonSyntaxError, parseDocument } from './json-document.ts'
import { printable } from './printable.ts'
import { decodeUtf8, EncodingError } from './utf8.ts'

export interface Input {
  /** Its name in messages. */
  readonly name: string
  readonly text: string
  /** The byte order mark of the file, which is not part of the JSON. */
  readonly mark: string
}

const stdinName = '<stdin>'

export async function readInput(file: string, io: Io): Promise<Input> {
  const chunks: Uint8Array[] = []
  for await (const chunk of readChunks(file, 'JSON', io)) chunks.push(chunk)
  const name = nameOf(file)
  try {
    const text = decodeUtf8(Buffer.concat(chunks))
    const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
    return { name, text: text.slice(mark.length), mark }
  } catch (error) {
    throw fileError(name, error)
  }
}

/** The input in chunks. `what` names the expected input for a user at the terminal. */
export async function* readChunks(file: string, what: string, io: Io): AsyncGenerator<Uint8Array> {
  if (file === '-' && io.stdinIsTTY) io.stderr.write(`Reading ${what} from the terminal; end with Ctrl-D.\n`)
  try {
    yield* io.read(file)
  } catch (error) {
    throw fileError(nameOf(file), error)
  }
}

export function nameOf(file: string): string {
  return file === '-' ? stdinName : file
}

export async function writeOutput(file: string, text: string, io: Io): Promise<void> {
  try {
    await io.writeFile(file, text)
  } catch (error) {
    throw fileError(file, error)
  }
}

/** Other errors are bugs and stay as they are. */
function fileError(file: string, error: unknown): unknown {
  if (error instanceof EncodingError) return new InputError(printable(file), `${error.message}.`)
  if (!(error instanceof Error) || !('code' in error)) return error
  return new InputError(printable(file), reason(error.code, error.message))
}

function reason(code: unknown, message: string): string {
  if (code === 'ENOENT') return 'no such file'
  if (code === 'EISDIR') return 'this is a directory'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'permission denied'
  return printable(message)
}

/** Parses the input; a syntax error gets file, line, column and code frame. */
export function parseInput(input: Input, io: Io): JsonDocument {
  try {
    return parseDocument(input.text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const lines = createLineIndex(input.text)
    const place = lines.positionAt(error.range.offset)
    const detail = input.text.trim() === '' ? '' : codeFrame(lines, error.range, colorsFor(io.stderr, io.env))
    throw new InputError(printable(input.name), `${printable(error.message)}.`, { place, detail })
  }
}

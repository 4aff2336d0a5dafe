/** Finds the configuration file and reads it: JSON with comments, or a program that exports it. */
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { codeFrame, createLineIndex, type Range } from '../terminal/code-frame.ts'
import { colorsFor } from '../terminal/colors.ts'
import type { Io } from '../terminal/io.ts'
import type { JsonDocument } from '../terminal/json-document.ts'
import { JsonSyntaxError, parseDocument } from '../terminal/json-document.ts'
import { printable } from '../terminal/printable.ts'
import type { Input } from '../terminal/read-input.ts'
import { readInput } from '../terminal/read-input.ts'
import type { Problem } from './check-shape.ts'
import { checkShape } from './check-shape.ts'
import type { ToolwireConfig } from './config.ts'
import type { LocatedProblem } from './config-error.ts'
import { ConfigError } from './config-error.ts'
import { configRule } from './config-table.ts'
import { blankComments, maskText } from './config-text.ts'
import { isObject } from './json-value.ts'
import { placeOfFailure } from './syntax-place.ts'

const configNames: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json', 'jsonc'].map(
  ending => `toolwire.config.${ending}`,
)

export interface ConfigFile {
  readonly name: string
  readonly config: ToolwireConfig
  locate(problem: Problem): LocatedProblem
}

export interface Files {
  readonly io: Io
  readonly cwd: string
  /** What a program exports. */
  load(url: string): Promise<unknown>
}

/** The named file, or the one in the working directory, or nothing. Throws a `ConfigError` when it is wrong. */
export async function loadConfig(given: string | undefined, files: Files): Promise<ConfigFile | undefined> {
  const name = given ?? (await findConfig(files))
  if (name === undefined) return undefined
  const source = /\.[cm]?[jt]s$/.test(name) ? await readProgram(name, files) : await readJson(name, files)
  const problems = [...source.flaws, ...checkShape(source.value, configRule)]
  if (problems.length > 0) throw new ConfigError(problems.map(source.locate))
  // It has just been held to the table, and the compiler holds the table to the type.
  const config = source.value as ToolwireConfig
  return { name: printable(name), config: fromItsFolder(config, name, files.cwd), locate: source.locate }
}

/** Paths in a file are meant from where it stands. */
function fromItsFolder(config: ToolwireConfig, name: string, cwd: string): ToolwireConfig {
  const path = config.store?.path
  if (path === undefined || isAbsolute(path)) return config
  return { ...config, store: { ...config.store, path: resolve(cwd, dirname(name), path) } }
}

async function findConfig(files: Files): Promise<string | undefined> {
  const exists = await Promise.all(configNames.map(name => canRead(name, files)))
  const found = configNames.filter((_, index) => exists[index])
  if (found.length < 2) return found[0]
  const message = `There are ${found.length} configurations here: ${found.join(', ')}.`
  throw new ConfigError([{ message, remedy: 'Name the one to use with --config, or keep only one.' }])
}

async function canRead(name: string, { io, cwd }: Files): Promise<boolean> {
  try {
    // The first bytes tell; the rest is not waited for.
    for await (const _ of io.read(join(cwd, name))) return true
    return true
  } catch {
    return false
  }
}

interface Source {
  readonly value: unknown
  readonly flaws: readonly Problem[]
  locate(problem: Problem): LocatedProblem
}

async function readJson(name: string, { io, cwd }: Files): Promise<Source> {
  const input = await readInput(name === '-' || isAbsolute(name) ? name : join(cwd, name), io)
  const document = parse({ ...input, name }, io)
  const flaws = document.flaws.map(({ path, message, remedy }) => ({ path, message, remedy }))
  return {
    value: document.value,
    flaws,
    locate: problem => ({ ...problem, ...placeAt(rangeOf(problem, document), input.text, name, io) }),
  }
}

function parse({ text, name }: Input, io: Io): JsonDocument {
  try {
    return parseDocument(blankComments(text))
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new ConfigError([
      { message: `${printable(error.message)}.`, ...placeAt(error.range, text, name, io) },
    ])
  }
}

function placeAt(
  range: Range,
  text: string,
  name: string,
  io: Io,
): Required<Pick<LocatedProblem, 'where' | 'frame'>> {
  const lines = createLineIndex(maskText(text))
  const { line, column } = lines.positionAt(range.offset)
  return {
    where: `${printable(name)}:${line}:${column}`,
    frame: text.trim() === '' ? '' : codeFrame(lines, range, colorsFor(io.stderr, io.env)),
  }
}

/** The value that is wrong, or the name that nobody knows. */
function rangeOf({ path, isAboutName }: Problem, document: JsonDocument): Range {
  const [name] = document.find(path)?.parent?.children ?? []
  if (isAboutName !== true || name === undefined) return document.rangeOf(path)
  return { offset: name.offset, length: name.length }
}

async function readProgram(name: string, { io, cwd, load }: Files): Promise<Source> {
  const where = printable(name)
  // Says it as of any other file when it is not there.
  const { text } = await readInput(resolve(cwd, name), io)
  const url = pathToFileURL(resolve(cwd, name)).href
  let loaded: unknown
  try {
    loaded = await load(url)
  } catch (error) {
    throw cannotLoad(where + (await placeOfFailure(error, url, text)), error)
  }
  const value = isObject(loaded) ? await loaded.default : undefined
  if (value === undefined) {
    const remedy = 'Write: export default defineConfig({ … })'
    throw new ConfigError([{ where, message: 'It exports no configuration.', remedy }])
  }
  return { value, flaws: [], locate: problem => ({ ...problem, where }) }
}

function cannotLoad(where: string, error: unknown): unknown {
  const code = isObject(error) || error instanceof Error ? (error as { code?: unknown }).code : undefined
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    const message = `Node ${process.versions.node} cannot run TypeScript.`
    const remedy =
      'Use Node 22.18 or later, or write the configuration as toolwire.config.js or toolwire.config.json.'
    return new ConfigError([{ where, message, remedy }])
  }
  const reason = error instanceof Error ? error.message : String(error)
  const [first = ''] = reason.split('\n', 1)
  return new ConfigError([{ where, message: `It cannot be loaded: ${printable(first)}` }])
}

/** Finds the configuration file and reads it: JSON with comments, or a program that exports it. */
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isObject } from '@toolwire/core/json'
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
import { flawsOfWires } from './code-rules.ts'
import type { ToolwireConfig } from './config.ts'
import type { LocatedProblem } from './config-error.ts'
import { ConfigError } from './config-error.ts'
import { configRule } from './config-table.ts'
import { expandVariables } from './expand-variables.ts'
import { loadModule } from './load-module.ts'
import { jsonOf, maskText } from './mask-config.ts'
import { WireSet } from './wires.ts'

const configNames: readonly string[] = ['ts', 'mts', 'js', 'mjs', 'json', 'jsonc'].map(
  ending => `toolwire.config.${ending}`,
)

export interface ConfigFile {
  readonly name: string
  readonly config: ToolwireConfig
  /** The wires of the run, with those that the file adds. */
  readonly wires: WireSet
  /** Variables of its upstreams that are not set. */
  readonly unset: readonly Problem[]
  locate(problem: Problem): LocatedProblem
}

/** The named file, or the one in the working directory, or nothing. Throws a `ConfigError` when it is wrong. */
export async function loadConfig(
  given: string | undefined,
  io: Io,
  wires: WireSet = new WireSet(),
): Promise<ConfigFile | undefined> {
  const name = given ?? (await findConfig(io))
  if (name === undefined) return undefined
  const source = /\.[cm]?[jt]s$/.test(name) ? await readProgram(name, io) : await readJson(name, io)
  const { value, problems: unset } = expandVariables(source.value, io.env)
  const known = withWires(value, wires, source.url)
  const problems = [
    ...source.flaws,
    ...unset.filter(problem => !isOfUpstream(problem)),
    ...checkShape(value, configRule, known).filter(({ path }) => !unset.some(other => isAt(path, other))),
    ...takenNames(known),
  ]
  if (problems.length > 0) throw new ConfigError(problems.map(source.locate))
  // It has just been checked against the table, and the compiler checks the table against the type.
  const config = value as ToolwireConfig
  return {
    name: printable(name),
    config: fromItsFolder(config, name, io.cwd),
    wires: known,
    unset: unset.filter(isOfUpstream),
    locate: source.locate,
  }
}

/** An upstream can be left out when a variable of its own is missing. */
function isOfUpstream({ path, variable }: Problem): boolean {
  return path[0] === 'upstreams' && variable !== undefined
}

function isAt(path: Problem['path'], { path: other }: Problem): boolean {
  return path.length === other.length && path.every((step, index) => step === other[index])
}

/** A module of `--wires` may have added another wire of the same name. */
function takenNames({ added }: WireSet): Problem[] {
  const names = added.map(({ name }) => name)
  const taken = names.find((name, index) => names.indexOf(name) !== index)
  if (taken === undefined) return []
  const message = `"wires" has a wire "${printable(taken)}", and so has a module of --wires.`
  return [{ path: ['wires'], message, remedy: 'Leave one of the two out.' }]
}

/** Its upstreams may speak the wires that it adds itself. */
function withWires(config: unknown, wires: WireSet, url: string | undefined): WireSet {
  const own = isObject(config) ? config.wires : undefined
  if (!Array.isArray(own) || own.length === 0 || flawsOfWires(own).length > 0) return wires
  return new WireSet([...wires.added, ...own], url === undefined ? wires.modules : [...wires.modules, url])
}

/** Paths in a file are relative to its folder. */
function fromItsFolder(config: ToolwireConfig, name: string, cwd: string): ToolwireConfig {
  const path = config.store?.path
  if (path === undefined || isAbsolute(path)) return config
  return { ...config, store: { ...config.store, path: resolve(cwd, dirname(name), path) } }
}

async function findConfig(io: Io): Promise<string | undefined> {
  const exists = await Promise.all(configNames.map(name => canRead(name, io)))
  const found = configNames.filter((_, index) => exists[index])
  if (found.length < 2) return found[0]
  const message = `There are ${found.length} configurations here: ${found.join(', ')}.`
  throw new ConfigError([{ message, remedy: 'Name the one to use with --config, or keep only one.' }])
}

async function canRead(name: string, io: Io): Promise<boolean> {
  try {
    // The first bytes are enough.
    for await (const _ of io.read(join(io.cwd, name))) return true
    return true
  } catch {
    return false
  }
}

interface Source {
  readonly value: unknown
  /** What a program was imported as. */
  readonly url?: string
  readonly flaws: readonly Problem[]
  locate(problem: Problem): LocatedProblem
}

async function readJson(name: string, io: Io): Promise<Source> {
  const input = await readInput(name === '-' || isAbsolute(name) ? name : join(io.cwd, name), io)
  const document = parse({ ...input, name }, io)
  const flaws = document.flaws.map(({ path, message, remedy }) => ({ path, message, remedy }))
  return {
    value: document.value,
    flaws,
    locate: problem => ({ ...problem, ...locationOf(rangeOf(problem, document), input.text, name, io) }),
  }
}

function parse({ text, name }: Input, io: Io): JsonDocument {
  try {
    return parseDocument(jsonOf(text))
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new ConfigError([
      { message: `${printable(error.message)}.`, ...locationOf(error.range, text, name, io) },
    ])
  }
}

function locationOf(
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

/** The wrong value, or the unknown name. */
function rangeOf({ path, isAboutName }: Problem, document: JsonDocument): Range {
  const [name] = document.find(path)?.parent?.children ?? []
  if (isAboutName !== true || name === undefined) return document.rangeOf(path)
  return { offset: name.offset, length: name.length }
}

async function readProgram(name: string, io: Io): Promise<Source> {
  const where = printable(name)
  const { exports, url } = await loadModule(name, io)
  const value = isObject(exports) ? await exports.default : undefined
  if (value === undefined) {
    const remedy = 'Write: export default defineConfig({ … })'
    throw new ConfigError([{ where, message: 'It exports no configuration.', remedy }])
  }
  return { value, url, flaws: [], locate: problem => ({ ...problem, where }) }
}

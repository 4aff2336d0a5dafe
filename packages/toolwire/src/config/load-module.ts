/** Imports a program: a configuration, or a module that exports wires. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { WireDefinition } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import { InputError, UsageError } from '../terminal/errors.ts'
import type { Io } from '../terminal/io.ts'
import { printable } from '../terminal/printable.ts'
import { readInput } from '../terminal/read-input.ts'
import { flawsOfWires, looksLikeWire } from './code-rules.ts'
import { ConfigError } from './config-error.ts'
import { WireSet } from './wires.ts'

/** The text of each file when it was last loaded, and how often it was different. */
const loadedTexts = new Map<string, { readonly text: string; readonly version: number }>()

interface LoadedModule {
  readonly exports: unknown
  /** What it was imported as. */
  readonly url: string
}

/** Throws an `InputError` when the file cannot be read and a `ConfigError` when it cannot be run. */
export async function loadModule(name: string, io: Io): Promise<LoadedModule> {
  const path = resolve(io.cwd, name)
  // Reports a missing file as it is reported of any other file.
  const { text } = await readInput(path, io)
  const url = pathToFileURL(path).href
  try {
    // Node keeps what it has loaded; a file that has changed since is another one to it.
    const last = loadedTexts.get(url)
    if (last !== undefined && last.text !== text) loadedTexts.set(url, { text, version: last.version + 1 })
    else if (last === undefined) loadedTexts.set(url, { text, version: 0 })
    const version = loadedTexts.get(url)?.version ?? 0
    const current = version === 0 ? url : `${url}?version=${version}`
    return { exports: await io.load(current), url: current }
  } catch (error) {
    throw cannotLoad(printable(name) + (await positionOfFailure(error, url, text)), error)
  }
}

function cannotLoad(where: string, error: unknown): ConfigError {
  const code = isObject(error) || error instanceof Error ? (error as { code?: unknown }).code : undefined
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    const message = `Node ${process.versions.node} cannot run TypeScript.`
    const remedy = 'Use Node 22.18 or later, or write it in JavaScript or JSON.'
    return new ConfigError([{ where, message, remedy }])
  }
  const reason = error instanceof Error ? error.message : String(error)
  const [first = ''] = reason.split('\n', 1)
  return new ConfigError([{ where, message: `It cannot be loaded: ${printable(first)}` }])
}

/** The wires that the modules named by `--wires` export, as default or by name, one by one or in lists. */
export async function loadWires(modules: readonly string[], io: Io): Promise<WireSet> {
  const found: WireDefinition[] = []
  const urls: string[] = []
  for (const name of modules) {
    const { wires: exported, url } = await importWires(name, io)
    urls.push(url)
    if (exported.length === 0) {
      throw new UsageError(
        `--wires ${printable(name)} exports no wire.`,
        'Export what "defineWire" of @toolwire/core returns, as default or by name, or a list of them.',
      )
    }
    const all = [...new Set([...found, ...exported])]
    const flaw = flawsOfWires(all).find(({ path: [index] }) => Number(index) >= found.length)
    if (flaw !== undefined) {
      const wire = all[Number(flaw.path[0])]?.name ?? ''
      throw new UsageError(
        `--wires ${printable(name)}: the wire "${printable(wire)}" ${printable(flaw.message)}`,
        flaw.remedy,
      )
    }
    found.splice(0, found.length, ...all)
  }
  return new WireSet(found, urls)
}

async function importWires(
  name: string,
  io: Io,
): Promise<{ readonly wires: WireDefinition[]; readonly url: string }> {
  try {
    const { exports, url } = await loadModule(fileOf(name, io.cwd), io)
    const values: unknown[] = await Promise.all(isObject(exports) ? Object.values(exports) : [])
    return { wires: values.flat().filter(looksLikeWire), url }
  } catch (error) {
    if (error instanceof InputError) {
      const remedy = 'Name a module by its path, such as ./wires/mine.js, or an installed package.'
      throw new UsageError(`--wires ${printable(name)}: ${error.reason}.`, remedy)
    }
    if (error instanceof ConfigError) throw new UsageError(`--wires ${error.message}`)
    throw error
  }
}

/** A path is taken from the working directory; any other word is the name of a package that is installed there. */
function fileOf(name: string, cwd: string): string {
  if (isAbsolute(name) || /^\.{1,2}[\\/]|\.[cm]?[jt]s$/.test(name)) return name
  try {
    return createRequire(join(cwd, 'package.json')).resolve(name)
  } catch {
    return name
  }
}

/** `:line` or `:line:column`, to be put behind the name of the file; empty where it is not known. */
async function positionOfFailure(error: unknown, url: string, text: string): Promise<string> {
  if (!(error instanceof Error)) return ''
  const stack = error.stack ?? ''
  const at = stack.indexOf(`${url}:`)
  if (at >= 0) return /^(?::\d+){1,2}/.exec(stack.slice(at + url.length))?.[0] ?? ''
  // Node tells the position of a syntax error in a module only on its standard error.
  return error instanceof SyntaxError ? positionInReport(await checkSyntax(text)) : ''
}

/** What Node prints about the text; empty when it finds no mistake. */
function checkSyntax(text: string): Promise<string> {
  return new Promise(done => {
    const child = spawn(process.execPath, ['--check', '--input-type=module', '-'], {
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: 5_000,
    })
    let report = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      report += chunk
    })
    child.on('error', () => done(''))
    child.on('close', () => done(report))
    // Node may exit before it has read everything.
    child.stdin.on('error', () => {})
    child.stdin.end(text)
  })
}

/** The report holds the number of the line, the line itself, and carets below the position. */
function positionInReport(report: string): string {
  const [, line, carets] = /^\[stdin\]:(\d+)\r?\n.*\r?\n( *)\^/.exec(report) ?? []
  return line === undefined ? '' : `:${line}:${(carets ?? '').length + 1}`
}

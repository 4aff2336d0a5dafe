/** Reads tools where they live: JSON, JSON lines, YAML, OpenAPI documents and modules. */
import type { Path, WireDefinition } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import { ConfigError } from '../../../config/config-error.ts'
import { loadModule } from '../../../config/load-module.ts'
import { jsonOf } from '../../../config/mask-config.ts'
import type { Range } from '../../../terminal/code-frame.ts'
import { InputError, UnloadedError } from '../../../terminal/errors.ts'
import type { Io } from '../../../terminal/io.ts'
import { parseDocument } from '../../../terminal/json-document.ts'
import { printable } from '../../../terminal/printable.ts'
import { type Input, parseInput, readInput } from '../../../terminal/read-input.ts'
import type { LintSource } from './lint-source.ts'
import { toolsOfModule } from './module-tools.ts'
import { isOpenApi, toolsOfOpenApi } from './openapi-tools.ts'
import { readYaml } from './yaml-source.ts'

/** `wire`: the one that programs' tools are written for. `version` makes a module that has changed load again. */
export async function readSources(
  file: string,
  wire: WireDefinition,
  io: Io,
  version = 0,
): Promise<LintSource[]> {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ''
  if (/^[cm]?[jt]s$/.test(ending)) return [await readModule(file, wire, io, version)]
  const input = await readInput(file, io)
  if (ending === 'jsonl' || ending === 'ndjson') return readLines(input, io)
  if (ending === 'yaml' || ending === 'yml') return [await readYamlSource(input)]
  return [readJson(file, input, io)]
}

function readJson(path: string, input: Input, io: Io): LintSource {
  const { name, text, mark } = input
  const hasComments = /\.jsonc$/.test(path) || text.includes('toolwire-lint-')
  const parsed = parseInput(hasComments ? { ...input, text: jsonOf(text) } : input, io)
  if (isOpenApi(parsed.value)) return madeOfOpenApi(name, text, parsed.value, path => parsed.rangeOf(path))
  // Offsets are the same with and without comments, so that repairs keep them.
  return { name, text, document: { ...parsed, text }, file: { path, mark } }
}

/** A document of its own for each line; the blank lines before it keep the number of the line. */
function readLines(input: Input, io: Io): LintSource[] {
  const lines = input.text.split(/\r\n|\r|\n/)
  if (lines.length > mostLines) {
    throw new InputError(printable(input.name), `it has more than ${mostLines} lines; lint it in parts.`)
  }
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return []
    const document = parseInput({ ...input, text: '\n'.repeat(i) + line }, io)
    return [{ name: input.name, text: line, document }]
  })
}

const mostLines = 5000

async function readYamlSource({ name, text }: Input): Promise<LintSource> {
  const { value, rangeOf } = await readYaml(name, text)
  return isOpenApi(value)
    ? madeOfOpenApi(name, text, value, rangeOf)
    : { ...made(name, text, value), rangeOf }
}

const operationNames: Readonly<Record<string, string>> = { name: 'operationId', description: 'description' }

/** What is found in a tool is shown at its name, or at the beginning of its operation. */
function madeOfOpenApi(
  name: string,
  text: string,
  document: JsonObject,
  rangeOf: (path: Path) => Range | undefined,
): LintSource {
  const operations = toolsOfOpenApi(document)
  const nameOf = ([index, key, ...deeper]: Path): Path | undefined => {
    const place = operations[Number(index)]?.path
    const named = deeper.length === 0 ? operationNames[String(key)] : undefined
    return place === undefined || named === undefined ? undefined : [...place, named]
  }
  return {
    ...made(
      name,
      text,
      operations.map(({ tool }) => tool),
    ),
    nameOf,
    rangeOf(path) {
      const operation = operations[Number(path[0])]
      if (operation === undefined) return undefined
      if (path[1] === 'name' && operation.isNamed) return rangeOf(nameOf(path) ?? operation.path)
      const range = rangeOf(operation.path)
      return range && { offset: range.offset, length: 1 }
    },
    // An API is described, and not how strictly a provider is to call it.
    unsaid: ['strict_unstated'],
  }
}

async function readModule(path: string, wire: WireDefinition, io: Io, version: number): Promise<LintSource> {
  const { text } = await readInput(path, io)
  const busted: Io = version === 0 ? io : { ...io, load: url => io.load(`${url}?v=${version}`) }
  try {
    const { exports } = await loadModule(path, busted)
    const tools = await toolsOfModule(exports, wire)
    if (tools.length > 0) return made(path, text, tools)
  } catch (error) {
    if (error instanceof InputError) throw error
    const reason =
      error instanceof ConfigError
        ? [error.problems[0]?.message, error.problems[0]?.remedy].filter(Boolean).join(' ')
        : error instanceof Error
          ? error.message
          : String(error)
    throw new UnloadedError(printable(path), printable(reason))
  }
  throw new InputError(printable(path), 'it exports no tools.')
}

/** A document that stands for something else. */
export function made(name: string, text: string, value: unknown): LintSource {
  return {
    name,
    text,
    document: parseDocument(JSON.stringify(value, null, 2) ?? 'null'),
    rangeOf: () => undefined,
  }
}

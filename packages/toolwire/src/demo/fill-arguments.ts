/**
 * Arguments for the chosen tool: a minimal sample of its schema, into which the values that stand out in the message
 * are put where the schema takes them.
 */

import type { JsonObject } from '@toolwire/core/json'
import { isObject, own, setOwn } from '@toolwire/core/json'
import { createValidator } from '@toolwire/core/schema'
import { trySample } from '@toolwire/core/testing'
import { ownObject } from './json.ts'
import { createWordSearch, nameWords, valuesIn } from './message-words.ts'
import { isPatchName, isPlace, newFile, onlyReads, safeArguments } from './never-destroy.ts'
import type { DemoTool } from './read-tools.ts'

export interface Filling {
  readonly message: string
  /** For required texts that the message has no value for. */
  readonly text: string
  readonly seed: number
  /** By which the file is named that a call may write. */
  readonly digest: string
  /** At most this many objects: there are several when the message has several values for one parameter. */
  readonly most: number
}

/** The input of each call: JSON arguments, or the free text of a custom tool. None where a call could do harm. */
export function inputsFor(tool: DemoTool, filling: Filling): string[] {
  if (tool.kind === 'custom') return [freeText(tool, filling)]
  const parameters = tool.parameters ?? { properties: {} }
  // Arguments are always an object, also where the schema forgets to say so.
  const schema = own(parameters, 'type') === undefined ? { ...parameters, type: 'object' } : parameters
  const { validate } = createValidator(schema)
  const inputs = fillSchema(schema, filling, tool.name).flatMap(filled => {
    const value = safeArguments(filled, tool, filling.digest)
    // Where the schema does not take the name of the new file, there is no safe place.
    return value === filled || validate(value).ok ? [JSON.stringify(value)] : []
  })
  return [...new Set(inputs)]
}

function freeText({ name, pattern }: DemoTool, { message, seed, digest }: Filling): string {
  const sampled = pattern === undefined ? undefined : trySample({ type: 'string', pattern }, { seed })
  if (sampled?.ok && typeof sampled.value === 'string') return sampled.value
  const harmless = harmlessForTool(name, digest)
  const quoted = valuesIn(message).find(
    ({ value, isQuoted }) => isQuoted && (harmless === undefined || onlyReads(String(value))),
  )
  return String(quoted?.value ?? harmless ?? (message.trim() || 'Hello'))
}

/** Values that satisfy the schema; one empty object when no such value was found. */
export function fillSchema(schema: JsonObject, filling: Filling, toolName = ''): unknown[] {
  const sampled = trySample(schema, { seed: filling.seed, minimal: true })
  if (!sampled.ok) return [{}]
  const { value: sample } = sampled
  if (!isObject(sample)) return [sample]
  const { validate } = createValidator(schema)
  const put = (draft: JsonObject, key: string, value: unknown): JsonObject | undefined => {
    const next = { ...draft }
    setOwn(next, key, value)
    return validate(next).ok ? next : undefined
  }
  const accepts = (key: string, value: unknown): boolean => put(sample, key, value) !== undefined
  const parameters = parametersOf(schema, toolName, filling.digest)
  const found = assignValues(parameters, filling.message, accepts)
  const count = Math.min(
    filling.most,
    [...found.values()].reduce((most, list) => Math.max(most, list.length), 1),
  )
  return Array.from({ length: count }, (_, i) =>
    parameters.reduce((draft, parameter) => {
      const values = found.get(parameter)
      // Where one parameter has fewer values than another, its last one is repeated.
      const candidates = values === undefined ? fallbacks(parameter, filling) : [values[i] ?? values.at(-1)]
      for (const value of candidates) {
        const next = put(draft, parameter.name, value)
        if (next !== undefined) return next
      }
      return draft
    }, sample),
  )
}

interface Parameter {
  readonly name: string
  readonly isRequired: boolean
  /** The schema itself names a value, which the sample has. */
  readonly hasExample: boolean
  readonly enumTexts: readonly string[]
  /** What is run as code must be harmless; `undefined` for all other parameters. */
  readonly harmless: string | undefined
}

const mostParameters = 60

/** Required ones first, otherwise in the order of the schema. */
function parametersOf(schema: JsonObject, toolName: string, digest: string): Parameter[] {
  const required = own(schema, 'required')
  const parameters = Object.entries(ownObject(schema, 'properties') ?? {}).map(
    ([name, property]): Parameter => {
      const known = isObject(property) ? property : {}
      const branches = [known, ...arrayOf(known, 'anyOf').filter(isObject)]
      return {
        name,
        isRequired: Array.isArray(required) && required.includes(name),
        hasExample: own(known, 'default') !== undefined || arrayOf(known, 'examples').length > 0,
        enumTexts: branches.flatMap(branch => arrayOf(branch, 'enum').filter(one => typeof one === 'string')),
        harmless: harmlessForParameter(name, toolName, digest),
      }
    },
  )
  const ordered = [...parameters.filter(one => one.isRequired), ...parameters.filter(one => !one.isRequired)]
  return ordered.slice(0, mostParameters)
}

function arrayOf(schema: JsonObject, keyword: string): readonly unknown[] {
  const value = own(schema, keyword)
  return Array.isArray(value) ? value : []
}

type Assigned = ReadonlyMap<Parameter, readonly unknown[]>

/**
 * Each value goes into the first parameter that takes it and has none yet, required ones before optional ones. When
 * all of these have a value, the first one gets another, which makes another call.
 */
function assignValues(
  parameters: readonly Parameter[],
  message: string,
  accepts: (key: string, value: unknown) => boolean,
): Assigned {
  const assigned = new Map<Parameter, unknown[]>()
  const enumValues = new Set<string>()
  const hasWords = createWordSearch(message)
  for (const parameter of parameters) {
    const value = parameter.enumTexts.find(text => hasWords(text) && accepts(parameter.name, text))
    if (value === undefined) continue
    assigned.set(parameter, [value])
    enumValues.add(value.toLowerCase())
  }
  for (const { value, isQuoted } of valuesIn(message)) {
    if (enumValues.has(String(value).toLowerCase())) continue
    const usable = parameters.filter(
      one =>
        one.enumTexts.length === 0 && (one.harmless === undefined || (isQuoted && onlyReads(String(value)))),
    )
    const taking = usable.filter(({ name }) => accepts(name, value) || accepts(name, [value]))
    const required = taking.filter(({ isRequired }) => isRequired)
    const group = required.length > 0 ? required : taking
    const open = group.filter(one => !assigned.has(one))
    const parameter = open.find(one => isPlace(one.name) === isPath(value)) ?? open[0] ?? group[0]
    if (parameter === undefined) continue
    const before = assigned.get(parameter) ?? []
    // An array takes all its values, and so needs no further call.
    if (accepts(parameter.name, value)) assigned.set(parameter, [...before, value])
    else assigned.set(parameter, [[...before.flat(), value]])
  }
  return assigned
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && /[/.]/.test(value) && !/[\s@]/.test(value)
}

/** What to try for a parameter without a value from the message, before its sample. */
function fallbacks({ isRequired, hasExample, harmless }: Parameter, { text }: Filling): unknown[] {
  // An example of what is run is nobody's word that it is harmless.
  if (!isRequired || (hasExample && harmless === undefined)) return []
  const filler = harmless ?? text
  return [null, filler, [filler]]
}

const harmlessQuery = "SELECT 'Hello from the demo model'"

const harmlessTexts: readonly (readonly [words: ReadonlySet<string>, text: string])[] = [
  [new Set(['sql', 'statement', 'database']), harmlessQuery],
  [
    new Set(['command', 'cmd', 'script', 'shell', 'bash', 'terminal', 'run', 'exec', 'execute', 'stdin']),
    'echo "Hello from the demo model"',
  ],
  [new Set(['code', 'javascript', 'python', 'program', 'eval', 'evaluate']), '"Hello from the demo model"'],
]

/**
 * For names of tools and parameters that suggest that their text is run. Somebody may really run it, so it is this
 * text and never the user's, unless the user quoted something that only reads.
 */
function harmlessForTool(name: string, digest: string): string | undefined {
  const words = nameWords(name)
  return isPatchName(words) ? harmlessPatch(digest) : harmlessCode(words)
}

function harmlessForParameter(name: string, toolName: string, digest: string): string | undefined {
  const words = nameWords(name)
  if (words.includes('patch') || words.includes('diff')) return harmlessPatch(digest)
  const isQuery = words.includes('query') && nameWords(toolName).includes('query')
  return harmlessCode(words) ?? harmlessForTool(toolName, digest) ?? (isQuery ? harmlessQuery : undefined)
}

function harmlessPatch(digest: string): string {
  return `*** Begin Patch\n*** Add File: ${newFile(digest)}\n+Hello\n*** End Patch`
}

function harmlessCode(words: readonly string[]): string | undefined {
  return harmlessTexts.find(([codeWords]) => words.some(word => codeWords.has(word)))?.[1]
}

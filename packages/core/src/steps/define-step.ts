/** `defineStep`: checks the configuration of a step. Mistakes are thrown here, with a remedy, not found by a run later. */

import { nearestNames } from '../json/nearest-names.ts'
import { compact, isObject, type JsonObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import { ToolError } from '../runtime/errors.ts'
import { readOutputSchema } from './output-schema.ts'
import {
  type AnyStep,
  type Audit,
  type OutputOf,
  type Step,
  type StepConfig,
  type StepParts,
  stepMark,
} from './step.ts'
import type { TerminalCode } from './step-error.ts'
import { issueSeverities } from './step-result.ts'

/** All fields; the type makes the compiler report a missing one. */
const fields: { readonly [Field in keyof Required<StepConfig>]: true } = {
  name: true,
  description: true,
  outputSchema: true,
  instructions: true,
  prompt: true,
  sanitizeInput: true,
  sanitizeOutput: true,
  audits: true,
  maxRetries: true,
  alsoRetry: true,
  stopOnFailure: true,
  severityFilter: true,
  passes: true,
  failureReason: true,
  maxTokens: true,
  carrier: true,
  includeResults: true,
}

/** Names of these fields in other libraries. */
const otherNames: ReadonlyMap<string, keyof StepConfig> = new Map([
  ['issuesSeverityFilter', 'severityFilter'],
  ['customPassCriteria', 'passes'],
  ['customFailureReason', 'failureReason'],
  ['inputSanitizer', 'sanitizeInput'],
  ['outputSanitizer', 'sanitizeOutput'],
  ['includeResultsInToolcall', 'includeResults'],
  ['stepName', 'name'],
  ['parameters', 'outputSchema'],
])

const severityRule = `one of ${issueSeverities.join(', ')}`
const terminalCodes: readonly TerminalCode[] = ['refused', 'truncated_output', 'model_failed']

/**
 * Defines a step: a prompt, an output schema, and what sanitizes and audits the output.
 *
 * @example
 * ```js
 * import { connectModel } from '@toolwire/core'
 * import { defineStep, runStep } from '@toolwire/core/steps'
 * import { createScriptedModel, says } from '@toolwire/core/testing'
 *
 * const palette = defineStep({
 *   name: 'palette',
 *   prompt: mood => `Two colours for a ${mood} page`,
 *   outputSchema: { type: 'object', properties: { colours: { type: 'array', items: { type: 'string' } } }, required: ['colours'] },
 *   carrier: 'format',
 * })
 * const { send } = createScriptedModel({ wire: 'chat', script: [says('{"colours":["teal","sand"]}')] })
 * const model = connectModel({ wire: 'chat', model: 'any', send })
 * const result = await runStep(palette, 'calm', { model })
 * console.log(result.ok ? result.output.colours : result.error)
 * ```
 */
export function defineStep<
  const Schema extends object,
  Input = unknown,
  const Name extends string = string,
  const Stop extends boolean = true,
>(config: StepConfig<Schema, Input, Name, Stop>): Step<Input, OutputOf<Schema>, Name, Stop> {
  // The only cast: at run time each function gets only values that the schema of its own step has validated.
  return build(config as unknown) as Step<Input, OutputOf<Schema>, Name, Stop>
}

function build(config: unknown): AnyStep {
  if (!isObject(config))
    throw definitionError(`A step's configuration must be an object; got ${show(config)}.`)
  refuseUnknownFields(config)
  const name = readStepName(config.name)
  const read = createReader(name, config)
  const schema = readOutputSchema(config.outputSchema, name)
  const instructions = read('instructions', 'a text or a function', isTextOrFunction)
  // A function written as a method gets the configuration as `this`.
  const method = (key: keyof StepConfig): AnyFunction | undefined =>
    read(key, 'a function', isFunction)?.bind(config)
  const parts = {
    schema,
    audits: readAudits(read('audits', 'a list of audits', isList), name),
    alsoRetry: [
      ...(read('alsoRetry', `a list of ${terminalCodes.join(', ')}`, isListOf(terminalCodes)) ?? []),
    ],
    ...compact({
      instructions: typeof instructions === 'string' ? () => instructions : instructions?.bind(config),
      prompt: method('prompt'),
      sanitizeInput: method('sanitizeInput'),
      sanitizeOutput: method('sanitizeOutput'),
      passes: method('passes'),
      failureReason: method('failureReason'),
      maxTokens: read('maxTokens', 'a whole number above 0', isWhole(1)),
    }),
  }
  return Object.freeze<AnyStep>({
    [stepMark]: Object.freeze(parts as unknown as StepParts),
    name,
    ...compact({ description: read('description', 'a text', isText) }),
    outputSchema: schema.jsonSchema,
    strict: schema.strict,
    carrier: read('carrier', '"tool" or "format"', isOneOf(['tool', 'format'] as const)) ?? 'tool',
    maxRetries: read('maxRetries', 'a whole number, 0 or more', isWhole(0)) ?? 3,
    stopOnFailure: read('stopOnFailure', 'true or false', value => typeof value === 'boolean') ?? true,
    severityFilter: read('severityFilter', severityRule, isOneOf(issueSeverities)) ?? 'high',
    includeResults: Object.freeze([
      ...(read('includeResults', 'a list of names of steps', isTextList) ?? []),
    ]),
    diagnostics: schema.diagnostics,
  })
}

function refuseUnknownFields(config: JsonObject): void {
  const known = Object.keys(fields)
  for (const key of Object.keys(config)) {
    if (known.includes(key)) continue
    const suggestion = otherNames.get(key) ?? nearestNames(key, known)[0]
    const remedy =
      suggestion === undefined ? `The fields are: ${known.join(', ')}.` : `Did you mean "${suggestion}"?`
    throw definitionError(`A step has no field ${show(key)}. ${remedy}`)
  }
}

/** Providers accept no other names for tools and formats. */
export function readStepName(name: unknown): string {
  if (typeof name === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(name)) return name
  const rule = 'letters, digits, "_" and "-", at most 64 of them'
  throw definitionError(
    `A step's "name" must be ${rule}, because the model calls a tool of this name; got ${show(name)}.`,
  )
}

function readAudits(list: readonly unknown[] | undefined, step: string): Audit[] {
  const names = new Set<string>()
  return (list ?? []).map((entry, index) => {
    const label = `Step "${step}": "audits[${index}]"`
    if (!isObject(entry) || typeof entry.audit !== 'function') {
      throw definitionError(
        `${label} must be an object with a "name" and a function "audit"; got ${show(entry)}.`,
      )
    }
    const { name } = entry
    if (typeof name !== 'string' || name === '')
      throw definitionError(`${label} must have a "name"; got ${show(name)}.`)
    if (names.has(name))
      throw definitionError(`${label}: another audit is called ${show(name)} too. Rename one of them.`)
    names.add(name)
    return entry as unknown as Audit
  })
}

type Fits<T> = (value: unknown) => value is T

type Read = <T>(key: keyof StepConfig, what: string, fits: Fits<T>) => T | undefined

/** `null` counts as absent. */
function createReader(step: string, config: JsonObject): Read {
  return (key, what, fits) => {
    const value = config[key] ?? undefined
    if (value === undefined || fits(value)) return value
    throw definitionError(`Step "${step}": "${key}" must be ${what}; got ${show(value)}.`)
  }
}

type AnyFunction = (...args: never[]) => unknown

const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isTextList = (value: unknown): value is readonly string[] => isList(value) && value.every(isText)
const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function'
const isTextOrFunction = (value: unknown): value is string | AnyFunction => isText(value) || isFunction(value)

function isWhole(least: number): Fits<number> {
  return (value): value is number => Number.isSafeInteger(value) && (value as number) >= least
}

function isOneOf<T extends string>(allowed: readonly T[]): Fits<T> {
  return (value): value is T => allowed.some(one => one === value)
}

function isListOf<T extends string>(allowed: readonly T[]): Fits<readonly T[]> {
  return (value): value is readonly T[] => isList(value) && value.every(isOneOf(allowed))
}

function definitionError(message: string): ToolError {
  return new ToolError('invalid_definition', message)
}

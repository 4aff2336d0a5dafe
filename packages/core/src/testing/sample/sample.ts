/**
 * JSON values that satisfy a JSON Schema, the same for the same seed, each checked by the library's own validator:
 *
 *     sampleFromSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }, { seed: 1 })
 */

import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import { show } from '../../json/text.ts'
import { createReport } from '../../model/diagnostic.ts'
import { normalizeMeasured } from '../../schema/dialects/normalize.ts'
import { createRefIndex } from '../../schema/refs/refs.ts'
import type { ValidationIssue } from '../../schema/validate/check.ts'
import { createValidator } from '../../schema/validate/validate.ts'
import { isSchema, isWithinLimits } from '../../schema/walk.ts'
import type { Random } from '../random.ts'
import { findHeights } from './heights.ts'
import { makeValue, SampleTooLarge } from './maker.ts'

export interface SampleOptions {
  /** The same seed gives the same value; 0 unless stated. */
  readonly seed?: number
  /** Chance of your own, from 0 up to 1, in the place of a seed. */
  readonly random?: Random
  /** As little as the schema allows: nothing optional, the shortest texts and lists. */
  readonly minimal?: boolean
  /** Free texts with quotes, line ends and letters of many scripts among the plain ones. */
  readonly oddTexts?: boolean
}

export type SampleResult =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly reason: string
      /** What is wrong with the last try. */
      readonly issues: readonly ValidationIssue[]
    }

/** No value was found. That a schema has none at all cannot be known in general. */
export class SampleError extends Error {
  override readonly name: string = 'SampleError'
  readonly issues: readonly ValidationIssue[]

  constructor(message: string, issues: readonly ValidationIssue[]) {
    super(message)
    this.issues = issues
  }
}

/** Throws a `SampleError` where no value was found; `trySample` says so instead. */
export function sampleFromSchema(schema: unknown, options: SampleOptions = {}): unknown {
  const result = trySample(schema, options)
  if (result.ok) return result.value
  throw new SampleError(result.reason, result.issues)
}

const maxRounds = 80

export function trySample(schema: unknown, options: SampleOptions = {}): SampleResult {
  const { report, diagnostics } = createReport()
  if (!isWithinLimits(schema, [], report))
    return failed(diagnostics[0]?.message ?? 'The schema is too large.')
  if (!isSchema(schema)) return failed(`A JSON Schema must be an object, true or false; got ${show(schema)}.`)
  const root = normalizeMeasured(schema, [], report)
  const refs = createRefIndex(root)
  const resource: JsonObject = isObject(root) ? root : {}
  const making = {
    refs,
    heightOf: findHeights(refs),
    seed: seedOf(options),
    isMinimal: options.minimal ?? false,
    isOdd: options.oddTexts ?? false,
  }
  const validator = createValidator(schema, { maxIssues: 200 })
  const attempts = new Map<string, number>()
  let issues: readonly ValidationIssue[] = []
  try {
    for (let round = 0; round < maxRounds; round++) {
      const value = makeValue(root, resource, making, attempts)
      const result = validator.validate(value)
      if (result.ok) return { ok: true, value }
      issues = result.issues
      drawAnew(attempts, issues, round)
    }
  } catch (error) {
    if (error instanceof SampleTooLarge) return failed(error.message)
    throw error
  }
  const [first] = issues
  const last = first === undefined ? '' : ` In the last try, ${first.message}.`
  return failed(`No value that satisfies the schema was found in ${maxRounds} tries.${last}`, issues)
}

function failed(reason: string, issues: readonly ValidationIssue[] = []): SampleResult {
  return { ok: false, reason, issues }
}

function seedOf({ seed, random }: SampleOptions): number {
  return seed ?? (random === undefined ? 0 : Math.floor(random() * 0x1_0000_0000))
}

/** Only what is wrong is drawn anew; now and then what is around it too, for its choice may be at fault. */
function drawAnew(attempts: Map<string, number>, issues: readonly ValidationIssue[], round: number): void {
  const wrong = new Set(issues.map(({ path }) => path))
  if (round % 3 === 2)
    for (const path of [...wrong]) for (const outer of pointersAround(path)) wrong.add(outer)
  for (const pointer of wrong) attempts.set(pointer, (attempts.get(pointer) ?? 0) + 1)
}

function pointersAround(pointer: string): string[] {
  const steps = pointer.split('/').slice(1, -1)
  return ['', ...steps.map((_, i) => `/${steps.slice(0, i + 1).join('/')}`)]
}

/**
 * Makes JSON values that satisfy a JSON Schema. The same seed gives the same value; the validator checks every value:
 *
 *     sampleFromSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }, { seed: 1 })
 */

import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { show } from '../../json/text.ts'
import { createReport } from '../../model/diagnostic.ts'
import { normalizeMeasured } from '../../schema/dialects/normalize.ts'
import { createRefIndex } from '../../schema/refs/refs.ts'
import type { ValidationIssue } from '../../schema/validate/check.ts'
import { createValidator } from '../../schema/validate/validate.ts'
import { isSchema, isWithinLimits } from '../../schema/walk.ts'
import type { Random } from '../random.ts'
import { createRandom } from '../random.ts'
import { makeValue, SampleTooLarge } from './make-value.ts'
import { findLeastDepths } from './merged-schema.ts'

/** The seed and the size of sampled values. */
export interface SampleOptions {
  /** The same seed gives the same value; 0 by default. */
  readonly seed?: number
  /** Draws the seed when there is none: a number from 0 up to, not including, 1. */
  readonly random?: Random
  /** As little as the schema allows: nothing optional, the shortest texts and arrays. */
  readonly minimal?: boolean
  /** Also makes texts with quotes, line ends and characters of many scripts. */
  readonly oddTexts?: boolean
}

/** A value that a schema accepts, or why none was found. */
export type SampleResult =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly reason: string
      /** The issues of the last value that was tried. */
      readonly issues: readonly ValidationIssue[]
    }

/** No value was found. In general one cannot know that a schema has none. */
export class SampleError extends Error {
  override readonly name: string = 'SampleError'
  readonly issues: readonly ValidationIssue[]

  constructor(message: string, issues: readonly ValidationIssue[]) {
    super(message)
    this.issues = issues
  }
}

/** Throws a `SampleError` when no value was found; `trySample` returns the reason instead. */
export function sampleFromSchema(schema: unknown, options: SampleOptions = {}): unknown {
  const result = trySample(schema, options)
  if (result.ok) return result.value
  throw new SampleError(result.reason, result.issues)
}

const known: KnownOptions<SampleOptions> = { seed: true, random: true, minimal: true, oddTexts: true }

/** Most schemas take one round; `not`, overlapping branches, and a pattern beside a format may take more. */
const maxRounds = 100

/** Makes a value that a schema accepts, or says why it cannot. */
export function trySample(schema: unknown, options: SampleOptions = {}): SampleResult {
  refuseUnknownOptions('Sampling', options, known)
  const { report, diagnostics } = createReport()
  if (!isWithinLimits(schema, [], report))
    return failed(diagnostics[0]?.message ?? 'The schema is too large.')
  if (!isSchema(schema)) return failed(`A JSON Schema must be an object, true or false; got ${show(schema)}.`)
  const root = normalizeMeasured(schema, [], report)
  const refs = createRefIndex(root)
  const making = {
    refs,
    depthOf: findLeastDepths(refs),
    random: createRandom(options.seed ?? Math.floor((options.random?.() ?? 0) * 0x1_0000_0000)),
    isMinimal: options.minimal ?? false,
    hasOddTexts: options.oddTexts ?? false,
  }
  const validator = createValidator(schema, { maxIssues: 200 })
  let issues: readonly ValidationIssue[] = []
  try {
    for (let round = 0; round < maxRounds; round++) {
      const value = makeValue(root, { ...making, round })
      const result = validator.validate(value)
      if (result.ok) return { ok: true, value }
      issues = result.issues
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

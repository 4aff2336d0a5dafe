/** What a law is, and what all of them work on. */

import { createReport } from '../../model/diagnostic.ts'
import type { ToolSpec } from '../../runtime/tools/tool-spec.ts'
import type { WireConversation } from '../../wires/define-wire.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import { builtInConversations } from '../../wires/registry.ts'
import { SampleError, sampleFromSchema } from '../sample/sample.ts'

/** One thing that must hold; any test runner can run it. */
export interface Law {
  readonly name: string
  /** Throws or rejects when the law is broken, and says for which tool, on which wire and where. */
  readonly check: () => void | Promise<void>
}

/** A law is broken. */
export class LawError extends Error {
  override readonly name: string = 'LawError'
}

/** A tool and the arguments it is tried with. */
export interface Subject {
  readonly tool: ToolSpec
  readonly samples: readonly object[]
}

export interface Trial {
  readonly subjects: readonly Subject[]
  readonly wires: readonly Wire[]
  readonly seed: number
}

export function sampleArguments(tool: ToolSpec, seed: number, count: number): object[] {
  return Array.from({ length: count }, (_, i) => sampleObject(tool, tool.parameters, seed + i, i === 0))
}

/** Arguments that fit `schema`, which says what the tool takes or how a wire shows it. */
export function sampleObject(tool: ToolSpec, schema: unknown, seed: number, minimal: boolean): object {
  try {
    const sample = sampleFromSchema(schema, { seed, minimal, oddTexts: true })
    if (typeof sample === 'object' && sample !== null && !Array.isArray(sample)) return sample
    throw new LawError(
      `Tool "${tool.name}": its schema allows ${JSON.stringify(sample)}, but arguments are an object.`,
    )
  } catch (error) {
    if (!(error instanceof SampleError)) throw error
    throw new LawError(`Tool "${tool.name}": no arguments were found that its schema takes. ${error.message}`)
  }
}

export function codecOf(wire: Wire): WireConversation {
  return builtInConversations[wire]
}

/** For readings whose losses are another law's business. */
export const unheard = (): ReturnType<typeof createReport>['report'] => createReport().report

export function pairs(wires: readonly Wire[]): { readonly from: Wire; readonly to: Wire }[] {
  return wires.flatMap(from => wires.map(to => ({ from, to })))
}

export function insist(condition: boolean, complaint: () => string): asserts condition {
  if (!condition) throw new LawError(complaint())
}

/** What a law is, and what all laws of tools use: the tools with their sampled arguments, and the wires. */
import { createReport } from '../../model/diagnostic.ts'
import type { ToolSpec } from '../../runtime/tools/tool-spec.ts'
import type { WireConversation } from '../../wires/define-wire.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import { builtInConversations } from '../../wires/registry.ts'
import { SampleError, sampleFromSchema } from '../sample/sample.ts'

/** One statement that must hold; any test runner can check it. */
export interface Law {
  readonly name: string
  /** Throws or rejects when the law is broken; the message names the tool, the wire and the path. */
  readonly check: () => void | Promise<void>
}

/** A law is broken. */
export class LawError extends Error {
  override readonly name: string = 'LawError'
}

export interface SampledTool {
  readonly tool: ToolSpec
  /** The arguments that the laws call it with. */
  readonly samples: readonly object[]
}

export interface LawContext {
  readonly tools: readonly SampledTool[]
  readonly wires: readonly Wire[]
  readonly seed: number
}

export function sampleArguments(tool: ToolSpec, seed: number, count: number): object[] {
  return Array.from({ length: count }, (_, i) => sampleObject(tool, tool.parameters, seed + i, i === 0))
}

/** Arguments that satisfy `schema`: the tool's own, or the one that a wire shows to the model. */
export function sampleObject(tool: ToolSpec, schema: unknown, seed: number, minimal: boolean): object {
  try {
    const sample = sampleFromSchema(schema, { seed, minimal, oddTexts: true })
    if (typeof sample === 'object' && sample !== null && !Array.isArray(sample)) return sample
    throw new LawError(
      `Tool "${tool.name}": its schema allows ${JSON.stringify(sample)}, but arguments are an object.`,
    )
  } catch (error) {
    if (!(error instanceof SampleError)) throw error
    throw new LawError(
      `Tool "${tool.name}": no arguments were found that satisfy its schema. ${error.message}`,
    )
  }
}

export function codecOf(wire: Wire): WireConversation {
  return builtInConversations[wire]
}

/** For decoding where another law checks the losses. */
export const ignoreLosses = (): ReturnType<typeof createReport>['report'] => createReport().report

export function assertLaw(condition: boolean, message: () => string): asserts condition {
  if (!condition) throw new LawError(message())
}

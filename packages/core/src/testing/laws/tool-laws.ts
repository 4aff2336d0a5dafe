/**
 * The laws that this library holds tools to, for holding your own tools to them, with any test runner:
 *
 *     for (const { name, check } of toolLaws(registry)) test(name, check)
 *
 * or all at once: `await assertToolLaws(registry)`.
 */
import { show } from '../../json/text.ts'
import { defineTool } from '../../runtime/tools/define-tool.ts'
import type { AnyDefinition } from '../../runtime/tools/definition.ts'
import type { ToolSpec } from '../../runtime/tools/tool-spec.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import { wireNames as everyWire } from '../../wires/registry.ts'
import { argumentLaws } from './argument-laws.ts'
import { callLaws } from './call-laws.ts'
import { definitionLaws, lintLaws } from './definition-laws.ts'
import type { Law, Trial } from './law.ts'
import { LawError, sampleArguments } from './law.ts'

export interface ToolLawOptions {
  /** All three unless stated. */
  readonly wires?: readonly Wire[]
  /** The same seed tries the same arguments; 0 unless stated. */
  readonly seed?: number
  /** How many arguments each tool is tried with; 5 unless stated. The first is as small as can be. */
  readonly samples?: number
  /** Also ask that no provider would refuse a definition. */
  readonly lint?: boolean
}

/** Takes tools of `defineTool`, definitions, or a `ToolRegistry`. Throws at once where a tool has no arguments to try. */
export function toolLaws(tools: Iterable<ToolSpec | AnyDefinition>, options: ToolLawOptions = {}): Law[] {
  const { wires = everyWire, seed = 0, samples = 5, lint = false } = options
  // Anything else would count as no tools at all, and every law would hold.
  if (typeof tools !== 'object' || tools === null || !(Symbol.iterator in tools))
    throw new LawError(`Tools must be given as a list or a ToolRegistry; got ${show(tools)}.`)
  const subjects = Array.from(tools, given => {
    const tool = defineTool(given as ToolSpec)
    return { tool, samples: sampleArguments(tool, seed, samples) }
  })
  const trial: Trial = { subjects, wires, seed }
  return [
    ...definitionLaws(trial),
    ...argumentLaws(trial),
    ...callLaws(trial),
    ...(lint ? lintLaws(trial) : []),
  ]
}

/** Checks every law, and throws one error that tells of all that are broken. */
export async function assertToolLaws(
  tools: Iterable<ToolSpec | AnyDefinition>,
  options: ToolLawOptions = {},
): Promise<void> {
  const broken: string[] = []
  for (const { name, check } of toolLaws(tools, options)) {
    try {
      await check()
    } catch (error) {
      broken.push(`${name}\n    ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (broken.length === 0) return
  throw new LawError(`${broken.length} laws of tools are broken:\n  ${broken.join('\n  ')}`)
}

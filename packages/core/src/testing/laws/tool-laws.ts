/**
 * Laws for your own tools, with any test runner. That conversions keep every field and restore every call holds for
 * all tools, and is not repeated here.
 *
 *     for (const { name, check } of toolLaws(registry)) test(name, check)
 *
 * or all at once: `await assertToolLaws(registry)`.
 */
import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { show } from '../../json/text.ts'
import { defineTool } from '../../runtime/tools/define-tool.ts'
import type { AnyDefinition } from '../../runtime/tools/definition.ts'
import type { ToolSpec } from '../../runtime/tools/tool-spec.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import { wireNames as everyWire } from '../../wires/registry.ts'
import { argumentLaws } from './argument-laws.ts'
import { callLaws } from './call-laws.ts'
import { definitionLaws, lintLaws } from './definition-laws.ts'
import type { Law, LawContext } from './law.ts'
import { LawError, sampleArguments } from './law.ts'

/** On which wires, and with how many samples, the laws of tools are tried. */
export interface ToolLawOptions {
  /** All three by default. */
  readonly wires?: readonly Wire[]
  /** The same seed gives the same arguments; 0 by default. */
  readonly seed?: number
  /** How many sampled arguments each tool gets; 5 by default. The first is minimal. */
  readonly samples?: number
  /** Also checks that no provider would refuse a definition. */
  readonly lint?: boolean
}

const known: KnownOptions<ToolLawOptions> = { wires: true, seed: true, samples: true, lint: true }

/** Takes tools of `defineTool`, definitions, or a `ToolRegistry`. Throws when a tool has no valid arguments. */
export function toolLaws(tools: Iterable<ToolSpec | AnyDefinition>, options: ToolLawOptions = {}): Law[] {
  refuseUnknownOptions('toolLaws', options, known)
  const { wires = everyWire, seed = 0, samples = 5, lint = false } = options
  // Anything else would be read as no tools, and every law would hold.
  if (typeof tools !== 'object' || tools === null || !(Symbol.iterator in tools))
    throw new LawError(`Tools must be an array or a ToolRegistry; got ${show(tools)}.`)
  const sampled = Array.from(tools, given => {
    const tool = defineTool(given as ToolSpec)
    return { tool, samples: sampleArguments(tool, seed, samples) }
  })
  const context: LawContext = { tools: sampled, wires, seed }
  return [
    ...definitionLaws(context),
    ...argumentLaws(context),
    ...callLaws(context),
    ...(lint ? lintLaws(context) : []),
  ]
}

/** Checks every law, and throws one error that lists all broken ones. */
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

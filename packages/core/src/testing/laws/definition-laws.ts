/** A tool is written completely on every wire or its loss is reported, its name is restored, and no provider refuses it. */
import { encodeTools } from '../../convert-tools.ts'
import { lintTools } from '../../lint/lint-tools.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { ToolSpec } from '../../runtime/tools/tool-spec.ts'
import { canonical } from '../../schema/equal.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import type { Law, LawContext } from './law.ts'
import { assertLaw, codecOf, ignoreLosses } from './law.ts'

export function definitionLaws({ tools, wires }: LawContext): Law[] {
  const specs = tools.map(({ tool }) => tool)
  return wires.map(wire => ({
    name: `definitions: every tool is written completely on ${wire}, or its loss is reported`,
    check: () => checkDefinitions(specs, wire),
  }))
}

export function lintLaws({ tools, wires }: LawContext): Law[] {
  const specs = tools.map(({ tool }) => tool)
  return wires.map(wire => ({
    name: `lint: a provider on ${wire} finds nothing to refuse`,
    check: () => {
      const { findings } = lintTools(encodeTools(specs, { to: wire }).value, { wire })
      const [first] = findings.filter(({ severity }) => severity === 'error')
      assertLaw(first === undefined, () => {
        const tool = specs[Number(first?.path[0])]?.name ?? '?'
        return `Tool "${tool}" on ${wire}, at ${showPath(first?.path ?? [])}: ${first?.message}`
      })
    },
  }))
}

function checkDefinitions(specs: readonly ToolSpec[], wire: Wire): void {
  const { value, diagnostics, undo } = encodeTools(specs, { to: wire })
  assertLaw(
    value.length === specs.length,
    () => `On ${wire} there are ${value.length} tools of ${specs.length}.`,
  )
  for (const [i, tool] of specs.entries()) {
    const written = codecOf(wire).decodeTool(value[i], [i], ignoreLosses())
    assertLaw(
      written.kind === 'function',
      () => `Tool "${tool.name}" was written on ${wire} as something other than a function.`,
    )
    const restored = undo.restoreCall({ kind: 'function', name: written.name, arguments: '{}' })
    assertLaw(restored.name === tool.name, () => {
      return `Tool "${tool.name}" is called "${written.name}" on ${wire}, and restored as "${restored.name}".`
    })
    const fields = [
      { name: 'description', at: [i, 'description'], before: tool.description, after: written.description },
      { name: 'parameters', at: [i, 'parameters'], before: tool.parameters, after: written.parameters },
      // Wires differ in where they have the output schema, so a diagnostic for the tool will do.
      { name: 'the output schema', at: [i], before: tool.outputSchema, after: written.outputSchema },
    ]
    for (const { name, at, before, after } of fields) {
      if (before === undefined || canonical(before) === canonical(after)) continue
      const isReported = diagnostics.some(({ path }) => isAround(path, at) || isAround(at, path))
      assertLaw(isReported, () => {
        return `Tool "${tool.name}" on ${wire}: ${name} changed and nothing was reported at ${showPath(at)}.`
      })
    }
  }
}

function isAround(outer: Path, inner: Path): boolean {
  return outer.every((step, i) => step === inner[i])
}

function showPath(path: Path): string {
  return path.length === 0 ? 'the root' : path.join('.')
}

/** Definitions: what is said of a tool arrives on every wire, or its loss is told; and its name comes back. */
import { convertTools, encodeTools } from '../../convert-tools.ts'
import { lintTools } from '../../lint/lint-tools.ts'
import type { Diagnostic, Path } from '../../model/diagnostic.ts'
import type { FunctionTool } from '../../model/tool.ts'
import type { ToolSpec } from '../../runtime/tools/tool-spec.ts'
import { canonical } from '../../schema/equal.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import type { Law, Trial } from './law.ts'
import { codecOf, insist, pairs, unheard } from './law.ts'

export function definitionLaws({ subjects, wires }: Trial): Law[] {
  const tools = subjects.map(({ tool }) => tool)
  const written = wires.map(
    (wire): Law => ({
      name: `definitions: every tool is written for ${wire} whole, or its loss is reported`,
      check: () => checkWritten(tools, wire),
    }),
  )
  const converted = pairs(wires).map(
    ({ from, to }): Law => ({
      name: `definitions: what ${from} says of a tool arrives on ${to}, or its loss is reported`,
      check: () => checkConverted(tools, from, to),
    }),
  )
  return [...written, ...converted]
}

export function lintLaws({ subjects, wires }: Trial): Law[] {
  const tools = subjects.map(({ tool }) => tool)
  return wires.map(wire => ({
    name: `lint: a provider on ${wire} finds nothing to refuse`,
    check: () => {
      const { findings } = lintTools(encodeTools(tools, { to: wire }).value, { wire })
      const [first] = findings.filter(({ severity }) => severity === 'error')
      insist(first === undefined, () => {
        const tool = tools[Number(first?.path[0])]?.name ?? '?'
        return `Tool "${tool}" on ${wire}, at ${showPath(first?.path ?? [])}: ${first?.message}`
      })
    },
  }))
}

function checkWritten(tools: readonly ToolSpec[], wire: Wire): void {
  const { value, diagnostics, undo } = encodeTools(tools, { to: wire })
  insist(
    value.length === tools.length,
    () => `On ${wire} there are ${value.length} tools of ${tools.length}.`,
  )
  for (const [i, tool] of tools.entries()) {
    const read = readFunction(value[i], i, wire)
    insist(
      read !== undefined,
      () => `Tool "${tool.name}" was written for ${wire} as something else than a function.`,
    )
    const restored = undo.restoreCall({ kind: 'function', name: read.name, arguments: '{}' })
    insist(restored.name === tool.name, () => {
      return `Tool "${tool.name}" is called "${read.name}" on ${wire}, and comes back as "${restored.name}".`
    })
    compare(tool, read, {
      path: [i],
      parametersPath: [i, 'parameters'],
      diagnostics,
      tell: what => `Tool "${tool.name}" on ${wire}: ${what}`,
    })
  }
}

function checkConverted(tools: readonly ToolSpec[], from: Wire, to: Wire): void {
  const given = encodeTools(tools, { to: from }).value
  const { value, diagnostics, undo } = convertTools(given, { from, to })
  for (const [i, tool] of tools.entries()) {
    const before = readFunction(given[i], i, from)
    const after = readFunction(value[i], i, to)
    if (before === undefined || after === undefined) continue
    const restored = undo.restoreCall({ kind: 'function', name: after.name, arguments: '{}' })
    insist(restored.name === before.name, () => {
      return `Tool "${tool.name}": "${before.name}" on ${from} became "${after.name}" on ${to} and "${restored.name}" on the way back.`
    })
    compare(before, after, {
      ...before,
      diagnostics,
      tell: what => `Tool "${tool.name}" from ${from} to ${to}: ${what}`,
    })
  }
}

function readFunction(value: unknown, index: number, wire: Wire): FunctionTool | undefined {
  const tool = codecOf(wire).decodeTool(value, [index], unheard())
  return tool.kind === 'function' ? tool : undefined
}

interface Saying {
  readonly description?: string
  readonly parameters?: unknown
  readonly outputSchema?: unknown
}

interface Comparing {
  /** Where the tool and its schema stood in what was converted, as diagnostics know it. */
  readonly path: Path
  readonly parametersPath: Path
  readonly diagnostics: readonly Diagnostic[]
  readonly tell: (what: string) => string
}

/** What differs must be spoken of, at its place or around it. */
function compare(
  before: Saying,
  after: Saying,
  { path, parametersPath, diagnostics, tell }: Comparing,
): void {
  const fields = [
    { name: 'description', at: [...path, 'description'], was: before.description, is: after.description },
    {
      name: 'parameters',
      at: parametersPath,
      was: schemaText(before.parameters),
      is: schemaText(after.parameters),
    },
    // Where a wire keeps the schema of results is its own affair; the tool is place enough.
    {
      name: 'the output schema',
      at: path,
      was: schemaText(before.outputSchema),
      is: schemaText(after.outputSchema),
    },
  ]
  for (const { name, at, was, is } of fields) {
    if (was === undefined || was === is) continue
    const isTold = diagnostics.some(diagnostic => touches(diagnostic.path, at))
    insist(isTold, () => tell(`${name} changed and nothing was reported at ${showPath(at)}.`))
  }
}

/** No schema and one without properties are the same to a model. */
function schemaText(schema: unknown): string | undefined {
  return schema === undefined ? undefined : canonical(schema)
}

function touches(a: Path, b: Path): boolean {
  const shared = Math.min(a.length, b.length)
  return a.slice(0, shared).every((step, i) => step === b[i])
}

function showPath(path: Path): string {
  return path.length === 0 ? 'the root' : path.join('.')
}

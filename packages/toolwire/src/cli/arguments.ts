/**
 * Command lines by table. `node:util` splits them; what it lets pass in its lenient mode (unknown flags,
 * missing values) is refused here with a suggestion, which its strict mode cannot give.
 */
import { parseArgs } from 'node:util'
import type { WireDefinition } from '@toolwire/core'
import { builtInWireSet, mcpSource, type ToolSource, type WireSet } from '../config/wires.ts'
import { UsageError } from '../terminal/errors.ts'
import { printable } from '../terminal/printable.ts'
import { didYouMean, nearest } from '../terminal/suggest.ts'

export interface OptionSpec {
  readonly type: 'flag' | 'value' | 'values'
  readonly short?: string
  readonly description: string
  /** What the value is, for the help. */
  readonly value?: string
  readonly choices?: readonly string[]
  /** The value is the name of a wire, or of any source of tools. It is checked when the wires are known. */
  readonly isWire?: true | 'or mcp'
}

export type OptionSpecs = { readonly [name: string]: OptionSpec }

export interface Arguments {
  readonly positionals: readonly string[]
  flag(name: string): boolean
  value(name: string): string | undefined
  values(name: string): readonly string[]
}

/** `explain` returns a hint for a flag that is not in the table. */
export function parseArguments(
  argv: readonly string[],
  specs: OptionSpecs,
  explain: (name: string) => string | undefined = () => undefined,
): Arguments {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { type, short }]) => [
      name,
      { type: type === 'flag' ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true })
  const given = new Map<string, string[]>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const spec = Object.hasOwn(specs, name) ? specs[name] : undefined
    if (spec === undefined) throw unknownFlag(rawName, specs, explain(name))
    if (spec.type === 'flag') {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value.`)
      given.set(name, [])
      continue
    }
    // `--from --to chat` means a forgotten value, not the value `--to`.
    if (value === undefined || value === '' || (!inlineValue && value.length > 1 && value.startsWith('-'))) {
      throw new UsageError(`${rawName} needs a value${valuesOf(spec)}.`)
    }
    if (spec.type === 'value' && given.has(name)) {
      throw new UsageError(`--${name} is given twice, and takes one value.`)
    }
    if (spec.choices !== undefined) checkChoice(rawName, value, spec.choices)
    given.set(name, spec.type === 'values' ? [...(given.get(name) ?? []), value] : [value])
  }
  return {
    positionals,
    flag: name => given.has(name),
    value: name => given.get(name)?.[0],
    values: name => given.get(name) ?? [],
  }
}

function valuesOf({ choices, isWire }: OptionSpec): string {
  const values = isWire === undefined ? choices : namesFor(isWire, builtInWireSet)
  return values === undefined ? '' : `: ${values.join(', ')}`
}

export function namesFor(isWire: true | 'or mcp', { names }: WireSet): readonly string[] {
  return isWire === true ? names : [...names, mcpSource.name]
}

export function checkChoice(
  what: string,
  value: string,
  choices: readonly string[],
  hints: { readonly [word: string]: string } = {},
): void {
  if (choices.includes(value)) return
  const [best] = nearest(value, [...choices, ...Object.keys(hints)])
  const hint =
    best === undefined ? undefined : Object.hasOwn(hints, best) ? hints[best] : `Did you mean "${best}"?`
  throw new UsageError(`${what} must be one of ${choices.join(', ')}; got "${printable(value)}".`, hint)
}

/** The wire that a flag names. */
export function wireOption(flag: string, value: string, wires: WireSet): WireDefinition
export function wireOption(
  flag: string,
  value: string | undefined,
  wires: WireSet,
): WireDefinition | undefined
export function wireOption(
  flag: string,
  value: string | undefined,
  wires: WireSet,
): WireDefinition | undefined {
  if (value === undefined) return undefined
  checkChoice(flag, value, wires.names, wires.hints)
  return wires.find(value)
}

/** The wire or the other source of tools that a flag names. */
export function sourceFlag(flag: string, value: string | undefined, wires: WireSet): ToolSource | undefined {
  if (value === undefined || value === mcpSource.name) return value === undefined ? undefined : mcpSource
  checkChoice(flag, value, namesFor('or mcp', wires), wires.hints)
  return wires.find(value)
}

function unknownFlag(rawName: string, specs: OptionSpecs, known: string | undefined): UsageError {
  const flags = Object.keys(specs).map(name => `--${name}`)
  const hints = [didYouMean(rawName, flags), known].filter(hint => hint !== undefined)
  return new UsageError(
    `There is no flag ${printable(rawName)}.`,
    hints.length === 0 ? `There are ${flags.join(', ')}.` : hints.join(' '),
  )
}

/** `toolwire explain`: the meaning of a code, which is a diagnostic of the library or a failure of the gateway. */
import { catalog, catalogGroups, severities, severitiesAsIs } from '@toolwire/core/diagnostics'
import { failureCodes } from '../gateway/failure-codes.ts'
import { type Colors, colorsFor, paintSeverity, severityName } from '../terminal/colors.ts'
import { UsageError } from '../terminal/errors.ts'
import { type Io, widthOf } from '../terminal/io.ts'
import { printable } from '../terminal/printable.ts'
import { nearest } from '../terminal/suggest.ts'
import { wrap } from '../terminal/table.ts'
import type { Arguments } from './arguments.ts'
import { exitCodes } from './exit-codes.ts'

export async function run(args: Arguments, io: Io): Promise<number> {
  const [code, ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One code at a time, please.')
  const colors = colorsFor(io.stdout, io.env)
  if (code === undefined) io.stdout.write(args.flag('json') ? listAsJson() : list(colors))
  else {
    const known = find(code)
    io.stdout.write(args.flag('json') ? toJson(known) : explain(known, widthOf(io.stdout), colors))
  }
  return exitCodes.ok
}

interface Entry {
  readonly code: string
  readonly severity: 'info' | 'warning' | 'error'
  /** Of lint, where tools are sent as they are. */
  readonly severityAsIs?: 'error'
  readonly title: string
  readonly explanation?: string
  readonly remedy: string
}

interface Group {
  readonly title: string
  readonly entries: readonly Entry[]
}

const groups: readonly Group[] = [
  ...catalogGroups.map(({ title, codes }) => ({
    title,
    entries: codes.map(code => {
      const severityAsIs = severitiesAsIs[code]
      return { code, severity: severities[code], ...(severityAsIs && { severityAsIs }), ...catalog[code] }
    }),
  })),
  {
    title: 'Failures of the gateway',
    entries: Object.entries(failureCodes).map(([code, meaning]) => ({
      code,
      severity: 'error' as const,
      ...meaning,
    })),
  },
]

const entries = new Map(groups.flatMap(group => group.entries.map(entry => [entry.code, entry])))

function find(code: string): Entry {
  const word = code.toLowerCase().replaceAll('-', '_')
  const known = entries.get(word.replace(/^upstream_\d+$/, 'upstream_<status>'))
  if (known !== undefined) return known
  const near = nearest(word, [...entries.keys()], 3)
  const hint = near.length === 0 ? '"toolwire explain" lists all codes.' : `Did you mean ${near.join(', ')}?`
  throw new UsageError(`There is no code "${printable(code)}".`, hint)
}

const asIsNote =
  'For "toolwire lint" it is an error where the tools are sent on the wire that they are written for: nothing repairs them then.'

function explain(
  { code, severity, severityAsIs, title, explanation, remedy }: Entry,
  columns: number,
  colors: Colors,
): string {
  const width = Math.min(columns, 90)
  return [
    `${paintSeverity(severity, severityName(severity), colors)}${colors.dim(`[${code}]`)} ${colors.bold(title)}`,
    '',
    ...(explanation === undefined ? [] : [...wrapProse(explanation, width), '']),
    ...(severityAsIs === undefined ? [] : [...wrapProse(asIsNote, width), '']),
    ...wrapProse(`What to do: ${remedy}`, width),
    '',
  ].join('\n')
}

/** Code in backquotes is not broken over two lines: it is there to be copied. */
function wrapProse(text: string, width: number): string[] {
  const unbroken = text.replace(/`[^`]*`/g, code => code.replaceAll(' ', '\u00a0'))
  return wrap(unbroken, width).map(line => line.replaceAll('\u00a0', ' '))
}

function list(colors: Colors): string {
  const width = Math.max(...[...entries.keys()].map(code => code.length))
  const row = ({ code, severity, title }: Entry): string => {
    const name = severityName(severity).padEnd('warning'.length)
    return `  ${paintSeverity(severity, name, colors)}  ${code.padEnd(width)}  ${colors.dim(title)}\n`
  }
  const parts = groups.map(group => `${colors.bold(group.title)}\n${group.entries.map(row).join('')}\n`)
  return `${parts.join('')}Ask "toolwire explain <code>" about any of them.\n`
}

function listAsJson(): string {
  return toJson([...entries.values()])
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

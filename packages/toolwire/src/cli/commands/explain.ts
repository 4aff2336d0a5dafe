/** `toolwire explain`: what a diagnostic code means, from the catalogue. */
import type { DiagnosticCode } from '@toolwire/core'
import { catalog, catalogGroups, severities } from '@toolwire/core/diagnostics'
import type { Arguments } from '../arguments.ts'
import { type Colors, colorsFor, paintSeverity, severityName } from '../colors.ts'
import { UsageError } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Io, widthOf } from '../io.ts'
import { printable } from '../printable.ts'
import { nearest } from '../suggest.ts'
import { wrap } from '../table.ts'

export async function run(args: Arguments, io: Io): Promise<number> {
  const [code, ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One code at a time, please.')
  const colors = colorsFor(io.stdout, io.env)
  if (code === undefined) io.stdout.write(args.flag('json') ? listAsJson() : list(colors))
  else {
    const known = find(code)
    io.stdout.write(args.flag('json') ? toJson(entry(known)) : explain(known, widthOf(io.stdout), colors))
  }
  return exitCodes.ok
}

function find(code: string): DiagnosticCode {
  const word = code.toLowerCase().replaceAll('-', '_')
  if (isCode(word)) return word
  const near = nearest(word, codes(), 3)
  const hint = near.length === 0 ? '"toolwire explain" lists all codes.' : `Did you mean ${near.join(', ')}?`
  throw new UsageError(`There is no code "${printable(code)}".`, hint)
}

function isCode(word: string): word is DiagnosticCode {
  return Object.hasOwn(catalog, word)
}

function codes(): DiagnosticCode[] {
  return Object.keys(catalog).filter(isCode)
}

function entry(code: DiagnosticCode): Record<string, string> {
  return { code, severity: severities[code], ...catalog[code] }
}

function explain(code: DiagnosticCode, columns: number, colors: Colors): string {
  const { title, explanation, remedy } = catalog[code]
  const width = Math.min(columns, 90)
  const severity = severities[code]
  return [
    `${paintSeverity(severity, severityName(severity), colors)}${colors.dim(`[${code}]`)} ${colors.bold(title)}`,
    '',
    ...wrap(explanation, width),
    '',
    ...wrap(`What to do: ${remedy}`, width),
    '',
  ].join('\n')
}

function list(colors: Colors): string {
  const width = Math.max(...codes().map(code => code.length))
  const row = (code: DiagnosticCode): string => {
    const name = severityName(severities[code]).padEnd('warning'.length)
    return `  ${paintSeverity(severities[code], name, colors)}  ${code.padEnd(width)}  ${colors.dim(catalog[code].title)}\n`
  }
  const groups = catalogGroups.map(group => `${colors.bold(group.title)}\n${group.codes.map(row).join('')}\n`)
  return `${groups.join('')}Ask "toolwire explain <code>" about any of them.\n`
}

function listAsJson(): string {
  return toJson(codes().map(entry))
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** `toolwire convert tools`: definitions of one wire in, of another out. */
import {
  type ConvertToolsOptions,
  convertToolParams,
  convertTools,
  type Diagnostic,
  type HostedPolicy,
  type ToolOptions,
} from '@toolwire/core'
import { type Arguments, checkChoice } from '../arguments.ts'
import { colorsFor } from '../colors.ts'
import { inDocumentOrder } from '../document-order.ts'
import { UsageError } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { checkHostedType } from '../hosted-types.ts'
import type { Io } from '../io.ts'
import { printable } from '../printable.ts'
import { parseInput, readInput } from '../read-input.ts'
import { didYouMean } from '../suggest.ts'
import { countSeverities, diagnosticsTable } from '../table.ts'
import { asToolInput } from '../tool-input.ts'
import { wireOption } from '../wire-option.ts'

const nouns = ['tools']
/** Shorter names leave no room for a readable beginning and the hash that tells them apart. */
const leastNameLength = 16
const hostedPolicies: readonly HostedPolicy[] = ['emulate', 'drop', 'handler', 'pass', 'error']

export async function run(args: Arguments, io: Io): Promise<number> {
  const file = readPositionals(args.positionals)
  const to = wireOption('--to', args.value('to'))
  if (to === undefined) throw new UsageError('--to is missing: chat, responses or messages.')
  const options = readOptions(args)
  const input = await readInput(file, io)
  const document = parseInput(input, io)
  const source = asToolInput(document.value, input.name)
  const stated = wireOption('--from', args.value('from'))
  // Where there are no tools, any wire would have written the same.
  const from = stated ?? source.wire ?? (source.empty ? to : undefined)
  if (from === undefined) {
    throw new UsageError('The input does not show which wire it is written for.', 'Name it with --from.')
  }
  const converted = convert(source.value, { ...options, from, to })
  const { value } = converted
  const diagnostics = inDocumentOrder(converted.diagnostics, document, source)

  const indent = args.flag('compact') ? undefined : 2
  const quiet = args.flag('json')
  io.stdout.write(`${JSON.stringify(quiet ? { value, diagnostics } : value, null, indent)}\n`)
  if (!quiet) {
    const notes = [
      source.note,
      stated === undefined && source.wire !== undefined
        ? `Read as ${from}; name another with --from.`
        : undefined,
    ]
    reportTo(io, diagnostics, notes, Array.isArray(source.value) ? 'tools' : '')
  }
  const lost = diagnostics.some(({ severity }) => severity !== 'info')
  const failed = diagnostics.some(({ severity }) => severity === 'error')
  return failed || (lost && args.flag('strict')) ? exitCodes.findings : exitCodes.ok
}

function convert(
  value: unknown,
  options: ConvertToolsOptions,
): { value: unknown; diagnostics: Diagnostic[] } {
  return Array.isArray(value) ? convertTools(value, options) : convertToolParams(value, options)
}

function readPositionals([noun, file = '-', ...more]: readonly string[]): string {
  if (noun === undefined) throw new UsageError('Say what to convert.', 'There is one thing so far: tools.')
  if (!nouns.includes(noun)) {
    const hint = looksLikeFile(noun)
      ? `Did you mean "toolwire convert tools ${printable(noun)}"?`
      : (didYouMean(noun, nouns) ?? `What can be converted: ${nouns.join(', ')}.`)
    throw new UsageError(`"${printable(noun)}" cannot be converted.`, hint)
  }
  if (more.length > 0) throw new UsageError('One file at a time, please.')
  return file
}

function looksLikeFile(word: string): boolean {
  return word === '-' || /[./\\]/.test(word)
}

function readOptions(args: Arguments): ToolOptions {
  const maxNameLength = args.value('max-name-length')
  if (maxNameLength !== undefined && !isNameLength(maxNameLength)) {
    throw new UsageError(`--max-name-length must be a number from ${leastNameLength} to 9999.`)
  }
  // The choices of the flags are those of the options; the table has checked them.
  const strict = args.value('strict-mode') as ToolOptions['strict']
  const misplacedStrict = args.value('misplaced-strict') as ToolOptions['misplacedStrict']
  const unknownTools = args.value('unknown') as ToolOptions['unknownTools']
  const hostedTools = readHosted(args.values('hosted'))
  return {
    ...(strict && { strict }),
    ...(misplacedStrict && { misplacedStrict }),
    ...(unknownTools && { unknownTools }),
    ...(hostedTools && { hostedTools }),
    profile: {
      ...(args.flag('native-custom') && { customTools: true }),
      ...(maxNameLength !== undefined && { nameMaxLength: Number(maxNameLength) }),
    },
  }
}

function isNameLength(text: string): boolean {
  return /^\d{1,4}$/.test(text) && Number(text) >= leastNameLength
}

function readHosted(given: readonly string[]): ToolOptions['hostedTools'] {
  const pairs = given.map((text): [type: string, policy: HostedPolicy] => {
    const cut = text.lastIndexOf('=')
    const policy = text.slice(cut + 1)
    checkChoice('--hosted', policy, hostedPolicies)
    const type = text.slice(0, Math.max(0, cut))
    if (cut >= 0) checkHostedType(type)
    return [type, policy as HostedPolicy]
  })
  const general = pairs.filter(([type]) => type === '')
  if (general.length === 0) return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
  if (pairs.length > 1) {
    throw new UsageError('--hosted takes one policy for all types, or type=policy for some, but not both.')
  }
  return general[0]?.[1]
}

function reportTo(
  io: Io,
  diagnostics: readonly Diagnostic[],
  notes: readonly (string | undefined)[],
  root: string,
): void {
  const { stderr, env } = io
  const colors = colorsFor(stderr, env)
  for (const note of notes) if (note !== undefined) stderr.write(`${colors.dim(note)}\n`)
  if (diagnostics.length === 0) return
  stderr.write(`\n${diagnosticsTable(diagnostics, stderr, colors, root)}\n`)
  const more = 'Ask "toolwire explain <code>" about any of them.'
  stderr.write(`${countSeverities(diagnostics)}. ${colors.dim(more)}\n`)
}

/** One conversion as the command line asks for it, and the flags that decide how tools are converted. */
import type { ExchangeOptions, HostedPolicy, ToolOptions, WireDefinition } from '@toolwire/core'
import type { ToolSource, WireSet } from '../../config/wires.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { didYouMean } from '../../terminal/suggest.ts'
import { type Arguments, checkChoice } from '../arguments.ts'

export interface Job {
  readonly file: string
  /** The wire of the input, when it is named. */
  readonly from: WireDefinition | undefined
  /** The same for tools, which are also read from elsewhere. */
  readonly source: ToolSource | undefined
  readonly to: WireDefinition
  readonly options: ToolOptions & Pick<ExchangeOptions, 'pairing'>
  /** The file with the client's request that an answer belongs to. */
  readonly request: string | undefined
  readonly args: Arguments
  readonly wires: WireSet
}

export type Converter = (job: Job, io: Io) => Promise<number>

/** Shorter names leave no room for a readable beginning and the hash that keeps them distinct. */
const leastNameLength = 16
const hostedPolicies: readonly HostedPolicy[] = ['emulate', 'drop', 'handler', 'pass', 'error']

export function readOptions(args: Arguments, wires: WireSet): ToolOptions & Pick<ExchangeOptions, 'pairing'> {
  const maxNameLength = args.value('max-name-length')
  if (maxNameLength !== undefined && !isNameLength(maxNameLength)) {
    throw new UsageError(`--max-name-length must be a number from ${leastNameLength} to 9999.`)
  }
  // The choices of the flags are those of the options; the table has checked them.
  const strict = args.value('strict-mode') as ToolOptions['strict']
  const misplacedStrict = args.value('misplaced-strict') as ToolOptions['misplacedStrict']
  const unknownTools = args.value('unknown') as ToolOptions['unknownTools']
  const pairing = args.value('pairing') as ExchangeOptions['pairing']
  const hostedTools = readHosted(args.values('hosted'), wires)
  return {
    ...(strict && { strict }),
    ...(misplacedStrict && { misplacedStrict }),
    ...(unknownTools && { unknownTools }),
    ...(hostedTools && { hostedTools }),
    ...(pairing && { pairing }),
    profile: {
      ...(args.flag('native-custom') && { customTools: true }),
      ...(maxNameLength !== undefined && { nameMaxLength: Number(maxNameLength) }),
    },
  }
}

/** Of the flags only `--native-custom` can claim what the wire of the target has no way to express. */
export function checkTarget(target: WireDefinition, { profile = {} }: ToolOptions): void {
  if (profile.customTools === true && target.tools.never.includes('customTools')) {
    throw new UsageError(`--native-custom cannot be: the ${target.name} wire has no free-text tools.`)
  }
}

function isNameLength(text: string): boolean {
  return /^\d{1,4}$/.test(text) && Number(text) >= leastNameLength
}

function readHosted(given: readonly string[], wires: WireSet): ToolOptions['hostedTools'] {
  const pairs = given.map((text): [type: string, policy: HostedPolicy] => {
    const cut = text.lastIndexOf('=')
    const policy = text.slice(cut + 1)
    checkChoice('--hosted', policy, hostedPolicies)
    if (cut < 0) return ['*', policy as HostedPolicy]
    const type = text.slice(0, cut)
    checkHostedType(type, wires)
    return [type, policy as HostedPolicy]
  })
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

/** The types of hosted tools that the wires define. On some wires a type ends in a date, and any date is taken. */
export function checkHostedType(type: string, wires: WireSet): void {
  const facts = wires.all.map(({ tools }) => tools.hostedTools)
  const types = facts.flatMap(({ types }) => types)
  const datedFamilies = facts.flatMap(({ datedFamilies }) => datedFamilies)
  const family = type.replace(/_\d{8}$/, '')
  if (types.includes(type) || (family !== type && datedFamilies.includes(family))) return
  const message = `--hosted: there is no hosted tool type "${printable(type)}".`
  if (datedFamilies.includes(type)) {
    throw new UsageError(message, `Its date is part of the type, as in "${type}_20250124".`)
  }
  const known = [...new Set([...types, ...datedFamilies.map(name => `${name}_YYYYMMDD`)])]
  throw new UsageError(message, didYouMean(type, known) ?? `There are ${known.join(', ')}.`)
}

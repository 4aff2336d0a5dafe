/** The flags that say how tools are converted. */
import type { ExchangeOptions, HostedPolicy, ToolOptions } from '@toolwire/core'
import { UsageError } from '../../terminal/errors.ts'
import { type Arguments, checkChoice } from '../arguments.ts'
import { checkHostedType } from '../hosted-types.ts'

/** Shorter names leave no room for a readable beginning and the hash that tells them apart. */
const leastNameLength = 16
const hostedPolicies: readonly HostedPolicy[] = ['emulate', 'drop', 'handler', 'pass', 'error']

export function readOptions(args: Arguments): ToolOptions & Pick<ExchangeOptions, 'pairing'> {
  const maxNameLength = args.value('max-name-length')
  if (maxNameLength !== undefined && !isNameLength(maxNameLength)) {
    throw new UsageError(`--max-name-length must be a number from ${leastNameLength} to 9999.`)
  }
  // The choices of the flags are those of the options; the table has checked them.
  const strict = args.value('strict-mode') as ToolOptions['strict']
  const misplacedStrict = args.value('misplaced-strict') as ToolOptions['misplacedStrict']
  const unknownTools = args.value('unknown') as ToolOptions['unknownTools']
  const pairing = args.value('pairing') as ExchangeOptions['pairing']
  const hostedTools = readHosted(args.values('hosted'))
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

/**
 * Core throws when a fact about the target contradicts its wire. Of the flags only `--native-custom` can,
 * so it is named; `use` must do nothing but try the options.
 */
export function refuseContradiction(use: () => void): void {
  try {
    use()
  } catch (error) {
    if (!(error instanceof TypeError && error.message.includes('customTools'))) throw error
    throw new UsageError('--native-custom cannot be: the messages wire has no free-text tools.')
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
    if (cut < 0) return ['*', policy as HostedPolicy]
    const type = text.slice(0, cut)
    checkHostedType(type)
    return [type, policy as HostedPolicy]
  })
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

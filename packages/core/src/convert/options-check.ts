/** Options are code, so a wrong one is thrown at once, with what it could have been. */

import { show } from '../json/text.ts'
import type { WireTools } from '../wires/define-wire.ts'
import type { Profile } from '../wires/profile.ts'
import type { ToolOptions } from './options.ts'

/** A suffix that tells names apart takes nine characters, and something readable should stand before it. */
const shortestName = 16

const strictModes = ['preserve', 'omit', 'strictify']
const misplacedModes = ['ignore', 'honour']
const unknownPolicies = ['drop', 'pass', 'error']
const policies = ['emulate', 'drop', 'handler', 'pass', 'error']

export function checkToolOptions(options: ToolOptions): void {
  oneOf('strict', options.strict, strictModes)
  if (options.strict === 'strictify' && options.strictPasses === undefined) {
    throw new TypeError('"strict: strictify" needs "strictPasses"; import them from @toolwire/core/schema.')
  }
  oneOf('misplacedStrict', options.misplacedStrict, misplacedModes)
  oneOf('unknownTools', options.unknownTools, unknownPolicies)
  const { hostedTools } = options
  if (typeof hostedTools !== 'object' || hostedTools === null) {
    oneOf('hostedTools', hostedTools, policies)
    return
  }
  for (const [type, policy] of Object.entries(hostedTools)) {
    if (typeof policy === 'string') oneOf(`hostedTools.${type}`, policy, policies)
    else oneOf(`hostedTools.${type}.policy`, policy?.policy, ['emulate', 'handler'], true)
  }
}

function oneOf(name: string, value: unknown, allowed: readonly string[], required = false): void {
  if (value === undefined && !required) return
  if (typeof value === 'string' && allowed.includes(value)) return
  throw new TypeError(`"${name}" must be one of ${allowed.join(', ')}; got ${show(value)}.`)
}

/** The target's profile with the caller's facts over it. */
export function mergeProfile(base: Profile, { never, wire }: WireTools, facts?: Partial<Profile>): Profile {
  if (facts === undefined) return base
  const claimed = never.find(ability => facts[ability] === true)
  if (claimed !== undefined)
    throw new TypeError(`"profile.${claimed}" cannot be true: the ${wire} wire has no way to say it.`)
  const profile = { ...base, ...facts }
  if (!(profile.nameMaxLength >= shortestName)) {
    throw new TypeError(
      `"profile.nameMaxLength" must be at least ${shortestName}; got ${show(profile.nameMaxLength)}.`,
    )
  }
  const { nameCharacters } = profile
  const isNew = nameCharacters !== base.nameCharacters
  if (isNew && nameCharacters !== null && !new RegExp(`^[${nameCharacters}]+$`).test('az09_')) {
    throw new TypeError('"profile.nameCharacters" must allow small letters, digits and the underscore.')
  }
  return profile
}

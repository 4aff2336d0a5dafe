/** The options that every conversion of tools takes, and the checks that throw for a wrong one. */
import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import { show } from '../../json/text.ts'
import type { MediaKind } from '../../model/conversation.ts'
import type { StrictPasses } from '../../schema/strict/passes.ts'
import type { Profile } from '../../wires/profile.ts'

/** What to do with a hosted tool that the target wire does not have. */
export type HostedPolicy = 'emulate' | 'drop' | 'handler' | 'pass' | 'error'

/** The function that replaces a hosted tool, with your own name, description and parameters. */
export interface HostedFunction {
  readonly policy: 'emulate' | 'handler'
  readonly name?: string
  readonly description?: string
  readonly parameters?: JsonObject
}

/**
 * `error` reports calls and results that do not pair, `repair` completes them, `drop` leaves them out, `pass` checks
 * nothing.
 */
export type PairingPolicy = 'error' | 'repair' | 'drop' | 'pass'

/**
 * `error` refuses media that the target cannot take in the newest turn, and writes a note in its place in earlier ones.
 * `note` writes notes everywhere, `drop` leaves it out.
 */
export type MediaPolicy = 'error' | 'note' | 'drop'

/** One policy, or one per kind. */
export type MediaPolicies = MediaPolicy | { readonly [Kind in MediaKind]?: MediaPolicy }

/** How tools are adapted to what the target accepts. */
export interface ToolOptions {
  /** How this upstream differs from its wire's usual profile. */
  readonly profile?: Partial<Profile>
  /** The upstream's name of the model, for facts by model. By default the request's own. */
  readonly model?: string
  /**
   * `preserve` keeps the meaning of the source. `omit` leaves `strict` out if the source does not state it.
   * `strictify` rewrites schemas into the strict subset if that can be done exactly.
   */
  readonly strict?: 'preserve' | 'omit' | 'strictify'
  /**
   * Checks and rewrites schemas for strict mode. The main entry point passes them; the entry points that take
   * definitions do not. Without them no schema counts as strict on a wire with different strict rules.
   */
  readonly strictPasses?: StrictPasses
  /** What to do with a `strict` that was declared in the wrong place. */
  readonly misplacedStrict?: 'ignore' | 'honour'
  /**
   * One policy for all hosted tools, or one per type or family of types (`web_search` for all its versions), with `*`
   * for all others. By default a tool that the client runs is emulated, web search is mapped if the target has one,
   * and a tool that only the provider could run is dropped and reported.
   */
  readonly hostedTools?: HostedPolicy | { readonly [type: string]: HostedPolicy | HostedFunction }
  /** What to do with an unknown type of tool on a wire other than its own. */
  readonly unknownTools?: 'drop' | 'pass' | 'error'
}

export const toolOptionNames: KnownOptions<ToolOptions> = {
  profile: true,
  model: true,
  strict: true,
  strictPasses: true,
  misplacedStrict: true,
  hostedTools: true,
  unknownTools: true,
}

const hostedNames: KnownOptions<HostedFunction> = {
  policy: true,
  name: true,
  description: true,
  parameters: true,
}

const strictModes = ['preserve', 'omit', 'strictify']
const misplacedModes = ['ignore', 'honour']
const unknownPolicies = ['drop', 'pass', 'error']
const pairingPolicies = ['error', 'repair', 'drop', 'pass']
const mediaPolicies = ['error', 'note', 'drop']
const mediaKinds: readonly MediaKind[] = ['image', 'file', 'audio', 'video']
const policies = ['emulate', 'drop', 'handler', 'pass', 'error']

export function checkToolOptions(
  options: ToolOptions,
  strictPasses: StrictPasses | undefined = options.strictPasses,
): void {
  oneOf('strict', options.strict, strictModes)
  if (options.strict === 'strictify' && strictPasses === undefined) {
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
    else {
      oneOf(`hostedTools.${type}.policy`, policy?.policy, ['emulate', 'handler'], true)
      refuseUnknownOptions(`"hostedTools.${type}"`, policy, hostedNames)
    }
  }
}

export function checkPairing(pairing: unknown): void {
  oneOf('pairing', pairing, pairingPolicies)
}

export function checkMedia(media: unknown): void {
  if (!isObject(media)) {
    oneOf('media', media, mediaPolicies)
    return
  }
  for (const [kind, policy] of Object.entries(media)) {
    oneOf('media', kind, mediaKinds)
    oneOf(`media.${kind}`, policy, mediaPolicies)
  }
}

function oneOf(name: string, value: unknown, allowed: readonly string[], required = false): void {
  if (value === undefined && !required) return
  if (typeof value === 'string' && allowed.includes(value)) return
  throw new TypeError(`"${name}" must be one of ${allowed.join(', ')}; got ${show(value)}.`)
}

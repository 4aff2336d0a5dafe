import type { JsonObject } from '../json/object.ts'
import type { StrictPasses } from '../schema/strict/passes.ts'
import type { Profile } from '../wires/profile.ts'

/** What becomes of a hosted tool on a wire that does not have it. */
export type HostedPolicy = 'emulate' | 'drop' | 'handler' | 'pass' | 'error'

/** A hosted tool shown to the model as a function, in the caller's own words. */
export interface HostedFunction {
  readonly policy: 'emulate' | 'handler'
  readonly name?: string
  readonly description?: string
  readonly parameters?: JsonObject
}

export interface ToolOptions {
  /** Facts about this upstream that differ from its wire's usual ones. */
  readonly profile?: Partial<Profile>
  /**
   * `preserve` keeps what the source means. `omit` leaves `strict` out wherever the source did not state it.
   * `strictify` rewrites schemas into the strict subset where that is exact.
   */
  readonly strict?: 'preserve' | 'omit' | 'strictify'
  /**
   * Checks and rewrites schemas for strict mode. The main entry point brings them along; entry points that take
   * definitions do not, and then no schema counts as strict on a wire with other rules.
   */
  readonly strictPasses?: StrictPasses
  /** What to do with a `strict` that stood in the wrong place. */
  readonly misplacedStrict?: 'ignore' | 'honour'
  /**
   * One policy for all hosted tools, or one per type or family of types (`web_search` for all its versions), with `*`
   * for every other. By default a tool the client runs is emulated, web search goes to a wire that has it, and what
   * only the provider could run is dropped and reported.
   */
  readonly hostedTools?: HostedPolicy | { readonly [type: string]: HostedPolicy | HostedFunction }
  /** What to do with a tool type this library does not know, on a wire it did not come from. */
  readonly unknownTools?: 'drop' | 'pass' | 'error'
}

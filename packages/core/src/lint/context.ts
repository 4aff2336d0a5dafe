/** What every rule gets: the source, the facts about the target, and a function to report findings. */

import { profilesFor } from '../convert/shared/profiles.ts'
import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import type { JsonObject } from '../json/object.ts'
import { isObject, own } from '../json/object.ts'
import type { Path } from '../model/diagnostic.ts'
import type { DiagnosticCode } from '../model/diagnostic-codes.ts'
import { severitiesAsIs, severityOf } from '../model/diagnostic-codes.ts'
import type { ToolFormat, ToolLimits, WireTools } from '../wires/define-wire.ts'
import type { Profile } from '../wires/profile.ts'
import type { Wire } from '../wires/registry.ts'
import { toolFormatOf, toolsOf } from '../wires/registry.ts'
import type { LintEdit, LintFinding, LintFix } from './finding.ts'

/** Which wire the tools are written for, and which target they are judged for. */
export interface LintOptions {
  /** The wire the definitions are written for; `mcp` for tools as an MCP server lists them, which needs a target. */
  readonly wire: Wire | 'mcp'
  /** The wire they will be sent on, after a conversion when it is another one. By default the same. */
  readonly target?: Wire
  /** Check every function against the strict subset, even where `strict` is not set. */
  readonly strict?: boolean
  /** The path of the definitions in the caller's document; a prefix of every reported path. */
  readonly base?: Path
}

export interface LintContext {
  readonly source: unknown
  readonly codec: ToolFormat
  readonly target: WireTools
  readonly profile: Profile
  readonly limits: ToolLimits
  /** Where the source holds the name and the description of a function. */
  readonly fields: { readonly name: string; readonly description: string }
  /** The definitions go out as they are, so nothing repairs them on the way. */
  readonly asIs: boolean
  readonly strict: boolean
  readonly findings: LintFinding[]
  add(
    code: DiagnosticCode,
    path: Path,
    message: string,
    remedy: string,
    fix?: LintFix,
    example?: LintEdit,
  ): void
}

const known: KnownOptions<LintOptions> = { wire: true, target: true, strict: true, base: true }

export function createContext(source: unknown, options: LintOptions): LintContext {
  refuseUnknownOptions('Linting', options, known)
  const { wire, target: sentOn = wire, strict = false } = options
  const codec = toolFormatOf(wire, 'wire')
  // Without a target, a wrong or read-only "wire" is refused here.
  const target = toolsOf(sentOn as Wire, 'target')
  // Nothing is written in a format that is only read: programs hand its names and schemas to a target as they found them.
  const asIs = codec === target || !('encodeTool' in codec)
  const findings: LintFinding[] = []
  return {
    source,
    codec,
    target,
    profile: profileOf(source, target),
    limits: target.limits,
    fields: codec.fields ?? { name: 'name', description: 'description' },
    asIs,
    strict,
    findings,
    add(code, path, message, remedy, fix, example) {
      const severity = (asIs ? severitiesAsIs[code] : undefined) ?? severityOf(code)
      findings.push({
        code,
        severity,
        path: [...path],
        message,
        remedy,
        ...(fix && { fix }),
        ...(example && fix === undefined && { example }),
      })
    },
  }
}

/** The profile for the model that a request names. */
function profileOf(source: unknown, target: WireTools): Profile {
  const model = isObject(source) ? own(source, 'model') : undefined
  return typeof model === 'string' ? profilesFor(target).ofModel(model).foreign : target.profile
}

/** The value at a path of untrusted data; `undefined` when there is no own property. */
export function valueAt(source: unknown, path: Path): unknown {
  let here = source
  for (const key of path) {
    if (Array.isArray(here) && typeof key === 'number') here = here[key]
    else if (isObject(here)) here = own(here, String(key))
    else return undefined
  }
  return here
}

export function objectAt(source: unknown, path: Path): JsonObject {
  const found = valueAt(source, path)
  return isObject(found) ? found : {}
}

/** A name or value for a message; long ones are cut. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)
}

/** What every adaptation gets to know, and helpers that return the request itself if nothing changed. */
import type { Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { Origin } from '../../model/origin.ts'
import { isNative } from '../../model/origin.ts'
import type { Request, Settings } from '../../model/request.ts'
import type { FunctionTool, Tool, ToolParams } from '../../model/tool.ts'
import type { HostedCalls, ServerToolCalls, WireTools } from '../../wires/define-wire.ts'
import type { Profile } from '../../wires/profile.ts'
import { permissiveProfile } from '../../wires/profile.ts'
import type { PairingPolicy, ToolOptions } from '../shared/options.ts'
import { mergeProfile } from '../shared/options.ts'
import type { FindServerCallRecord, ServerTool } from '../shared/server-calls.ts'
import { flatMapShared } from '../shared/shared-lists.ts'

/** One change that fits a request to a target. It returns the same object if there is nothing to change. */
export type Adaptation = (request: Request, context: AdaptContext) => Request

/** The facts about a target that are the same for all requests to it. */
export interface TargetContext {
  readonly target: Origin
  readonly profiles: {
    /** For what is native to the target: it stays as it is, except for what the caller's facts refuse. */
    readonly native: Profile
    /** For everything else: what the target accepts. */
    readonly foreign: Profile
  }
  /** The profile of what the requests come from. */
  readonly source: Profile
  readonly options: ToolOptions
  /** The client's side of an exchange; absent for requests that a program makes. */
  readonly client?: ClientSide
}

/** What the adaptations need to know about the client of an exchange. */
interface ClientSide {
  readonly pairing: PairingPolicy
  readonly hostedCalls: HostedCalls | undefined
  readonly serverCalls: ServerToolCalls | undefined
  readonly serverCallRecordFor: FindServerCallRecord | undefined
  readonly serverTools: readonly ServerTool[]
}

/** The context of one request. For a turn, which may have another origin, use `isNativeTurn` and `profileFor`. */
export interface AdaptContext extends TargetContext {
  readonly report: Report
  /** The request is native to the target, so what only their wire can express may stay. */
  readonly isNative: boolean
  /** The profile for the request's tools and settings. */
  readonly profile: Profile
  /** The tools as the request declares them, before the first adaptation. */
  readonly declared: ToolParams
}

/** Throws a `TypeError` if a fact of the options is impossible on the wire. */
export function createTargetContext(
  { wire, profile, never }: Pick<WireTools, 'wire' | 'profile' | 'never'>,
  source: Profile,
  options: ToolOptions,
  upstream?: string,
): TargetContext {
  const merge = (base: Profile): Profile => mergeProfile(base, { never, wire }, options.profile)
  return {
    target: { wire, ...(upstream !== undefined && { upstream }) },
    profiles: { native: merge(permissiveFor(profile)), foreign: merge(profile) },
    source,
    options,
  }
}

function permissiveFor({ strictRules }: Profile): Profile {
  if (strictRules === permissiveProfile.strictRules) return permissiveProfile
  return { ...permissiveProfile, strictRules }
}

export function createAdaptContext(
  { origin, tools }: Request,
  context: TargetContext,
  report: Report,
): AdaptContext {
  const isOwn = isNative(origin, context.target)
  const profile = isOwn ? context.profiles.native : context.profiles.foreign
  return { ...context, report, isNative: isOwn, profile, declared: tools }
}

export function isNativeTurn({ origin }: Turn, context: AdaptContext): boolean {
  return origin === undefined ? context.isNative : isNative(origin, context.target)
}

/** The profile for a turn. */
export function profileFor(turn: Turn, context: AdaptContext): Profile {
  if (turn.origin === undefined) return context.profile
  return isNativeTurn(turn, context) ? context.profiles.native : context.profiles.foreign
}

export function withTurns(request: Request, turns: readonly Turn[]): Request {
  return turns === request.turns ? request : { ...request, turns }
}

export function withSettings(request: Request, settings: Settings): Request {
  return settings === request.settings ? request : { ...request, settings }
}

export function withToolParams(request: Request, tools: ToolParams): Request {
  return tools === request.tools ? request : { ...request, tools }
}

export function withTools(request: Request, tools: readonly Tool[]): Request {
  return tools === request.tools.tools ? request : { ...request, tools: { ...request.tools, tools } }
}

/** Maps every tool, also inside namespaces. A step may return no tool or several. */
export function mapTools(
  tools: readonly Tool[],
  step: (tool: Tool) => Tool | readonly Tool[],
): readonly Tool[] {
  return flatMapShared(tools, tool => {
    if (tool.kind !== 'namespace') return step(tool)
    const inner = mapTools(tool.tools, step)
    return inner === tool.tools ? tool : { ...tool, tools: inner }
  })
}

export function mapFunctions(request: Request, step: (tool: FunctionTool) => FunctionTool): Request {
  if (request.tools.tools === undefined) return request
  const stepFunction = (tool: Tool): Tool => (tool.kind === 'function' ? step(tool) : tool)
  return withTools(request, mapTools(request.tools.tools, stepFunction))
}

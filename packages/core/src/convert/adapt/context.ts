/** What every adaptation gets to know, and helpers that return the request itself if nothing changed. */
import type { Turn } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { Origin } from '../../model/origin.ts'
import { isNative } from '../../model/origin.ts'
import type { Request, Settings } from '../../model/request.ts'
import type { FunctionTool, Tool, ToolParams } from '../../model/tool.ts'
import type { StrictPasses } from '../../schema/strict/passes.ts'
import type {
  CacheMark,
  HostedCalls,
  ServerToolCalls,
  ToolFormat,
  WireTools,
} from '../../wires/define-wire.ts'
import type { Profile } from '../../wires/profile.ts'
import { programProfile } from '../../wires/profile.ts'
import type { Seal } from '../shared/envelope.ts'
import type { MediaPolicies, PairingPolicy, ToolOptions } from '../shared/options.ts'
import type { Profiles } from '../shared/profiles.ts'
import { profilesFor } from '../shared/profiles.ts'
import type { FindServerCallRecord, ServerTool } from '../shared/server-calls.ts'
import { mapShared } from '../shared/shared-lists.ts'

/** One change that fits a request to a target. It returns the same object if there is nothing to change. */
export type Adaptation = (request: Request, context: AdaptContext) => Request

/** What all requests between a source and a target have in common. */
export interface ConversionContext {
  /** Where the requests come from; absent if a program makes them. */
  readonly origin: Origin | undefined
  /** The profile of where they come from. */
  readonly source: Profile
  readonly target: Origin
  /** They are native to the target, so what only their wire can express may stay. */
  readonly isNative: boolean
  /** The profile for their tools and settings, and for turns without an origin of their own. */
  readonly profile: Profile
  readonly profiles: Profiles
  /** How the wires mark cache breakpoints. */
  readonly cacheMarks: { readonly source: CacheMark | undefined; readonly target: CacheMark | undefined }
  readonly options: ToolOptions
  readonly strictPasses: StrictPasses | undefined
  /** Opens what was sealed in earlier answers. */
  readonly seal: Seal | undefined
  /** The client's side of an exchange. */
  readonly client: ClientSide | undefined
}

/** What the adaptations need to know about the client of an exchange. */
interface ClientSide {
  readonly pairing: PairingPolicy
  readonly media: MediaPolicies
  readonly hostedCalls: HostedCalls | undefined
  readonly serverCalls: ServerToolCalls | undefined
  readonly serverCallRecordFor: FindServerCallRecord | undefined
  readonly serverTools: readonly ServerTool[]
  /** Summaries are made here where the upstream makes none. */
  readonly compacts: boolean
}

/** The context of one request. */
export interface AdaptContext extends ConversionContext {
  readonly report: Report
  /** Turns may have an origin of their own. Few requests are mixed, and a look at every turn costs time. */
  readonly isMixed: boolean
  /** The tools as the request declares them, before the first adaptation. */
  readonly declared: ToolParams
}

/** Without `from`, a program makes the requests. Throws a `TypeError` if a fact is impossible on the target's wire. */
export function createConversionContext(
  { from, to, upstream }: { from?: ToolFormat; to: WireTools; upstream?: string | undefined },
  options: ToolOptions & { readonly seal?: Seal },
  client?: ClientSide,
  strictPasses: StrictPasses | undefined = options.strictPasses,
): ConversionContext {
  const origin = from && { wire: from.wire }
  const target = upstream === undefined ? { wire: to.wire } : { wire: to.wire, upstream }
  const isOwn = isNative(origin, target)
  const profiles = profilesFor(to, options.profile)
  return {
    origin,
    source: from?.profile ?? programProfile,
    target,
    isNative: isOwn,
    profile: isOwn ? profiles.native : profiles.foreign,
    profiles,
    cacheMarks: { source: from?.cacheMark, target: to.cacheMark },
    options,
    strictPasses,
    seal: options.seal,
    client,
  }
}

/** Written out, because a spread of this size is slow, and this is done for every request. */
export function createAdaptContext(
  context: ConversionContext,
  request: Request,
  report: Report,
): AdaptContext {
  const { origin, source, target, isNative, cacheMarks, options, strictPasses, seal, client } = context
  const model = options.model ?? request.model
  const profiles = model === undefined ? context.profiles : context.profiles.ofModel(model)
  return {
    origin,
    source,
    target,
    isNative,
    profile: isNative ? profiles.native : profiles.foreign,
    profiles,
    cacheMarks,
    options,
    strictPasses,
    seal,
    client,
    report,
    isMixed: client?.serverCallRecordFor !== undefined || request.turns.some(hasOrigin),
    declared: request.tools,
  }
}

function hasOrigin({ origin }: Turn): boolean {
  return origin !== undefined
}

export type TurnContext = Pick<AdaptContext, 'target' | 'isNative' | 'isMixed'>

export function isNativeTurn(turn: Turn, { target, isNative: isOwn, isMixed }: TurnContext): boolean {
  return isMixed && turn.origin !== undefined ? isNative(turn.origin, target) : isOwn
}

/** True if all turns are native: most adaptations of turns then have nothing to do. */
export function isAllNative({ isNative, isMixed }: TurnContext): boolean {
  return isNative && !isMixed
}

/** The profile for a turn. */
export function profileFor(turn: Turn, context: AdaptContext): Profile {
  return isNativeTurn(turn, context) ? context.profiles.native : context.profiles.foreign
}

/** Maps every turn. A step may return no turn or several. */
export function mapTurns(request: Request, step: (turn: Turn) => Turn | readonly Turn[]): Request {
  return withTurns(request, mapShared(request.turns, step))
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
  return tools === request.tools.tools ? request : withToolParams(request, { ...request.tools, tools })
}

type ToolStep = (tool: Tool) => Tool | readonly Tool[]

/** Maps the list of tools, a namespace as one tool. A step may return no tool or several. */
export function mapTopTools(request: Request, step: ToolStep): Request {
  const { tools } = request.tools
  return tools === undefined ? request : withTools(request, mapShared(tools, step))
}

/** The same for the tools inside namespaces. */
export function mapTools(request: Request, step: ToolStep): Request {
  const stepInto: ToolStep = tool => {
    if (tool.kind !== 'namespace') return step(tool)
    const tools = mapShared(tool.tools, stepInto)
    return tools === tool.tools ? tool : { ...tool, tools }
  }
  return mapTopTools(request, stepInto)
}

export function mapFunctions(request: Request, step: (tool: FunctionTool) => FunctionTool): Request {
  return mapTools(request, tool => (tool.kind === 'function' ? step(tool) : tool))
}

/**
 * What a wire is: one value, made in one folder (`wires/<wire>/index.ts`), in three facets. A facet can be imported
 * alone, so that a room, or a bundle, carries only what it uses. Code outside the wire's folder reads these facts and
 * calls these functions; it never asks which wire it has.
 *
 * A codec decodes its own wire into the neutral model and encodes the model to its own wire. It never throws and never
 * sees another wire; what it cannot read or write, it reports.
 */
import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import type { Answer, ApiError, Finish } from '../model/answer.ts'
import type { CallPart, HostedPart, OpaquePart, Part, ResultPart } from '../model/conversation.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { StartEvent, StreamEvent } from '../model/stream-event.ts'
import type { Tool, ToolParams } from '../model/tool.ts'
import type { StrictRules } from '../schema/strict/rules.ts'
import type { FrameReader, SseFrame } from '../sse/sse-parser.ts'
import type { WholeEvents } from '../sse/whole-events.ts'
import type { Profile } from './profile.ts'
import type { WireService } from './service.ts'

/** A wire, complete. `title` is its name in messages to people. */
export interface WireDefinition<Name extends string = string> {
  readonly name: Name
  readonly title: string
  /** Words that people type for its name, for suggestions only. Words for hosts stand in `presets/hosts.ts`. */
  readonly aliases?: readonly string[]
  readonly tools: WireTools
  readonly conversation: WireConversation
  readonly service: WireService
}

const namePattern = /^[a-z][a-z0-9-]{0,31}$/

/** Makes a wire of its facets. Checks what the compiler cannot: that the facets belong to one wire, and that its name is valid in a flag. */
export function defineWire<Name extends string>(wire: WireDefinition<Name>): WireDefinition<Name> {
  const { name, tools, conversation, service } = wire
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw new TypeError(
      `A wire's name is lower-case letters, digits and dashes; got ${JSON.stringify(name)}.`,
    )
  }
  for (const facet of ['tools', 'conversation', 'service'] as const) {
    if (!isObject(wire[facet])) throw new TypeError(`The wire "${name}" has no facet "${facet}".`)
  }
  if (tools.wire !== name || conversation.wire !== name) {
    throw new TypeError(`The facets of the wire "${name}" name another wire in their field "wire".`)
  }
  if (!(service.http?.routes?.length > 0)) throw new TypeError(`The wire "${name}" has no route.`)
  return wire
}

/** How a wire marks a cache breakpoint: in the field `key` of a part, with one of two lifetimes as `ttl`. */
export interface CacheMark {
  readonly key: string
  readonly mark: JsonObject
  readonly lifetimes: { readonly short: string; readonly long: string }
  /** Texts of an assistant can be marked. */
  readonly assistant: boolean
  /** A breakpoint with the long lifetime must not follow one with the short lifetime. */
  readonly longFirst: boolean
}

/** Limits of a provider for tool definitions that only lint reads. */
export interface ToolLimits {
  readonly maxTools: number
  readonly maxDescription: number
  readonly maxNamespaceName: number
  /** Names inside a namespace may be longer than those at the top. */
  readonly maxInnerName: number
  /** `description: null` and `parameters: null` count as left out. */
  readonly nullFields: boolean
  /** What the names of the root's properties must match. */
  readonly propertyName: RegExp | null
  /** The subset of JSON Schema that strict mode takes. */
  readonly strictRules: StrictRules
}

/** The tools that a wire defines by type. A type may end in a date, which is not part of its family's name. */
export interface HostedToolFacts {
  /** Types without a date. */
  readonly types: readonly string[]
  /** Families whose types end in a date. */
  readonly datedFamilies: readonly string[]
  /** Fields that a family cannot do without. */
  readonly required: ReadonlyMap<string, readonly string[]>
  /** Of these fields a family needs exactly one. */
  readonly exactlyOne: ReadonlyMap<string, { readonly fields: readonly string[]; readonly missing: string }>
}

/** How sure a recogniser is that a value belongs to its wire: 0 not at all. The registry compares the scores. */
export type Score = number

/** What decodes tool definitions. A format that is read and never written, such as the lists of MCP servers, is only this. */
export interface ToolFormat {
  /** The name of the wire, or of the format. */
  readonly wire: string
  readonly title: string
  readonly profile: Profile
  /** Absent if it has no cache breakpoints. */
  readonly cacheMark?: CacheMark
  decodeTool(tool: unknown, path: Path, report: Report): Tool
  /** Decodes the tools of a request body and ignores its other fields. */
  decodeToolParams(body: JsonObject, report: Report): ToolParams
  /** The list of tools inside a value that is not a list itself, where the format has such values. */
  openList?(
    value: unknown,
    report: Report,
  ): { readonly list: readonly unknown[]; readonly path: Path } | undefined
  /** The fields of a function that hold its name and description, unless these are `name` and `description`. */
  readonly fields?: { readonly name: string; readonly description: string }
  /** The effort that a request asks for, on a wire where some models take tools only without reasoning. */
  effortOf?(body: JsonObject): unknown
  recogniseTool(tool: JsonObject): Score
}

/** The facet of tools: codec, profile, and facts for lint. A program that converts only tools needs nothing else. */
export interface WireTools extends ToolFormat {
  /** Abilities the wire itself lacks, so that no upstream's profile can claim them. */
  readonly never: readonly (keyof Profile)[]
  /** Fields that this wire has no place for are reported. */
  encodeTool(tool: Tool, report: Report): unknown
  encodeToolParams(params: ToolParams, report: Report): JsonObject
  readonly limits: ToolLimits
  readonly hostedTools: HostedToolFacts
}

/**
 * The facet of conversations: codec of requests, answers and streams. It includes the facet of tools, since a request
 * includes its tools.
 */
export interface WireConversation extends WireTools {
  decodeRequest(body: JsonObject, report: Report): Request
  /** The turns are grouped as this wire groups them. A part that it has no place for is reported. */
  encodeRequest(request: Request, report: Report): JsonObject
  /** An answer, or an error body. */
  decodeAnswer(body: JsonObject, report: Report): Answer
  encodeAnswer(answer: Answer, context: AnswerContext, report: Report): JsonObject
  /** Converts calls of hosted tools that the client runs to calls of the functions that replace them, and back. */
  readonly hostedCalls?: HostedCalls
  /** Converts server tool calls to the form in which this wire shows calls that its provider ran, and back. */
  readonly serverCalls?: ServerToolCalls
  /** Absent where requests cannot ask for a compaction. */
  readonly compactions?: WireCompactions
  createStreamDecoder(report: Report, options?: StreamDecoderOptions): StreamDecoder
  createStreamEncoder(context: AnswerContext, report: Report): StreamEncoder
  readonly frames: StreamFrames
  readonly habits: ClientHabits
  readonly framing: TokenFraming
  readonly recognise: Recognisers
}

/** How the text of a stream is divided into frames. The stream encoder writes complete frames. */
export interface StreamFrames {
  readonly contentType: string
  createReader(maxFrameLength: number): FrameReader
  /** A frame without content, sent to keep the connection open. */
  readonly keepAlive: string
  isKeepAlive(frame: SseFrame): boolean
  /** A frame that clients ignore and people can read. */
  comment(text: string): string
  /** Lets text pass in complete frames only. */
  createGate(): WholeEvents
  /** What ends a frame. */
  readonly terminator: string
}

/** Functions that score how much a value looks like their wire. */
export interface Recognisers {
  request(body: JsonObject): Score
  answer(body: JsonObject): Score
  /** `data` is the parsed data of a frame, or its text where it is not JSON. */
  frame(event: string | undefined, data: unknown): Score
}

/** What the conversation loop needs to know of the wire, besides codec and profile. */
export interface ClientHabits {
  /** What the ids of calls begin with. */
  readonly callIdPrefix: string
  /** The field of a request that holds the conversation. */
  readonly history: string
  /** The fields that refer to a conversation stored by the server. */
  readonly memory?: {
    /** Names the answer to go on from; only what is new is sent with it. */
    readonly previous: string
    /** Names a conversation that the server itself adds everything to. */
    readonly conversation: string
  }
  /** Types of hosted calls that the client must answer, except those with this value, which the provider runs. */
  readonly clientItems: ReadonlyMap<string, { readonly ranBy?: readonly [field: string, value: string] }>
  /** Fields that a client library adds to an answer and that servers refuse to read again. */
  readonly addedFields: ReadonlySet<string>
  /** Fields of an answer that servers leave empty, and that some refuse to read again. */
  readonly emptyFields: ReadonlySet<string>
}

/** What the wire's servers add to the texts of a request before a model reads them, in tokens. */
export interface TokenFraming {
  /** The fields of a body with the conversation and with the output limit. */
  readonly listField: string
  readonly limitField: string
  /** What the list holds. */
  readonly entry: 'message' | 'item'
  /** Around each message, besides its role. */
  readonly perMessage: number
  readonly countsRole: boolean
  /** Besides a name that a message carries. */
  readonly perName: number
  /** Besides the name and arguments of a call, and the name and content of its result. */
  readonly perCall: number
  readonly perResult: number
  /** Results without an id, as the deprecated functions had them. */
  readonly perLegacyResult: number
  /** Parallel calls: once, and for each call after the first. */
  readonly parallel: { readonly once: number; readonly each: number }
  /** For the beginning of the answer. */
  readonly reply: number
  /** Tools are shown as types in a namespace, or as their JSON. */
  readonly tools: 'namespace' | 'json'
  /** Images cost by tiles or patches, or by their area. */
  readonly images: 'tiles' | 'area'
  /** Around the tools; less when they share an existing system message, whose text then ends its line. */
  readonly aroundTools: { readonly alone: number; readonly withSystem: number }
  /** For a choice of tools other than the usual one. */
  readonly choice: { readonly none: number; readonly named: number }
}

export interface HostedCalls {
  /**
   * `idOfCall` maps the id of an item to the id of its call, for results that refer to the item. The wire may note there
   * what results without an id belong to. Parts are given in the order of the conversation.
   */
  decode(part: HostedPart, idOfCall: Map<string, string>): Part | undefined
  encode(
    toolType: string,
    call: { readonly id?: string; readonly input: string; readonly path: Path },
    newId: (prefix: string) => string,
  ): HostedPart | undefined
}

/** A call that neither the client nor the provider runs. */
export interface ServerToolCall {
  /** The family of the hosted tool that the client declared, such as `web_search`. */
  readonly family?: string
  /** The MCP server that the tool belongs to. */
  readonly server?: string
  readonly name: string
  readonly input: string
  readonly path: Path
}

export interface ServerToolCalls {
  /** `undefined` if the wire has no form for such a call. */
  encode(call: ServerToolCall, newId: (prefix: string) => string): ServerToolItem | undefined
  /** The calls and results that the hosted parts of one turn stand for. */
  decode(parts: readonly Part[]): ReadonlyMap<Part, DecodedServerCall>
}

export interface ServerToolItem {
  /** The call while it runs. */
  readonly begun: HostedPart
  /** The same part with its result or, if `apart`, the separate part that holds the result. */
  ended(result: Pick<ResultPart, 'content' | 'isError'>): HostedPart
  readonly apart: boolean
}

/** How a wire shows a compaction that was not made by its provider. */
export interface WireCompactions {
  encode(compaction: SealedCompaction, newId: (prefix: string) => string): OpaquePart
  /** The end of an answer that holds nothing else. */
  readonly finish: Finish
}

interface SealedCompaction {
  readonly summary: string
  /** What the client sends back. */
  readonly sealed: string
  /** The request asked for a compaction now, whatever its length. */
  readonly isOnDemand: boolean
}

export interface DecodedServerCall {
  readonly parts: readonly (CallPart | ResultPart)[]
  readonly server?: string
  /** It was not written by a provider of this wire, so none would accept it. */
  readonly foreign: boolean
}

export interface StreamDecoderOptions {
  /** A frame that is not JSON is skipped, for streams that are sent on unchanged. */
  readonly skipMalformed?: boolean
}

/** One stream from its wire's frames to events. Never throws; a frame it cannot read ends the stream in an error. */
export interface StreamDecoder {
  push(frame: SseFrame): StreamEvent[]
  /** The source has ended: open parts are ended, and without a terminal frame the stream has failed. */
  end(): StreamEvent[]
  /** The complete answer, if the end of the stream repeats it. */
  answer?(): JsonObject | undefined
  /** For wires whose clients expect every open item to be closed before the end. */
  snapshot?(): StreamSnapshot
  /**
   * The three optional members are for the fast path. After `push`: set to a new value if the next frames may repeat
   * this one and differ only in one text.
   */
  readonly repeats?: RepeatedField | undefined
  /** Reads such a frame. `escaped` is its text as JSON writes it, where known. */
  accept?(text: string, escaped: string | undefined): void
  /** The events of accepted texts, unless `push` or `end` has returned them. */
  takeEvents?(): StreamEvent[]
}

/** Where repeated frames differ. */
export interface RepeatedField {
  /** The field that holds the text. */
  readonly key: string
  /** Fields whose values do not matter, such as sequence numbers. */
  readonly volatileFields: readonly string[]
}

/** The state of a stream, so that it can be ended in place of its source. */
export interface StreamSnapshot {
  /** The number of the next event. */
  readonly next: number
  /** All items; open ones with what they have so far. */
  readonly items: readonly JsonObject[]
  /** What closes those that are open, in order and not numbered yet. */
  readonly closing: readonly ClosingEvent[]
}

export interface ClosingEvent extends JsonObject {
  readonly type: string
}

/** One stream from events to its wire's text, each event in one piece. */
export interface StreamEncoder {
  push(event: StreamEvent): string
  /** Ends with this error in place of the end that was encoded last and not sent. */
  replaceEnd(error: ApiError, isCancelled?: boolean): string
  /** Continues a stream that was begun elsewhere: what the client has received is not sent again. */
  resume(start: StartEvent, snapshot: StreamSnapshot | undefined): void
  /** The complete answer, if the end of the stream repeats it. */
  answer?(): JsonObject | undefined
}

/** What the encoding of an answer needs besides the answer. */
export interface AnswerContext {
  /** The client's request, for wires whose answers repeat it. */
  readonly request?: JsonObject
  /** The upstream was sent another request, because what this one refers to is stored by the gateway. */
  readonly restated?: boolean
  /** The tools as the upstream was sent them, for wires whose answers repeat what became of `strict`. */
  readonly sentTools?: readonly Tool[]
  /** Reasoning gets a seal of this wire when it ends, for its way back through the client. */
  readonly sealsReasoning?: boolean
  /** Caches the JSON of the fields that answers repeat of the request. */
  readonly cache?: { echo?: string }
  /** Where an encoder of a stream may put a long text that it repeats: see `longTexts` of `Exchange.stream`. */
  readonly longTexts?: Iterable<string>[] | undefined
  newId(prefix: string): string
  /** Seconds since 1970. */
  now(): number
}

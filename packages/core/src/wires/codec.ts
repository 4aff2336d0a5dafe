/**
 * What every wire must provide. A codec reads its own wire into the model and writes the model to its own
 * wire; it never throws, never sees another wire, and reports what it cannot read or say.
 */

import type { JsonObject } from '../json/object.ts'
import type { Answer } from '../model/answer.ts'
import type { CallPart, HostedPart, Part, ResultPart } from '../model/conversation.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { StartEvent, StreamEvent } from '../model/stream-event.ts'
import type { Tool, ToolParams } from '../model/tool.ts'
import type { Wire } from '../model/wire.ts'
import type { SseFrame } from '../sse/sse-parser.ts'
import type { Profile } from './profile.ts'

/** The tools of a wire, apart from the rest, so that whoever converts only tools carries nothing else. */
export interface ToolCodec {
  readonly wire: Wire
  readonly profile: Profile
  /** Abilities the wire itself lacks, so that no upstream's profile can claim them. */
  readonly never: readonly (keyof Profile)[]
  decodeTool(tool: unknown, path: Path, report: Report): Tool
  /** What of the tool this wire has no place for is reported. */
  encodeTool(tool: Tool, report: Report): unknown
  /** The tool part of a whole request body; everything else in the body is left alone. */
  decodeToolParams(body: JsonObject, report: Report): ToolParams
  encodeToolParams(params: ToolParams, report: Report): JsonObject
}

export interface Codec extends ToolCodec {
  decodeRequest(body: JsonObject, report: Report): Request
  /** The turns are grouped as this wire groups them. A part it cannot say is reported, never skipped in silence. */
  encodeRequest(request: Request, report: Report): JsonObject
  /** An answer, or an error body. */
  decodeAnswer(body: JsonObject, report: Report): Answer
  encodeAnswer(answer: Answer, context: AnswerContext, report: Report): JsonObject
  /** Calls of hosted tools that the client runs, as calls of the functions that stand for them, and back. */
  readonly hostedCalls?: HostedCalls
  /** Calls that were run between client and model, as this wire tells of calls that its provider ran. */
  readonly serverCalls?: ServerToolCalls
  createStreamDecoder(report: Report): StreamDecoder
  createStreamEncoder(context: AnswerContext, report: Report): StreamEncoder
}

export interface HostedCalls {
  /** `idOfCall` gives a call's id for the id of its item, where results name only that. */
  read(part: HostedPart, idOfCall: ReadonlyMap<string, string>): Part | undefined
  write(
    toolType: string,
    call: { readonly id?: string; readonly input: string; readonly path: Path },
    newId: (prefix: string) => string,
  ): HostedPart | undefined
}

/** A call that neither the client nor the provider ran. */
export interface ServerToolCall {
  /** The kind of hosted tool that the client declared and somebody else runs, such as `web_search`. */
  readonly family?: string
  /** The MCP server that the tool belongs to. */
  readonly server?: string
  readonly name: string
  readonly input: string
  readonly path: Path
}

export interface ServerToolCalls {
  /** `undefined` when the wire has nothing that tells of such a call. */
  write(call: ServerToolCall, newId: (prefix: string) => string): ServerToolItem | undefined
  /** What the parts of one turn say of such calls, as the calls and results they stand for. */
  read(parts: readonly Part[]): ReadonlyMap<Part, ReadServerCall>
}

export interface ServerToolItem {
  /** The call while it runs. */
  readonly begun: HostedPart
  /** The same part with its result, or, where results stand apart, the part that holds it. */
  ended(result: Pick<ResultPart, 'content' | 'isError'>): HostedPart
  readonly apart: boolean
}

export interface ReadServerCall {
  readonly parts: readonly (CallPart | ResultPart)[]
  readonly server?: string
  /** It is plain that no provider of this wire wrote it, so none would take it. */
  readonly foreign: boolean
}

/** One stream from its wire's frames to events. Never throws; a frame it cannot read ends the stream in an error. */
export interface StreamDecoder {
  push(frame: SseFrame): StreamEvent[]
  /**
   * Reads an event that begins at this place of the stream, if it repeats the one before but for its text: where it
   * ends, or -1. What it said is taken with `take`.
   */
  tryFastEvent(stream: string, start: number): number
  /** What was said and not taken yet. */
  takeEvents(): StreamEvent[]
  /** The source is at its end: what is open is ended, and without a terminal frame the stream has failed. */
  end(): StreamEvent[]
  /** The whole answer, where the stream itself has told it in the end. */
  answer?(): JsonObject | undefined
  /** Before the end, where a client that has heard the stream itself waits for what is open to be closed. */
  snapshot?(): StreamSnapshot
}

/** What a stream has told so far, for whoever has to end it in its source's place. */
export interface StreamSnapshot {
  /** The number of the next event. */
  readonly next: number
  /** All items; those that are open stand as far as they got. */
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
  /** Goes on where somebody else has begun: what the client has heard is not said again. */
  resume(start: StartEvent, told: StreamSnapshot | undefined): void
  /** The whole answer, where the stream itself has told it in the end. */
  answer?(): JsonObject | undefined
}

/** What an answer needs that the answer itself does not hold. */
export interface AnswerContext {
  /** The client's own request, for wires whose answers echo it. */
  readonly request?: JsonObject
  /** That request is not what the upstream was sent: whoever stands between keeps what it refers to. */
  readonly restated?: boolean
  /** Where a codec keeps the JSON of what it repeats of that request, so that it is written once for all answers. */
  readonly cache?: { echo?: string }
  newId(prefix: string): string
  /** Seconds since 1970. */
  now(): number
}

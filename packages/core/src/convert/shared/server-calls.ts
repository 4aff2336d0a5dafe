/**
 * Server tools and their calls: what they are, what they returned, and the record of them that has to be stored
 * because the client's history does not contain them.
 */

import { isObject } from '../../json/object.ts'
import type { FilePart, ImagePart, Part, TextPart, Turn } from '../../model/conversation.ts'
import { filterResidue, type Residue } from '../../model/residue.ts'
import type { DefinedTool } from './tools.ts'

/** A tool that is offered to the upstream in addition to the client's tools, without the client knowing of it. */
export interface ServerTool extends DefinedTool {
  /** The MCP server it belongs to. On wires that have items for MCP calls, the client sees its calls as such items. */
  readonly server?: string
}

/** A call that whoever holds the exchange runs, instead of the client. */
export interface ServerCall {
  /** Pairs the call with its result. */
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** The arguments as the model wrote them. */
  readonly arguments: string
  /** The MCP server of the server tool. */
  readonly server?: string
  /** Set if the client declared a hosted tool that is run here because of the policy `handler`. */
  readonly hosted?: {
    readonly type: string
    /** The kind behind dated and renamed types, such as `web_search`. */
    readonly family?: string
    /** Which of several, such as the MCP server. */
    readonly label?: string
    readonly name: string
  }
  /** The answer was cut off, so the call may be incomplete even if its arguments parse. Never run it. */
  readonly truncated: boolean
}

/** The result of a server tool call. An outcome of `runToolCalls` fits, with the call's id added. */
export interface ServerCallResult {
  readonly callId: string
  readonly content: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError?: boolean
}

/** The server tool calls of one answer, as plain JSON that can be stored. */
export interface ServerCallRecord {
  /** The upstream's wire. */
  readonly wire: string
  /** The upstream's name, if the exchange was given one. */
  readonly upstream?: string
  /** The ids of the calls that the client was sent. Store the record under each of them. */
  readonly callIds: readonly string[]
  /** Those calls as the client was sent them. */
  readonly clientCalls: readonly ClientCall[]
  /** All rounds of the answer; the last one has the client's calls. */
  readonly rounds: readonly RecordedRound[]
}

export type FindServerCallRecord = (clientCallId: string) => ServerCallRecord | undefined

export interface ClientCall {
  readonly id: string
  readonly arguments: string
}

export interface RecordedRound {
  /** As the upstream sent them. */
  readonly turns: readonly Turn[]
  readonly calls: readonly RecordedCall[]
}

/** A call that was run, under the name of the tool that ran, and its result. */
export interface RecordedCall {
  readonly id: string
  readonly name: string
  readonly namespace?: string
  readonly arguments: string
  readonly content: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError?: boolean
  /** The client was sent an item for it, so its history contains the call already. */
  readonly inClientHistory?: boolean
}

/** A stored record may have been written by an older version or by another program. */
export function isServerCallRecord(value: unknown): value is ServerCallRecord {
  if (!isObject(value) || ![value.callIds, value.clientCalls, value.rounds].every(isList)) return false
  if (!isList(value.rounds)) return false
  return value.rounds.every(
    (round: unknown) =>
      isObject(round) && isList(round.calls) && isList(round.turns) && round.turns.every(hasParts),
  )
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function hasParts(turn: unknown): boolean {
  return isObject(turn) && Array.isArray(turn.parts)
}

/** Removes residue entries that are `undefined`, because JSON would turn them into `null`. */
export function serializableTurns(turns: readonly Turn[]): Turn[] {
  return turns.map(turn => ({
    ...turn,
    ...withoutMarks(turn.residue),
    parts: turn.parts.map<Part>(part => ({ ...part, ...withoutMarks(part.residue) })),
  }))
}

function withoutMarks(residue: Residue | undefined): { residue?: Residue } {
  return residue === undefined ? {} : { residue: filterResidue(residue, ([, value]) => value !== undefined) }
}

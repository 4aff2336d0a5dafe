/** What a client does not know of an answer it got: calls that were run in the middle. Plain JSON, to be kept. */

import { isObject } from '../../json/json.ts'
import type { FilePart, ImagePart, Part, TextPart, Turn } from '../../model/conversation.ts'
import type { Residue, ResidueEntry } from '../../model/residue.ts'
import type { DefinedTool } from './tools.ts'

/** A tool that is offered to the upstream beside the client's own, and of which the client knows nothing. */
export interface ServerTool extends DefinedTool {
  /** The MCP server it belongs to. Clients whose wire tells of MCP calls are told of calls to such a tool. */
  readonly server?: string
}

export interface ServerCall {
  /** Pairs the call with its result. */
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** The arguments as the model wrote them. */
  readonly arguments: string
  /** The MCP server of a registered tool. */
  readonly server?: string
  /** Set when the client declared a hosted tool that is run here by the policy `handler`. */
  readonly hosted?: {
    readonly type: string
    /** The kind behind dated and renamed types, such as `web_search`. */
    readonly family?: string
    /** Which of several, such as the MCP server. */
    readonly label?: string
    readonly name: string
  }
  /** The answer was cut off, so the call may be incomplete even where its text happens to parse. Never run it. */
  readonly truncated: boolean
}

/** The result of a held call. What `runToolCalls` says of a call fits, with the call's id. */
export interface ServerCallResult {
  readonly callId: string
  readonly content: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError?: boolean
}

export interface ServerCallRecord {
  /** The upstream's wire. */
  readonly wire: string
  /** The ids of the calls that the client was told of. Keep the turn under each of them. */
  readonly callIds: readonly string[]
  /** Those calls as the client was told of them. */
  readonly clientCalls: readonly ClientCall[]
  /** What the upstream said and called, answer by answer; the last is the one with the client's calls. */
  readonly rounds: readonly RecordedRound[]
}

export interface ClientCall {
  readonly id: string
  readonly arguments: string
}

export interface RecordedRound {
  /** As the upstream knows it. */
  readonly turns: readonly Turn[]
  readonly calls: readonly RecordedCall[]
}

/** A call that was run, by the name of the tool that ran, and what it gave. */
export interface RecordedCall {
  readonly id: string
  readonly name: string
  readonly namespace?: string
  readonly arguments: string
  readonly content: readonly (TextPart | ImagePart | FilePart)[]
  readonly isError?: boolean
  /** The client's own history tells of it. */
  readonly inClientHistory?: boolean
}

/** What was kept may have been kept by an older version, or by somebody else. */
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

/** The turns as JSON keeps them: a mark for something absent would come back as a `null`. */
export function serializableTurns(turns: readonly Turn[]): Turn[] {
  return turns.map(turn => ({
    ...turn,
    ...withoutMarks(turn.residue),
    parts: turn.parts.map<Part>(part => ({ ...part, ...withoutMarks(part.residue) })),
  }))
}

function withoutMarks(residue: Residue | undefined): { residue?: Residue } {
  if (residue === undefined) return {}
  const present = (entries: readonly ResidueEntry[]): ResidueEntry[] =>
    entries.filter(([, value]) => value !== undefined)
  return {
    residue: {
      ...residue,
      entries: present(residue.entries),
      ...(residue.defaults && { defaults: present(residue.defaults) }),
    },
  }
}

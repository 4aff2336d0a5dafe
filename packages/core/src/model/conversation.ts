/**
 * A conversation between a client and an LLM, in order. A decoder makes one turn of each message or item that it reads;
 * regrouping turns for a wire with other rules is the work of an adaptation.
 */

import type { JsonObject } from '../json/object.ts'
import type { CompactionPart } from './compaction.ts'
import type { Path } from './diagnostic.ts'
import type { Origin } from './origin.ts'
import type { Residue } from './residue.ts'

/** Who speaks in a turn. */
export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

/** One message or item of a conversation. */
export interface Turn {
  readonly role: Role
  readonly parts: readonly Part[]
  /** The path of the message or item that this turn was read from. */
  readonly root: Path
  /** The content was a string instead of a list of parts. */
  readonly plain?: boolean
  /** The turn was in the request's separate field for instructions. */
  readonly instructions?: boolean
  /** Its own provider does not show it to the LLM any more. */
  readonly cleared?: boolean
  /** Where the turn comes from, if not from where its request comes from; `null` if it was made here. */
  readonly origin?: Origin | null
  readonly residue?: Residue
}

interface PartBase {
  readonly path: Path
  readonly residue?: Residue
  readonly cache?: CacheBreakpoint
}

/** The part ends a prefix that the provider is to cache. On its own wire the mark stays in the residue. */
export interface CacheBreakpoint {
  readonly path: Path
  /** Every wire has two lifetimes; absent: the provider's default. */
  readonly lifetime?: 'short' | 'long'
}

/** A text in a turn. */
export interface TextPart extends PartBase {
  readonly kind: 'text'
  readonly text: string
  readonly citations?: readonly Citation[]
  /** Token probabilities, in the form the OpenAI wires share. */
  readonly logprobs?: readonly unknown[]
}

/** The source of a text. Fields of only one wire are residue. */
export interface Citation extends PartBase {
  readonly url: string
  readonly title?: string
  readonly start?: number
  readonly end?: number
}

/** A refusal of the model, in its words. */
export interface RefusalPart extends PartBase {
  readonly kind: 'refusal'
  readonly text: string
}

/** Where an image or a file is: at an address, in the request, at the provider, or as text. */
export type MediaSource =
  | { readonly type: 'url'; readonly url: string }
  /** Base64 without the `data:` prefix. */
  | { readonly type: 'data'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'file'; readonly id: string }
  /** A plain-text document. */
  | { readonly type: 'text'; readonly mediaType: string; readonly text: string }

/** An image in a turn. */
export interface ImagePart extends PartBase {
  readonly kind: 'image'
  readonly source: MediaSource
  readonly detail?: string
}

/** A file in a turn. */
export interface FilePart extends PartBase {
  readonly kind: 'file'
  readonly source: MediaSource
  readonly filename?: string
}

/** A call that the client runs. Calls that the provider runs are `hosted`. */
export interface CallPart extends PartBase {
  readonly kind: 'call'
  readonly form: 'function' | 'custom'
  /** Pairs the call with its result. Absent if the source had none. */
  readonly id?: string
  readonly name: string
  readonly namespace?: string
  /** Arguments or free text, as the LLM wrote it. If a wire's arguments are an object, its JSON. */
  readonly input: string
  readonly status?: CallStatus
  /** The conversation may go on before the result is there. */
  readonly async?: boolean
}

export type CallStatus = 'in_progress' | 'completed' | 'incomplete'

/** The result of a call, as a part of a turn. */
export interface ResultPart extends PartBase {
  readonly kind: 'result'
  readonly form: 'function' | 'custom'
  readonly callId?: string
  /** The tool's name, on wires or dialects that repeat it in the result. */
  readonly name?: string
  readonly content: readonly Part[]
  /** The content was a string instead of a list of parts. */
  readonly plain?: boolean
  readonly isError?: boolean
}

/** Reasoning in a turn: its text, a summary, or a seal that only its origin can read. */
export interface ReasoningPart extends PartBase {
  readonly kind: 'reasoning'
  /** The summary that the provider shows, by section. */
  readonly summary: readonly string[]
  /** The full reasoning, by section. */
  readonly text: readonly string[]
  /** Signed or encrypted reasoning, which only its origin can use. */
  readonly seal?: {
    readonly wire: string
    readonly value: string
    readonly redacted?: boolean
    /** Where it was read, unless that is the path of the part. */
    readonly path?: Path
  }
  /** It is a part of the content, on a wire that has fields for reasoning too. */
  readonly inContent?: boolean
  /** Where it stood in its answer, if the client's wire may have put it before everything else. */
  readonly place?: AnswerPlace
}

/** How much of an answer stood before one of its parts. */
export interface AnswerPlace {
  /** Characters of its texts. */
  readonly text: number
  readonly calls: number
}

/** Says in parts that every wire has what a part of one wire says; `undefined` if only that wire can read it. */
export type PartReader = (value: JsonObject, path: Path) => readonly Part[] | undefined

/** A call or result of a hosted tool, verbatim. */
export interface HostedPart extends PartBase {
  readonly kind: 'hosted'
  readonly wire: string
  readonly type: string
  readonly value: JsonObject
  readonly read?: PartReader
}

/** A part that the codec does not know, verbatim. */
export interface OpaquePart extends PartBase {
  readonly kind: 'opaque'
  readonly wire: string
  readonly value: unknown
  readonly read?: PartReader
  /** Its information was also read into another part of the request, so nothing is lost without it. */
  readonly readElsewhere?: boolean
  /** It requests something from the server that only servers of its own wire can do. */
  readonly demand?: boolean
  /** What a user put in, of a kind that only this wire has. */
  readonly media?: MediaKind
  /** It stands for the conversation before it. */
  readonly compaction?: CompactionPart
}

/** What a user puts into a message besides text. */
export type MediaKind = 'image' | 'file' | 'audio' | 'video'

/** A piece of a turn. */
export type Part =
  | TextPart
  | RefusalPart
  | ImagePart
  | FilePart
  | CallPart
  | ResultPart
  | ReasoningPart
  | HostedPart
  | OpaquePart

export function isCall(part: Part): part is CallPart {
  return part.kind === 'call'
}

export function isResult(part: Part): part is ResultPart {
  return part.kind === 'result'
}

/** A result that was made here and not read from a wire. */
export function resultPart(
  callId: string,
  content: readonly Part[],
  isError = false,
  form: ResultPart['form'] = 'function',
): ResultPart {
  const plain = content.length === 1 && content[0]?.kind === 'text'
  return {
    kind: 'result',
    form,
    callId,
    content,
    path: [],
    ...(plain && { plain }),
    ...(isError && { isError }),
  }
}

/**
 * What is said between a client and a model, in the order in which it was said. A decoder makes one turn of
 * each message or item it reads; regrouping for a wire with other habits is an adaptation's work.
 */

import type { JsonObject } from '../json/json.ts'
import type { Path } from './diagnostic.ts'
import type { Residue } from './residue.ts'

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

export interface Turn {
  readonly role: Role
  readonly parts: readonly Part[]
  /** The message or item this turn was read from. */
  readonly root: Path
  /** The content was one bare text instead of a list. */
  readonly plain?: boolean
  /** The turn stood in the request's own field for instructions, outside the conversation. */
  readonly instructions?: boolean
  readonly residue?: Residue
}

interface PartBase {
  readonly path: Path
  readonly residue?: Residue
}

export interface TextPart extends PartBase {
  readonly kind: 'text'
  readonly text: string
  readonly citations?: readonly Citation[]
  /** Token probabilities, in the form the OpenAI wires share. */
  readonly logprobs?: readonly unknown[]
}

/** Where a text comes from. Only what more than one wire can say; the rest is residue. */
export interface Citation extends PartBase {
  readonly url: string
  readonly title?: string
  readonly start?: number
  readonly end?: number
}

export interface RefusalPart extends PartBase {
  readonly kind: 'refusal'
  readonly text: string
}

export type MediaSource =
  | { readonly type: 'url'; readonly url: string }
  /** Base64 without the `data:` frame. */
  | { readonly type: 'data'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'file'; readonly id: string }
  /** A document given as text. */
  | { readonly type: 'text'; readonly mediaType: string; readonly text: string }

export interface ImagePart extends PartBase {
  readonly kind: 'image'
  readonly source: MediaSource
  readonly detail?: string
}

export interface FilePart extends PartBase {
  readonly kind: 'file'
  readonly source: MediaSource
  readonly filename?: string
}

/** A call the client runs. Calls the provider runs are `hosted`. */
export interface CallPart extends PartBase {
  readonly kind: 'call'
  readonly form: 'function' | 'custom'
  /** Pairs the call with its result. Absent when the source gave none. */
  readonly id?: string
  readonly name: string
  readonly namespace?: string
  /** Arguments or free text, as the model wrote it. A wire whose arguments are an object gives its JSON. */
  readonly input: string
  readonly status?: CallStatus
}

export type CallStatus = 'in_progress' | 'completed' | 'incomplete'

export interface ResultPart extends PartBase {
  readonly kind: 'result'
  readonly form: 'function' | 'custom'
  readonly callId?: string
  /** The tool's name, on wires or dialects that repeat it. */
  readonly name?: string
  readonly content: readonly Part[]
  /** The content was one bare text instead of a list. */
  readonly plain?: boolean
  readonly isError?: boolean
}

export interface ReasoningPart extends PartBase {
  readonly kind: 'reasoning'
  /** What the provider shows of the reasoning. */
  readonly summary: readonly string[]
  /** The reasoning itself. */
  readonly text: readonly string[]
  /** Signed or encrypted reasoning: means something to its origin and nobody else. */
  readonly seal?: { readonly wire: string; readonly value: string; readonly redacted?: boolean }
}

/** A call or result of a hosted tool, verbatim. */
export interface HostedPart extends PartBase {
  readonly kind: 'hosted'
  readonly wire: string
  readonly type: string
  readonly value: JsonObject
}

/** What the codec does not know, verbatim. */
export interface OpaquePart extends PartBase {
  readonly kind: 'opaque'
  readonly wire: string
  readonly value: unknown
  /** What it says has been read into another place of the request, so nothing is lost with it. */
  readonly readElsewhere?: boolean
  /** It asks the server for something that only its own wire's servers do. */
  readonly demand?: boolean
}

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

/** One wire of the scripted model: how a request is read and a turn is written, without the library's codecs. */

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: { readonly [key: string]: unknown }
}

export interface Turn {
  readonly id: string
  readonly text: string
  readonly calls: readonly Call[]
  /** The client asked for the usage of a stream, where a wire makes it ask. */
  readonly usage: boolean
}

/** A request as the model understood it; a reader throws where its wire's server would answer 400. */
export interface ReceivedRequest {
  readonly system: string
  readonly user: string
  readonly tools: readonly { readonly name: string; readonly properties: readonly string[] }[]
  readonly stream: boolean
  readonly usage: boolean
  /** The one turn of the assistant, and what came of its calls; absent when the conversation begins. */
  readonly before?: {
    readonly text: string
    readonly calls: readonly Call[]
    readonly results: readonly Result[]
  }
}

interface Result {
  readonly id: string
  readonly text: string
}

/** One wire, both ways: requests read strictly, turns written whole or as server-sent events. */
export interface ScriptedWire {
  readonly callId: (n: number) => string
  readonly readRequest: (body: unknown) => ReceivedRequest
  readonly encodeAnswer: (turn: Turn) => object
  readonly encodeStream: (turn: Turn) => string
}

export function refuseUnless(condition: boolean, complaint: string): asserts condition {
  if (!condition) throw new Error(complaint)
}

/** A text in small pieces, as models send it. */
export function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,5}/g) ?? []
}

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
  /** The client requested the usage of a stream, on wires where that is an option. */
  readonly usage: boolean
}

/** A request as the model read it; a reader throws where its wire's server would answer 400. */
export interface ReceivedRequest {
  readonly system: string
  readonly user: string
  readonly tools: readonly { readonly name: string; readonly properties: readonly string[] }[]
  readonly stream: boolean
  readonly usage: boolean
  /** The assistant's turn with the results of its calls; absent in the first request. */
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

/** Reads requests strictly, and encodes turns as complete answers or as server-sent events. */
export interface ScriptedWire {
  readonly callId: (n: number) => string
  readonly readRequest: (body: unknown) => ReceivedRequest
  readonly encodeAnswer: (turn: Turn) => object
  readonly encodeStream: (turn: Turn) => string
}

export function refuseUnless(condition: boolean, complaint: string): asserts condition {
  if (!condition) throw new Error(complaint)
}

/** Cuts a text into small pieces, as models stream it. */
export function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,5}/g) ?? []
}

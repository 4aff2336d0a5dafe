/** What the scripted model says and hears, whatever its wire. */

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
export interface Heard {
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
export interface Speech {
  readonly callId: (n: number) => string
  readonly hear: (body: unknown) => Heard
  readonly whole: (turn: Turn) => object
  readonly events: (turn: Turn) => string
}

export function insist(condition: boolean, complaint: string): asserts condition {
  if (!condition) throw new Error(complaint)
}

/** A text in small pieces, as models send it. */
export function pieces(text: string): string[] {
  return text.match(/[\s\S]{1,5}/g) ?? []
}

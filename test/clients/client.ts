/** A client under test: its wire, and how it runs a tool loop. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Toolbox } from '../support/clients/toolbox.ts'

export interface Task {
  readonly fetch: typeof fetch
  readonly tools: Toolbox
  readonly stream: boolean
}

export interface Client {
  readonly name: string
  readonly wire: Wire
  /** Runs the tool loop and returns the assistant's text of each turn, as the client reports it. */
  readonly run: (task: Task) => Promise<string[]>
  /** The result that the client sends for a tool that threw, where it is not the error's own message. */
  readonly failure?: string
  /** Paths of fields it sends that other wires cannot represent. */
  readonly leftOut?: RegExp
  /** It refers to earlier turns of the assistant by id instead of sending them, because the server stores them. */
  readonly refersBack?: boolean
}

/** Limits the hand-written loops, in case a model never stops calling tools. */
export const maxTurns = 4

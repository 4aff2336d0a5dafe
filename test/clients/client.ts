/** What a client under test is: its wire, and how it runs the loop to the end. */
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
  /** Runs the tool loop; gives what the assistant said, turn by turn, as the client tells it. */
  readonly run: (task: Task) => Promise<string[]>
  /** What the client reports of a tool that threw, where it is not the error's own message. */
  readonly failure?: string
  /** Where it sends what other wires have no place for. */
  readonly leftOut?: RegExp
  /** It names earlier words of the assistant instead of sending them, trusting the server to have kept them. */
  readonly refersBack?: boolean
}

/** Loops written by hand end here, should a model call tools for ever. */
export const maxTurns = 4

/** `connectModel` for wires that are given by name. */
import type { ConnectModelOptions as Options } from './client/connect-model.ts'
import { connectModelWith } from './client/connect-model.ts'
import { host as platform } from './platform.ts'
import type { ModelPort } from './runtime/conversation/model-port.ts'
import type { Host } from './runtime/host.ts'
import { strictPasses } from './schema/strict/passes.ts'
import type { Wire } from './wires/registry.ts'
import { conversationOf } from './wires/registry.ts'

/** The wire and the sender of a model, for `connectModel`. */
export interface ConnectModelOptions extends Omit<Options, 'wire'> {
  readonly wire: Wire
}

/** Returns a model that takes requests of the neutral model, over any wire and with any client. */
export function connectModel({
  host = platform,
  ...options
}: ConnectModelOptions & { readonly host?: Host }): ModelPort {
  return connectModelWith(host, { strictPasses, ...options, wire: conversationOf(options.wire, 'wire') })
}

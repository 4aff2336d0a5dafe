import type { ConnectModelOptions } from './client/connect-model.ts'
import { connectModelWith } from './client/connect-model.ts'
import { host as platform } from './platform.ts'
import type { ModelPort } from './runtime/conversation/model-port.ts'
import type { Host } from './runtime/host.ts'

/** A model that can be asked in neutral terms, over any of the three wires and whatever client sends the bodies. */
export function connectModel({
  host = platform,
  ...options
}: ConnectModelOptions & { readonly host?: Host }): ModelPort {
  return connectModelWith(host, options)
}

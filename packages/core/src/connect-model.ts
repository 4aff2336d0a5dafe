import { host as platform } from './platform.ts'
import type { Host } from './runtime/host.ts'
import type { ModelPort } from './runtime/model-port.ts'
import type { ConnectModelOptions } from './talk/connect.ts'
import { connectModelWith } from './talk/connect.ts'

/** A model that can be asked in neutral terms, over any of the three wires and whatever client sends the bodies. */
export function connectModel({
  host = platform,
  ...options
}: ConnectModelOptions & { readonly host?: Host }): ModelPort {
  return connectModelWith(host, options)
}

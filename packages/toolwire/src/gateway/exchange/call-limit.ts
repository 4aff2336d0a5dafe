/** The client's limit on calls that the gateway runs itself. */
import type { WireDefinition } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'

/** The gateway itself enforces the limit on the tools that it runs; an upstream of another wire runs none. */
export function withoutCallLimit(
  body: JsonObject,
  wire: WireDefinition,
  upstreamWire: WireDefinition,
): JsonObject {
  const field = wire.service.http.serverCallLimit
  if (wire === upstreamWire || field === undefined || body[field] === undefined) return body
  const { [field]: _, ...rest } = body
  return rest
}

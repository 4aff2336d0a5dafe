/** The exchange between a client's wire and an upstream's, by the settings of both. */
import type { Exchange, ExchangeOptions, Profile, BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type { GatewayContext, RequestContext } from '../context.ts'
import type { Upstream } from '../settings.ts'
import type { Destination } from '../upstream/route-model.ts'

export interface ExchangeSides {
  readonly context: RequestContext
  readonly wire: Wire
  readonly destination: Destination
}

/** `answerId`: an upstream's ids may repeat or be guessed, so what is kept here gets a better one. */
export function openExchange({ context, wire, destination }: ExchangeSides, answerId = ''): Exchange {
  const { gateway, owner } = context
  const { upstream } = destination
  return createExchange({
    from: wire,
    to: upstream.wire,
    newId: gateway.newId,
    now: () => Math.floor(gateway.clock.date() / 1000),
    limits: { event: gateway.limits.eventLength, stream: gateway.limits.streamLength },
    ...(upstream.changesNothing && wire === upstream.wire ? {} : conversionOptions(wire, upstream)),
    ...(answerId !== '' && { answerId }),
    ...ownTools(gateway, owner),
  })
}

function conversionOptions(wire: Wire, upstream: Upstream): Partial<ExchangeOptions> {
  const { strict, hostedTools, unknownTools, misplacedStrict, pairing, profile } = upstream
  return {
    ...(strict !== undefined && { strict }),
    ...(hostedTools !== undefined && { hostedTools }),
    ...(unknownTools !== undefined && { unknownTools }),
    ...(misplacedStrict !== undefined && { misplacedStrict }),
    ...(pairing !== undefined && { pairing }),
    profile: { ...assumed(wire, upstream), ...profile },
  }
}

/** Most servers of the Chat wire know no subset of the tools, so they are shown only what may be called. */
function assumed(wire: Wire, upstream: Upstream): Partial<Profile> {
  return wire !== upstream.wire && upstream.wire === 'chat' ? { allowedTools: false } : {}
}

function ownTools(
  { tools, hosted, serverCallMemory }: GatewayContext,
  owner: string,
): Partial<ExchangeOptions> {
  if (tools.length === 0 && hosted.length === 0) return {}
  return {
    ...(tools.length > 0 && { tools }),
    serverCallRecordFor: callId => serverCallMemory.find(owner, callId),
  }
}

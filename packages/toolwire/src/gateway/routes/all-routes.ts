/** All routes of a gateway: those of its wires, those of its own Responses API, and those about itself. */
import type { WireDefinition } from '@toolwire/core'
import type { GatewayRoute } from '../context.ts'
import { createEndpoint } from '../exchange/routed-request.ts'
import { serveExchange } from '../exchange/serve.ts'
import { feedRoutes } from '../inspector/feed.ts'
import { pageRoutes } from '../inspector/page.ts'
import { readingRoutes } from '../inspector/reading-routes.ts'
import { sessionRoutes } from '../inspector/sign-in.ts'
import { statusRoutes } from '../inspector/status.ts'
import { conversationRoutes } from '../responses-api/conversations.ts'
import { storedResponseRoutes } from '../responses-api/stored-responses.ts'
import { modelRoutes } from './models.ts'
import { systemRoutes } from './system.ts'

export function allRoutes(wires: Iterable<WireDefinition>): readonly GatewayRoute[] {
  const all = [...wires]
  return [
    ...all.flatMap(wireRoutes),
    ...modelRoutes(all),
    ...storedResponseRoutes,
    ...conversationRoutes,
    ...systemRoutes,
    ...feedRoutes,
    ...pageRoutes,
    ...readingRoutes,
    ...statusRoutes,
    ...sessionRoutes,
  ]
}

function wireRoutes(wire: WireDefinition): readonly GatewayRoute[] {
  const { prefix, routes } = wire.service.http
  return routes.map(route => {
    const { job, method, path, operation } = route
    const endpoint = createEndpoint(wire, route)
    return {
      name: operation.id,
      method,
      path: prefix + path,
      wire,
      async handle(context) {
        if (job !== 'count-tokens') return serveExchange(context, endpoint)
        // Counting loads a tokenizer, which most gateways never need.
        const { countTokens } = await import('./count-tokens.ts')
        return countTokens(context, endpoint)
      },
    }
  })
}

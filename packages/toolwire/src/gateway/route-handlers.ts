/** What answers for each route. */
import {
  createConversation,
  createItems,
  deleteConversation,
  deleteItem,
  getConversation,
  getItem,
  listItems,
  updateConversation,
} from './conversation-routes.ts'
import type { Visit } from './core.ts'
import { getModel, listModels } from './model-routes.ts'
import { live, metrics, openapi, ready, trace, traces, version } from './own-routes.ts'
import { cancelResponse, deleteResponse, getResponse, listInput } from './responses-routes.ts'
import type { RouteName } from './routes.ts'
import { serveExchange } from './serve-exchange.ts'

export const handlers: { readonly [Name in RouteName]: (visit: Visit) => Promise<void> } = {
  exchange: visit => serveExchange(visit, visit.route.wire ?? 'chat'),
  // Counting loads a tokenizer, which most gateways never need.
  'count-tokens': async visit => (await import('./token-route.ts')).countTokens(visit),
  models: listModels,
  model: getModel,
  response: getResponse,
  'response-delete': deleteResponse,
  'response-input': listInput,
  'response-cancel': cancelResponse,
  'conversation-create': createConversation,
  conversation: getConversation,
  'conversation-update': updateConversation,
  'conversation-delete': deleteConversation,
  items: listItems,
  'items-create': createItems,
  item: getItem,
  'item-delete': deleteItem,
  live,
  ready,
  metrics,
  version,
  openapi,
  traces,
  trace,
}

/** What answers for each route. */

import type { RequestContext } from '../context.ts'
import { serveExchange } from '../exchange/serve.ts'
import {
  createConversation,
  createItems,
  deleteConversation,
  deleteItem,
  getConversation,
  getItem,
  listItems,
  updateConversation,
} from './conversations.ts'
import { getModel, listModels } from './models.ts'
import { cancelResponse, deleteResponse, getResponse, listInput } from './responses.ts'
import { live, metrics, openapi, ready, trace, traces, version } from './system.ts'
import type { RouteName } from './table.ts'

export const handlers: { readonly [Name in RouteName]: (context: RequestContext) => Promise<void> } = {
  exchange: context => serveExchange(context, context.route.wire ?? 'chat'),
  // Counting loads a tokenizer, which most gateways never need.
  'count-tokens': async context => (await import('./count-tokens.ts')).countTokens(context),
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

/** `toolwire/gateway`: the gateway as a library. */

export type { Clock } from '../platform/clock.ts'
export type { MemoryStoreOptions } from '../store/memory-store.ts'
export { createMemoryStore } from '../store/memory-store.ts'
export { openSqliteStore } from '../store/open-sqlite-store.ts'
export type { PostgresStoreOptions } from '../store/postgres/open-postgres-store.ts'
export { openPostgresStore } from '../store/postgres/open-postgres-store.ts'
export type { RedisStoreOptions } from '../store/redis/open-redis-store.ts'
export { openRedisStore } from '../store/redis/open-redis-store.ts'
export type {
  Conversation,
  ConversationChange,
  CountChange,
  Counts,
  Item,
  ItemPage,
  ItemQuery,
  NewEvents,
  ResponseKey,
  ResponseRecord,
  Store,
  StoredEvents,
  WeighedRead,
} from '../store/store.ts'
export type { StoreErrorCode } from '../store/store-error.ts'
export { StoreError } from '../store/store-error.ts'
export type { SqliteStoreOptions } from '../store/thread/options.ts'
export type { ExchangeFacts, Observation, Observer, TraceReader } from '../telemetry/observer.ts'
export type { Gateway } from './create-gateway.ts'
export { createGateway } from './create-gateway.ts'
export { GatewayError } from './errors.ts'
export type { Flow, GatewayRequest, Receiver, Sink, Transport, UpstreamRequest } from './http/contract.ts'
export { createFetchHandler } from './http/fetch-handler.ts'
export type { ServerLimits } from './http/node-server.ts'
export { createNodeServer } from './http/node-server.ts'
export type { GatewayOptions, Limits, LossPolicy, Tenant, Timeouts, Upstream } from './settings.ts'
export { createFetchTransport } from './upstream/fetch-transport.ts'

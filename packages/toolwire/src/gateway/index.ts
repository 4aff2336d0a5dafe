/** `toolwire/gateway`: the gateway as a library. */

export type { ExchangeFacts, Observation, Observer, TraceReader } from '../telemetry/observer.ts'
export type { Clock } from './clock.ts'
export type { Gateway } from './create-gateway.ts'
export { createGateway } from './create-gateway.ts'
export { GatewayError } from './errors.ts'
export type { Flow, GatewayRequest, Receiver, Sink, Transport, UpstreamRequest } from './http/contract.ts'
export { createFetchHandler } from './http/fetch-handler.ts'
export type { ServerLimits } from './http/node-server.ts'
export { createNodeServer } from './http/node-server.ts'
export type { GatewayOptions, Limits, LossPolicy, Timeouts, Upstream } from './settings.ts'
export { createFetchTransport } from './upstream/fetch-transport.ts'

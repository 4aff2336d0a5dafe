/** The limits of the gateway in the configuration. */
import { defaultConnections, defaultLimits } from '../gateway/settings.ts'
import type { LimitsConfig } from './config.ts'
import type { FieldsOf } from './rule.ts'
import { whole } from './rule.ts'

export const limitFields: FieldsOf<LimitsConfig> = {
  bodyBytes: { rule: whole(1024), default: defaultLimits.bodyBytes, about: 'Of a request body.' },
  depth: { rule: whole(16, 1000), default: defaultLimits.depth, about: 'How deep JSON may be nested.' },
  nodes: {
    rule: whole(1000),
    default: defaultLimits.nodes,
    about: 'How many values JSON may have, in a request or a whole answer.',
  },
  inlineBytes: {
    rule: whole(1024),
    default: defaultLimits.inlineBytes,
    about: 'Requests and answers over so many bytes are converted in a worker thread.',
  },
  inlineNodes: {
    rule: whole(1000),
    default: defaultLimits.inlineNodes,
    about: 'Those of more values are too.',
  },
  loopBytes: {
    rule: whole(1024),
    default: defaultLimits.loopBytes,
    about:
      'What no worker thread can take, such as an answer with calls to tools of the gateway, may have so many bytes.',
  },
  loopNodes: {
    rule: whole(1000),
    default: defaultLimits.loopNodes,
    about: 'And so many values.',
  },
  headNodes: {
    rule: whole(1000),
    default: defaultLimits.headNodes,
    about: 'How many values the tools and settings of such a request may have.',
  },
  workers: {
    rule: whole(0, 64),
    default: defaultLimits.workers,
    about: 'How many worker threads there may be; 0 converts everything on the event loop.',
  },
  items: {
    rule: whole(1),
    default: defaultLimits.items,
    about: 'How many items one request may add to a conversation.',
  },
  answerBytes: { rule: whole(1024), default: defaultLimits.answerBytes, about: 'Of a whole answer.' },
  eventLength: {
    rule: whole(1024),
    default: defaultLimits.eventLength,
    about: 'Of one event of a stream, in characters; twice as many where it passes unchanged.',
  },
  eventNodes: {
    rule: whole(1000),
    default: defaultLimits.eventNodes,
    about: 'How many values one event of a stream may have.',
  },
  streamLength: {
    rule: whole(1024),
    default: defaultLimits.streamLength,
    about: 'Of a whole stream, in characters.',
  },
  rounds: {
    rule: whole(1, 1000),
    default: defaultLimits.rounds,
    about: 'How often the upstream is asked for one request, when the gateway runs tools.',
  },
  clientStallMs: {
    rule: whole(0),
    default: defaultLimits.clientStallMs,
    about:
      'How long a client may take nothing of its answer before it is cut off, in milliseconds; 0 is for ever.',
  },
  memoryBytes: {
    rule: whole(1024 * 1024),
    about:
      'The memory for all requests in flight: bodies, histories, answers, and what slow clients have not read. By default half of the heap limit of the process.',
  },
  keyMemoryBytes: {
    rule: whole(1024 * 1024),
    about: 'How much of it one key may take. By default half where there are several keys, else all of it.',
  },
  exchanges: {
    rule: whole(1, 1_000_000),
    default: defaultLimits.exchanges,
    about: 'Requests in flight; more wait for a moment, and are then refused with 503.',
  },
  keyExchanges: {
    rule: whole(1, 1_000_000),
    about:
      'Requests in flight of one key; more are refused with 429. By default half of "exchanges" where there are several keys, else all.',
  },
  queue: {
    rule: whole(0, 1_000_000),
    default: defaultLimits.queue,
    about: 'How many requests may wait for others to end; keys take turns.',
  },
  queueMs: {
    rule: whole(0, 600_000),
    default: defaultLimits.queueMs,
    about: 'How long a request may wait for others to end, in milliseconds.',
  },
  background: {
    rule: whole(1, 1_000_000),
    default: defaultLimits.background,
    about: 'Background responses that are being worked on.',
  },
  keyBackground: {
    rule: whole(1, 1_000_000),
    about:
      'Background responses of one key that are being worked on. By default a quarter of "background" where there are several keys, else all.',
  },
  socketMs: {
    rule: whole(0),
    default: defaultLimits.socketMs,
    about: 'How long a WebSocket may be open, in milliseconds; 0 is for ever.',
  },
  socketLanes: {
    rule: whole(1, 10_000),
    default: defaultLimits.socketLanes,
    about: 'Responses at the same time on one WebSocket.',
  },
  socketQueue: {
    rule: whole(0, 100_000),
    default: defaultLimits.socketQueue,
    about: 'Messages of one WebSocket that may wait for others on their lanes.',
  },
  socketHistoryBytes: {
    rule: whole(0),
    default: defaultLimits.socketHistoryBytes,
    about: 'How much one WebSocket remembers of responses that are not stored.',
  },
  connections: {
    rule: whole(1, 1_000_000),
    default: defaultConnections.connections,
    about: 'Open connections. At the limit, those that are idle longest are closed first.',
  },
  addressConnections: {
    rule: whole(1, 1_000_000),
    default: defaultConnections.addressConnections,
    about: 'Open connections of one address.',
  },
}

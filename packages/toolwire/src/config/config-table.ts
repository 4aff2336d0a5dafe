/** All settings as one table. `rule.ts` explains what is derived from it. */

import { isObject } from '@toolwire/core/json'
import { defaultConnections, defaultLimits } from '../gateway/settings.ts'
import { flawsOfHosted, flawsOfTools, flawsOfWires } from './code-rules.ts'
import type { LimitsConfig, LintConfig, LogConfig, ToolwireConfig, TraceConfig } from './config.ts'
import { conventionalVariables } from './env-upstreams.ts'
import { usualHost, usualPort } from './machine.ts'
import { mcpServer } from './mcp-fields.ts'
import { pricesRule } from './price-fields.ts'
import type { EitherRule, Fields, FieldsOf, ObjectRule, Rule } from './rule.ts'
import { choice, flag, text, texts, whole } from './rule.ts'
import { storeFields } from './store-fields.ts'
import { upstreamRule, variableRule } from './upstream-fields.ts'

const object = (fields: Fields, aliases?: ObjectRule['aliases']): ObjectRule =>
  aliases === undefined ? { kind: 'object', fields } : { kind: 'object', fields, aliases }

const limitFields: FieldsOf<LimitsConfig> = {
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
    about: 'Of one event of a stream, in characters.',
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

const logFields: FieldsOf<LogConfig> = {
  format: {
    rule: choice(['pretty', 'json']),
    about: 'One line a request, for people or for programs. By default "pretty" on a terminal, else "json".',
  },
  level: {
    rule: choice(['debug', 'info', 'warn', 'error'], { warning: 'Did you mean "warn"?' }),
    default: 'info',
    about: 'Requests below this level are not logged.',
  },
}

const traceFields: FieldsOf<TraceConfig> = {
  entries: { rule: whole(1, 100_000), default: 200, about: 'How many exchanges are kept to look at.' },
  bytes: { rule: whole(1024), default: 32 * 1024 * 1024, about: 'How much memory they may take.' },
  bodies: {
    rule: flag,
    default: true,
    about: 'Keep what was sent and answered. False: facts only, such as models, times, tokens and codes.',
  },
}

const ignoreFields: Fields = {
  codes: { rule: texts, required: true, about: 'Codes of findings that are not reported.' },
  files: { rule: texts, about: 'Only in files whose names end so.' },
}

const lintFields: FieldsOf<LintConfig> = {
  targets: { rule: texts, about: 'The wires that tools are linted for.' },
  strict: { rule: flag, about: 'Hold every function to strict mode.' },
  maxWarnings: { rule: whole(0), about: 'How many warnings to tolerate.' },
  ignore: { rule: { kind: 'list', item: object(ignoreFields) }, about: 'Findings that are accepted.' },
}

const noTrace: Rule = { kind: 'flag', only: false }

const traceRule: EitherRule = {
  kind: 'either',
  of: [object(traceFields), noTrace],
  choose: value => (isObject(value) ? object(traceFields) : value === false ? noTrace : undefined),
  expects: 'an object, or false for no traces',
}

const fields: FieldsOf<ToolwireConfig> = {
  $schema: { rule: text, about: 'Where an editor finds the JSON Schema of this file.' },
  host: { rule: text, default: usualHost, about: 'The address to listen on.' },
  port: { rule: whole(0, 65_535), default: usualPort, about: 'The port to listen on; 0 takes any free one.' },
  healthPort: {
    rule: whole(0, 65_535),
    about:
      'A port on which a thread of its own answers /live and /ready at once, however busy the gateway is; 0 takes any free one.',
  },
  upstreams: {
    rule: { kind: 'list', item: upstreamRule },
    about:
      `Where models are. None: those that ${conventionalVariables.join(', ')} name, ` +
      'or else the embedded demo model.',
  },
  model: {
    rule: text,
    about:
      'Every request goes to this model, whatever model it names. None: each goes to the model it names.',
  },
  keys: {
    rule: texts,
    secret: true,
    about: 'Keys a client must present one of. None: all clients are let in.',
  },
  keysEnv: {
    rule: variableRule,
    about: 'The environment variable that holds such keys, separated by commas.',
  },
  operatorKeys: {
    rule: texts,
    secret: true,
    about:
      'Keys of those who run the gateway, for its metrics and the traces of all clients; they open no model. ' +
      'None: every client sees the metrics.',
  },
  operatorKeysEnv: {
    rule: variableRule,
    about: 'The environment variable that holds such keys, separated by commas.',
  },
  sealKeys: {
    rule: texts,
    secret: true,
    about:
      'What the keys are derived from that seal the reasoning of upstreams for its way through clients: the first one seals, ' +
      'the others open what was sealed before. None: a key in the store, which all gateways on the store share.',
  },
  sealKeysEnv: {
    rule: variableRule,
    about: 'The environment variable that holds such keys, separated by commas.',
  },
  allowedHosts: {
    rule: texts,
    about:
      'Values of the Host header that are answered, without the port; "*" for any. By default this machine only, ' +
      'or any where a key is asked for and the host is not this machine.',
  },
  allowedOrigins: {
    rule: texts,
    default: [],
    about: 'Values of the Origin header that are answered, for pages and extensions; "*" for any.',
  },
  insecure: {
    rule: flag,
    default: false,
    about: 'Listen beyond this machine although no key is asked for.',
  },
  store: { rule: object(storeFields), about: 'Where responses and conversations are kept.' },
  limits: { rule: object(limitFields), about: 'What is refused as too large, or given up as too slow.' },
  losses: {
    rule: choice(['allow', 'errors', 'strict']),
    default: 'errors',
    about: 'When a request is refused over what its conversion loses: never, over errors, or over any loss.',
  },
  webSockets: {
    rule: choice(['on', 'compressed', 'off']),
    default: 'on',
    about:
      'Whether clients of Responses may connect by WebSocket. Compression takes memory and time for every message.',
  },
  log: { rule: object(logFields), about: 'What is written to stderr.' },
  trace: { rule: traceRule, about: 'The exchanges kept in memory for "toolwire trace", or false.' },
  prices: {
    rule: pricesRule,
    about:
      'What tokens cost, before the prices that toolwire knows: for the log, "toolwire usage" and "toolwire tokens".',
  },
  lint: { rule: object(lintFields), about: 'For "toolwire lint".' },
  otel: { rule: flag, default: false, about: 'Give spans to the OpenTelemetry SDK of the process.' },
  inspector: {
    rule: flag,
    default: true,
    about:
      'Serve a page at / that shows the traces. Never where other machines reach the gateway without a key.',
  },
  heartbeatMs: {
    rule: whole(0, 600_000),
    default: 15_000,
    about: 'How often a quiet stream gets a comment, so that nothing on the way gives it up; 0 is never.',
  },
  shutdownMs: {
    rule: whole(0, 3_600_000),
    default: 10_000,
    about: 'How long exchanges under way may take to end after SIGTERM or Ctrl-C.',
  },
  toolTimeoutMs: { rule: whole(1, 2 ** 31 - 1), about: 'How long a tool of the gateway may take.' },
  mcpServers: {
    rule: { kind: 'map', value: mcpServer },
    about: 'MCP servers whose tools the gateway offers to models and runs.',
  },
  wires: {
    rule: { kind: 'code', flaws: flawsOfWires },
    about: 'Wires beside the built-in ones, made with "defineWire" of @toolwire/core.',
  },
  tools: {
    rule: { kind: 'code', flaws: flawsOfTools },
    about: 'Tools the gateway offers to models and runs.',
  },
  hosted: {
    rule: { kind: 'code', flaws: flawsOfHosted },
    about:
      'For a type of hosted tools that clients declare, the tool that does its work here, unless the upstream’s "hostedTools" names that type.',
  },
}

export const configRule: ObjectRule = object(fields, {
  providers: 'upstreams',
  upstream: 'upstreams',
  apiKeys: 'keys',
  adminKeys: 'operatorKeys',
  mcp: 'mcpServers',
  database: 'store',
  logging: 'log',
  tracing: 'trace',
  telemetry: 'otel',
  strict: 'losses',
  ui: 'inspector',
})

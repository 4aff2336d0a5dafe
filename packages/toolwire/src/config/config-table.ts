/** All settings as one table. `rule.ts` explains what is derived from it. */

import { isObject } from '@toolwire/core/json'
import { flawsOfHosted, flawsOfTools, flawsOfWires } from './code-rules.ts'
import type { LintConfig, LogConfig, ToolwireConfig, TraceConfig } from './config.ts'
import { conventionalVariables } from './env-upstreams.ts'
import { limitFields } from './limit-fields.ts'
import { usualHost, usualPort } from './machine.ts'
import { mcpServer } from './mcp-fields.ts'
import { pricesRule } from './price-fields.ts'
import type { EitherRule, Fields, FieldsOf, ObjectRule, Rule } from './rule.ts'
import { choice, flag, text, texts, whole } from './rule.ts'
import { storeFields } from './store-fields.ts'
import { tenantsRule } from './tenants/tenant-fields.ts'
import { upstreamRule, variableRule } from './upstream-fields.ts'

const object = (fields: Fields, aliases?: ObjectRule['aliases']): ObjectRule =>
  aliases === undefined ? { kind: 'object', fields } : { kind: 'object', fields, aliases }

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
  viewBytes: {
    rule: whole(1024),
    default: 1024 * 1024,
    about: 'How much of each of the four sides of an exchange is kept; of longer ones the beginning.',
  },
  keptEntries: {
    rule: whole(0, 1_000_000),
    default: 0,
    about:
      'How many exchanges are also kept in the file of the sqlite store, so that they survive a restart; 0 for none. With all that was said in them.',
  },
  keptBytes: {
    rule: whole(1024),
    default: 256 * 1024 * 1024,
    about: 'How much of the file they may take; the oldest go first.',
  },
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

const asManyAsCores: Rule = choice(['auto'])
const workerCount: Rule = whole(1, 256)

const workersRule: EitherRule = {
  kind: 'either',
  of: [workerCount, asManyAsCores],
  choose: value => (typeof value === 'number' ? workerCount : value === 'auto' ? asManyAsCores : undefined),
  expects: 'a number from 1 on, or "auto" for as many as there are cores',
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
  workers: {
    rule: workersRule,
    default: 1,
    about:
      'How many processes serve the port, or "auto" for as many as the machine has cores. They share the store, and the limits are divided among them.',
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
  tenants: {
    rule: tenantsRule,
    about:
      'Keys that are let in too, each with a name, the models and upstreams it may use, and limits, which all gateways on ' +
      'the store share.',
  },
  limitsWithoutStore: {
    rule: choice(['local', 'refuse'], { open: 'It is called "local".', closed: 'It is called "refuse".' }),
    default: 'local',
    about:
      'While the store does not answer, the limits of tenants hold on each gateway by itself, or requests of limited keys are refused.',
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
  virtualKeys: 'tenants',
  adminKeys: 'operatorKeys',
  mcp: 'mcpServers',
  database: 'store',
  logging: 'log',
  tracing: 'trace',
  telemetry: 'otel',
  strict: 'losses',
  ui: 'inspector',
})

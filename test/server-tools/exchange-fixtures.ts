/** Upstream answers, streamed or not, and client requests for the tests of server tools, on every wire. */
import type { Exchange, BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type { ServerCall, ServerCallResult } from '../../packages/core/src/convert/shared/server-calls.ts'
import type { ExchangeOptions } from '../../packages/core/src/create-exchange.ts'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import type { Answer, Usage } from '../../packages/core/src/model/answer.ts'
import { answerEvents } from '../../packages/core/src/model/answer-events.ts'
import type {
  CallPart,
  Part,
  ResultPart,
  TextPart,
  Turn,
} from '../../packages/core/src/model/conversation.ts'
import { createReport } from '../../packages/core/src/model/diagnostic.ts'
import { createSseParser } from '../../packages/core/src/sse/sse-parser.ts'
import { builtInConversations } from '../../packages/core/src/wires/registry.ts'

export { pairs, wires } from '../support/wires.ts'

const silent = createReport().report

/** Ids that count up, so that each is unique. */
export function counting(): { newId: (prefix: string) => string; now: () => number } {
  let count = 0
  return { newId: prefix => `${prefix}${++count}`, now: () => 1_700_000_000 }
}

export const text = (words: string): TextPart => ({ kind: 'text', text: words, path: [] })

export const call = (id: string, name: string, args: object = {}): CallPart => ({
  kind: 'call',
  form: 'function',
  id,
  name,
  input: JSON.stringify(args),
  path: [],
})

export interface UpstreamAnswer {
  readonly parts: readonly Part[]
  readonly usage?: Usage
  readonly reason?: Answer['finish']['reason']
  readonly id?: string
}

function answerOf({ parts, usage, reason, id = 'r1' }: UpstreamAnswer): Answer {
  const calls = parts.some(({ kind }) => kind === 'call')
  return {
    id,
    model: 'm',
    createdAt: 1_700_000_000,
    turns: [{ role: 'assistant', parts, root: [] }],
    finish: { reason: reason ?? (calls ? 'calls' : 'stop') },
    ...(usage && { usage }),
  }
}

/** The answer as a server of the wire sends it without a stream. */
export function answerFrom(wire: Wire, upstreamAnswer: UpstreamAnswer): JsonObject {
  return builtInConversations[wire].encodeAnswer(answerOf(upstreamAnswer), counting(), silent)
}

/** The answer as a server of the wire streams it. */
export function streamFrom(wire: Wire, upstreamAnswer: UpstreamAnswer): string {
  const context = { ...counting(), request: { stream_options: { include_usage: true } } }
  const encoder = builtInConversations[wire].createStreamEncoder(context, silent)
  return [...answerEvents(answerOf(upstreamAnswer))].map(event => encoder.push(event)).join('')
}

export function begin(from: Wire, to: Wire, options: Partial<ExchangeOptions> = {}): Exchange {
  return createExchange({ from, to, ...counting(), ...options })
}

/** A request of the wire: one question, and functions by these names. */
export function requestOf(wire: Wire, names: readonly string[] = [], more: JsonObject = {}): JsonObject {
  return { ...writeRequest(wire, [userTurn], names), ...more }
}

export const userTurn: Turn = { role: 'user', parts: [text('go')], root: [] }

export function writeRequest(wire: Wire, turns: readonly Turn[], names: readonly string[] = []): JsonObject {
  const tools = names.map((name, i) => ({
    kind: 'function' as const,
    root: ['tools', i],
    path: ['tools', i],
    name,
    parameters: { type: 'object', properties: {} },
    parametersPath: ['tools', i, 'parameters'],
  }))
  const request = { model: 'm', turns, tools: names.length > 0 ? { tools } : {}, settings: {} }
  return builtInConversations[wire].encodeRequest(request, silent)
}

/** Results as the wire's clients send them. */
export function resultTurns(wire: Wire, results: readonly ResultPart[]): Turn[] {
  if (wire === 'messages') return [{ role: 'user', parts: results, root: [] }]
  return results.map(part => ({ role: 'tool', parts: [part], root: [] }))
}

export function resultOf(callId: string, words: string, isError = false): ResultPart {
  return {
    kind: 'result',
    form: 'function',
    callId,
    content: [text(words)],
    plain: true,
    ...(isError && { isError }),
    path: [],
  }
}

export const resultTextFor = ({ id }: Pick<ServerCall, 'id'>): string => `result of ${id}`

/** Runs server tool calls; each result names its call. */
export function run(serverCalls: readonly ServerCall[]): ServerCallResult[] {
  return serverCalls.map(one => ({ callId: one.id, content: [text(resultTextFor(one))] }))
}

export function answerTurns(wire: Wire, body: JsonObject): readonly Turn[] {
  return builtInConversations[wire].decodeAnswer(body, silent).turns
}

export function requestTurns(wire: Wire, body: JsonObject): readonly Turn[] {
  return builtInConversations[wire].decodeRequest(body, silent).turns
}

/** The content of a history, turn by turn, without what differs between servers. */
export function condense(turns: readonly Turn[]): unknown[] {
  return turns.flatMap(({ role, parts }) => parts.map(part => condensed(part, role)))
}

function condensed(part: Part, role: Turn['role']): unknown {
  switch (part.kind) {
    case 'text':
      return [role, part.text]
    case 'call':
      return ['call', part.form, part.id, part.name, JSON.parse(part.input)]
    case 'result':
      return [
        'result',
        part.callId,
        part.content.map(inner => condensed(inner, 'tool')),
        part.isError ?? false,
      ]
    case 'reasoning':
      return ['reasoning', part.text.join(''), part.seal]
    default:
      return [part.kind]
  }
}

export function framesOf(stream: string): { event?: string; data: JsonObject }[] {
  const parser = createSseParser()
  return [...parser.push(stream), ...parser.end()]
    .filter(({ data }) => data !== '[DONE]')
    .map(({ event, data }) => ({
      ...(event !== undefined && { event }),
      data: JSON.parse(data) as JsonObject,
    }))
}

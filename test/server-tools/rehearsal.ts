/** Upstreams that say what they are told to, whole or streamed, and clients that answer in their own wire's way. */
import type { Exchange, BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { answerEvents } from '../../packages/core/src/convert/shared/answer-events.ts'
import type { ServerCall, ServerCallResult } from '../../packages/core/src/convert/shared/server-calls.ts'
import type { ExchangeOptions } from '../../packages/core/src/create-exchange.ts'
import type { JsonObject } from '../../packages/core/src/json/json.ts'
import type { Answer, Usage } from '../../packages/core/src/model/answer.ts'
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

/** Ids that count up, so that each is its own. */
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

export interface Said {
  readonly parts: readonly Part[]
  readonly usage?: Usage
  readonly reason?: Answer['finish']['reason']
  readonly id?: string
}

function answerOf({ parts, usage, reason, id = 'r1' }: Said): Answer {
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

/** The answer as a server of the wire gives it whole. */
export function wholeFrom(wire: Wire, said: Said): JsonObject {
  return builtInConversations[wire].encodeAnswer(answerOf(said), counting(), silent)
}

/** The answer as a server of the wire streams it. */
export function streamFrom(wire: Wire, said: Said): string {
  const asked = { ...counting(), request: { stream_options: { include_usage: true } } }
  const encoder = builtInConversations[wire].createStreamEncoder(asked, silent)
  return [...answerEvents(answerOf(said))].map(event => encoder.push(event)).join('')
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

export const wordsFor = ({ id }: Pick<ServerCall, 'id'>): string => `result of ${id}`

/** Runs what is serverCalls: each result says whose it is. */
export function run(serverCalls: readonly ServerCall[]): ServerCallResult[] {
  return serverCalls.map(one => ({ callId: one.id, content: [text(wordsFor(one))] }))
}

export function answerTurns(wire: Wire, body: JsonObject): readonly Turn[] {
  return builtInConversations[wire].decodeAnswer(body, silent).turns
}

export function requestTurns(wire: Wire, body: JsonObject): readonly Turn[] {
  return builtInConversations[wire].decodeRequest(body, silent).turns
}

/** What a history says, turn by turn, without what differs from server to server. */
export function gistOf(turns: readonly Turn[]): unknown[] {
  return turns.flatMap(({ role, parts }) => parts.map(part => gist(part, role)))
}

function gist(part: Part, role: Turn['role']): unknown {
  switch (part.kind) {
    case 'text':
      return [role, part.text]
    case 'call':
      return ['call', part.form, part.id, part.name, JSON.parse(part.input)]
    case 'result':
      return ['result', part.callId, part.content.map(inner => gist(inner, 'tool')), part.isError ?? false]
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

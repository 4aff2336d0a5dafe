/** Exchanges in which an upstream of any wire calls a tool, whole and streamed, for tests over all pairs. */
import { createExchange, type ExchangeOptions } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'
import type { Answer } from '../model/answer.ts'
import { answerEvents } from '../model/answer-events.ts'
import type { CallPart } from '../model/conversation.ts'
import { foldEvents } from '../model/fold-events.ts'
import { type BuiltInWire, builtInConversations, wireNames } from '../wires/registry.ts'

export const crossings: readonly (readonly [from: BuiltInWire, to: BuiltInWire])[] = wireNames.flatMap(from =>
  wireNames.filter(to => to !== from).map(to => [from, to] as const),
)

const ids = { newId: (prefix: string) => `${prefix}1`, now: () => 0 }

/** A function in the wire's own shape. */
export function toolFor(wire: BuiltInWire, name: string, parameters: unknown): JsonObject {
  if (wire === 'chat') return { type: 'function', function: { name, description: 'd', parameters } }
  if (wire === 'messages') return { name, description: 'd', input_schema: parameters }
  return { type: 'function', name, description: 'd', parameters, strict: false }
}

/** The functions of an upstream's request, by name and schema. */
export function functionsOf(wire: BuiltInWire, body: JsonObject): { name: string; parameters: JsonObject }[] {
  const { tools = [] } = builtInConversations[wire].decodeToolParams(body, () => undefined)
  return tools.flatMap(tool =>
    tool.kind === 'function' ? [{ name: tool.name, parameters: tool.parameters as JsonObject }] : [],
  )
}

/** A request with one message of the user and these further fields. */
export function requestFor(wire: BuiltInWire, fields: object, text = 'hello'): JsonObject {
  const message = { role: 'user', content: text }
  const history = wire === 'responses' ? { input: [message] } : { messages: [message] }
  return { model: 'm', ...(wire === 'messages' && { max_tokens: 64 }), ...history, ...fields }
}

/** What the client gets when the upstream calls a tool with these arguments: whole, and streamed in small pieces. */
export function callBack(
  exchange: ReturnType<typeof open>,
  [from, to]: readonly [BuiltInWire, BuiltInWire],
  call: { readonly name: string; readonly input: string },
): { whole: CallPart | undefined; streamed: CallPart | undefined } {
  const part: CallPart = { kind: 'call', form: 'function', id: 'call_1', path: [], ...call }
  const answer: Answer = {
    turns: [{ role: 'assistant', parts: [part], root: [] }],
    finish: { reason: 'calls' },
  }
  const upstream = builtInConversations[to]
  const client = builtInConversations[from]
  const ignore = (): void => undefined
  const body = upstream.encodeAnswer(answer, ids, ignore)
  const whole = client.decodeAnswer(exchange.response(body).value as JsonObject, ignore)
  const encoder = upstream.createStreamEncoder(ids, ignore)
  const text = [...answerEvents(answer)].map(event => encoder.push(event)).join('')
  const stream = exchange.stream()
  let received = ''
  for (let at = 0; at < text.length; at += 7) received += stream.push(text.slice(at, at + 7))
  received += stream.end()
  const decoder = client.createStreamDecoder(ignore)
  const frames = client.frames.createReader(1e6).push(received)
  const events = [...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()]
  return { whole: callOf(whole), streamed: callOf(foldEvents(events)) }
}

function callOf({ turns }: Answer): CallPart | undefined {
  return turns.flatMap(({ parts }) => parts).find(part => part.kind === 'call') as CallPart | undefined
}

export function open(options: Pick<ExchangeOptions, 'from' | 'to'> & Partial<ExchangeOptions>) {
  return createExchange({ ...ids, ...options })
}

/** The same small conversation on each wire, and readers of what a client received. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { ScriptedTurn } from '@toolwire/core/testing'
import { createScriptedModel } from '@toolwire/core/testing'
import type { SseFrame } from '../../../packages/core/src/sse/sse-parser.ts'
import { createSseParser } from '../../../packages/core/src/sse/sse-parser.ts'

export { pairs, wires } from '../wires.ts'

export const paths: { readonly [W in Wire]: string } = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const messages = [{ role: 'user', content: 'Hello' }]

const bodies: { readonly [W in Wire]: object } = {
  chat: { messages, tools: [{ type: 'function', function: { name: 'weather', parameters } }] },
  responses: { input: 'Hello', tools: [{ type: 'function', name: 'weather', parameters, strict: false }] },
  messages: { messages, max_tokens: 100, tools: [{ name: 'weather', input_schema: parameters }] },
}

/** A request that any wire can carry to any other. */
export function bodyFor(wire: Wire, more: object = {}): object {
  return { model: 'm', ...bodies[wire], ...more }
}

const turn: ScriptedTurn = {
  text: 'It rains in Oslo today.',
  calls: [{ name: 'weather', id: 'call_1', arguments: { city: 'Oslo' } }],
  usage: { input: 7, output: 9 },
}

export const textTurn: ScriptedTurn = { text: 'Fine.', usage: { input: 3, output: 2 } }

/** The turn as a server of that wire streams it, event by event. */
export async function framesOf(wire: Wire, scripted: ScriptedTurn = turn): Promise<string[]> {
  const model = createScriptedModel({ wire, script: [scripted] })
  const answer = await model.send(
    bodyFor(wire, { stream: true, ...(wire === 'chat' && { stream_options: { include_usage: true } }) }),
  )
  const frames: string[] = []
  for await (const frame of answer as AsyncIterable<string>) frames.push(frame)
  return frames
}

export async function answerOf(wire: Wire, scripted: ScriptedTurn = textTurn): Promise<object> {
  return (await createScriptedModel({ wire, script: [scripted] }).send(bodyFor(wire))) as object
}

export function eventsOf(text: string): SseFrame[] {
  const parser = createSseParser()
  return [...parser.push(text), ...parser.end()]
}

type Data = Record<string, unknown>

function dataOf(text: string): Data[] {
  return eventsOf(text)
    .filter(({ data }) => data !== '[DONE]' && data.trim() !== '')
    .map(({ data }) => JSON.parse(data) as Data)
}

/** How a stream ended for the client: `cut` when it has no terminal event. */
export function endOf(
  wire: Wire,
  text: string,
): { readonly end: 'good' | 'failed' | 'cut'; readonly message?: string } {
  const all = dataOf(text)
  const failures = all.flatMap(data => failureIn(wire, data))
  const good =
    wire === 'chat' ? eventsOf(text).at(-1)?.data === '[DONE]' : all.some(data => isGoodEnd(wire, data))
  const [message] = failures
  if (message !== undefined) return good ? { end: 'good', message } : { end: 'failed', message }
  return { end: good ? 'good' : 'cut' }
}

function failureIn(wire: Wire, data: Data): string[] {
  const holder = wire === 'responses' ? (data.type === 'response.failed' ? data.response : undefined) : data
  const error = (holder as { error?: { message?: unknown } | null } | undefined)?.error
  return error === undefined || error === null ? [] : [String(error.message)]
}

function isGoodEnd(wire: Wire, { type }: Data): boolean {
  return wire === 'messages'
    ? type === 'message_stop'
    : type === 'response.completed' || type === 'response.incomplete'
}

/** The message of an error in the wire's shape; `undefined` for any other body. */
export function errorIn(wire: Wire, body: unknown): string | undefined {
  const { type, error } = body as { type?: unknown; error?: Data }
  if (typeof error?.message !== 'string' || typeof error.type !== 'string') return undefined
  const isMessages = type === 'error'
  const isOpenAi = 'param' in error && 'code' in error
  return (wire === 'messages' ? isMessages && !isOpenAi : isOpenAi && !isMessages) ? error.message : undefined
}

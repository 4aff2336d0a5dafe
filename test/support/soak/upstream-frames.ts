/** What the upstreams of a simulation send: planned turns on each wire, and broken frames and refusals. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { scriptedChat } from '../clients/scripted-chat.ts'
import { scriptedMessages } from '../clients/scripted-messages.ts'
import { scriptedResponses } from '../clients/scripted-responses.ts'
import type { Call, ScriptedWire, Turn } from '../clients/scripted-wire.ts'
import type { History } from '../gateway/history.ts'
import { readChat } from '../gateway/reader-chat.ts'
import { readMessages } from '../gateway/reader-messages.ts'
import { readResponses } from '../gateway/reader-responses.ts'
import type { Plan, PlannedCall, Trouble } from './plan.ts'
import type { Random } from './random.ts'

const scriptedWires: { readonly [W in Wire]: ScriptedWire } = {
  chat: scriptedChat,
  responses: scriptedResponses,
  messages: scriptedMessages,
}

const readers: { readonly [W in Wire]: (body: unknown) => History } = {
  chat: readChat,
  messages: readMessages,
  responses: body => readResponses(body, new Map()),
}

export const readHistory = (wire: Wire, body: unknown): History => readers[wire](body)

/** The planned turn, with calls to the tools that are really on offer. Throws when one is not. */
export function plannedTurn({ n, turns }: Plan, at: number, { tools, usage }: History): Turn {
  const planned = turns[at]
  if (planned === undefined) throw new Error(`nothing is planned for turn ${at}`)
  const calls = planned.calls.map(({ tool, token }, place): Call => {
    const offered = tools.find(({ name }) => name.includes(tool))
    if (offered === undefined) throw new Error(`${tool} is not among ${tools.map(({ name }) => name)}`)
    const [property = 'none'] = Object.keys((offered.schema.properties ?? {}) as object)
    return { id: callId(n, at, place), name: offered.name, input: { [property]: token } }
  })
  return { id: `${n}x${at}`, text: planned.text, calls, usage }
}

export const callId = (n: number, turn: number, place: number): string => `call_${n}_${turn}_${place}`

export const isServerTool = ({ tool }: PlannedCall): boolean => tool === 'lookup' || tool === 'search'

export const framesOf = (wire: Wire, turn: Turn): string[] =>
  scriptedWires[wire].encodeStream(turn).split(/(?<=\n\n)(?=.)/s)

export const wholeOf = (wire: Wire, turn: Turn): string =>
  JSON.stringify(scriptedWires[wire].encodeAnswer(turn))

const terminalMarks: { readonly [W in Wire]: string } = {
  chat: '"finish_reason":"',
  messages: '"type":"message_delta"',
  responses: '"type":"response.completed"',
}

/** Whether it is known from this event on how the answer ends. */
export const isTerminalFrame = (wire: Wire, frame: string): boolean => frame.includes(terminalMarks[wire])

export function errorFrame(wire: Wire, number: number): string {
  const message = 'The model is overloaded.'
  if (wire === 'chat') return `data: ${JSON.stringify({ error: { message, type: 'server_error' } })}\n\n`
  const data =
    wire === 'messages'
      ? { type: 'error', error: { type: 'overloaded_error', message } }
      : { type: 'error', sequence_number: number, code: 'server_error', message, param: null }
  return `event: error\ndata: ${JSON.stringify(data)}\n\n`
}

export const malformed = (frame: string): string => frame.replace(/data: .*\n/, 'data: {"broken": tru\n')

export const pingOf = (wire: Wire): string =>
  wire === 'messages' ? 'event: ping\ndata: {"type": "ping"}\n\n' : ': still here\n\n'

export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function refusalFor(trouble: Trouble, wire: Wire, random: Random): Refusal {
  const json = { 'content-type': 'application/json' }
  if (trouble === 'page') {
    return { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }
  }
  const status = typeof trouble === 'number' ? trouble : 429
  const wait = trouble === 'later' ? 60 : random.between(0, 3)
  const error = { message: `Refused with ${status}.`, type: 'some_error' }
  const inFull = { ...error, param: null, code: null }
  return {
    status,
    headers: status === 429 ? { ...json, 'retry-after': String(wait) } : json,
    body: JSON.stringify(wire === 'messages' ? { type: 'error', error } : { error: inFull }),
  }
}

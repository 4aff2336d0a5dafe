/** The texts that the upstreams of a simulation send: planned turns on each wire, broken frames and refusals. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { scriptedWires } from '../clients/model.ts'
import type { Call, Turn } from '../clients/scripted-wire.ts'
import type { History } from '../gateway/history.ts'
import type { Failure, Plan, PlannedCall } from './plan.ts'
import type { Random } from './random.ts'

/** The planned turn, with calls to the offered tools. Throws when a planned tool is not offered. */
export function plannedTurn({ n, turns }: Plan, at: number, { tools, usage }: History): Turn {
  const planned = turns[at]
  if (planned === undefined) throw new Error(`the plan has no turn ${at}`)
  const calls = planned.calls.map(({ tool, token }, index): Call => {
    const offered = tools.find(({ name }) => name.includes(tool))
    if (offered === undefined) throw new Error(`${tool} is not among ${tools.map(({ name }) => name)}`)
    const [property = 'none'] = Object.keys((offered.schema.properties ?? {}) as object)
    return { id: callId(n, at, index), name: offered.name, input: { [property]: token } }
  })
  return { id: `${n}x${at}`, text: planned.text, calls, usage }
}

export const callId = (n: number, turn: number, index: number): string => `call_${n}_${turn}_${index}`

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

/** Whether this event states how the answer ends. */
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

export function refusalFor(failure: Failure, wire: Wire, random: Random): Refusal {
  const json = { 'content-type': 'application/json' }
  if (failure === 'page') {
    return { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }
  }
  const status = typeof failure === 'number' ? failure : 429
  const wait = failure === 'later' ? 60 : random.between(0, 3)
  const error = { message: `Refused with ${status}.`, type: 'some_error' }
  const openAiError = { ...error, param: null, code: null }
  return {
    status,
    headers: status === 429 ? { ...json, 'retry-after': String(wait) } : json,
    body: JSON.stringify(wire === 'messages' ? { type: 'error', error } : { error: openAiError }),
  }
}

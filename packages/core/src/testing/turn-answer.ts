/** A scripted turn as an answer of the neutral model, which the codec of any wire can write. */

import { compact } from '../json/object.ts'
import type { Answer, ApiError, ErrorKind, FinishReason } from '../model/answer.ts'
import type { CallPart, Part } from '../model/conversation.ts'
import { errorStatus } from '../wires/kit/error-status.ts'
import type { Profile } from '../wires/profile.ts'
import type { ScriptedCall, ScriptedError, ScriptedTurn } from './scripted-turn.ts'

interface Speaker {
  readonly wire: string
  /** What the ids of calls begin with. */
  readonly callIdPrefix: string
  readonly newId: (prefix: string) => string
}

export function answerOf(turn: ScriptedTurn, speaker: Speaker): Answer {
  const parts = partsOf(turn, speaker)
  const { input, output, ...counts } = turn.usage ?? { input: 0, output: 0 }
  return {
    turns: parts.length === 0 ? [] : [{ role: 'assistant', parts, root: [] }],
    finish: { reason: turn.finish ?? finishOf(turn) },
    usage: { input, output, ...compact(counts) },
  }
}

function finishOf({ calls = [], refusal }: ScriptedTurn): FinishReason {
  if (calls.length > 0) return 'calls'
  return refusal === undefined ? 'stop' : 'refusal'
}

function partsOf(turn: ScriptedTurn, speaker: Speaker): Part[] {
  const { reasoning, text, refusal, calls = [] } = turn
  const parts: Part[] = []
  if (reasoning !== undefined) {
    const { text: thought, seal } = typeof reasoning === 'string' ? { text: reasoning } : reasoning
    const sealed = seal === undefined ? {} : { seal: { wire: speaker.wire, value: seal } }
    parts.push({ kind: 'reasoning', summary: [thought], text: [], path: [], ...sealed })
  }
  if (text !== undefined) parts.push({ kind: 'text', text, path: [] })
  if (refusal !== undefined) parts.push({ kind: 'refusal', text: refusal, path: [] })
  const last = calls.length - 1
  return [
    ...parts,
    ...calls.map((call, i) => callPart(call, turn.finish === 'length' && i === last, speaker)),
  ]
}

/** What the limit cut off is the end of what was said: of the last call, if there is one. */
function callPart(call: ScriptedCall, isCut: boolean, { callIdPrefix, newId }: Speaker): CallPart {
  return {
    kind: 'call',
    form: call.input === undefined ? 'function' : 'custom',
    id: call.id ?? newId(callIdPrefix),
    name: call.name,
    input: call.input ?? argumentsText(call.arguments),
    status: isCut ? 'incomplete' : 'completed',
    path: [],
    ...compact({ namespace: call.namespace }),
  }
}

function argumentsText(value: object | string): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface Refusal {
  readonly status: number
  readonly error: ApiError
}

/** The status and the error that a turn refuses its request with, if it does. */
export function refusalOf({ status, error, body }: ScriptedTurn, profile: Profile): Refusal | undefined {
  if (error === undefined && (status === undefined || status < 400 || body !== undefined)) return undefined
  const told = apiError(error ?? `The script refuses this request with status ${status}.`, status)
  const usual = told.kind === 'overloaded' ? profile.overloadedStatus : errorStatus[told.kind]
  return { status: status ?? usual, error: told }
}

export function apiError(error: string | ScriptedError, status?: number): ApiError {
  const {
    message,
    kind = kindOfStatus(status),
    ...more
  } = typeof error === 'string' ? { message: error } : error
  return { kind, message, ...compact(more) }
}

function kindOfStatus(status: number | undefined): ErrorKind {
  if (status === undefined) return 'server'
  const known = (Object.keys(errorStatus) as ErrorKind[]).find(kind => errorStatus[kind] === status)
  if (known !== undefined) return known
  if (status === 529) return 'overloaded'
  return status >= 500 ? 'server' : 'invalid_request'
}

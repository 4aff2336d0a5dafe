/** Resumes a conversation with the results of pending calls and the next input. */

import { isObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { MediaSource, Part, ResultPart, Turn } from '../model/conversation.ts'
import type { ContentPart } from '../runtime/calls/outcome.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import type { WireSession } from './session.ts'
import type { ConversationState } from './state.ts'

/** The result of a pending call that the caller has run. */
export interface PendingCallResult {
  readonly callId: string
  /** A string, or parts as in `toolResult` and in the outcomes of calls. */
  readonly content: string | readonly ContentPart[]
  readonly isError?: boolean
}

export interface Resumption {
  readonly results?: readonly PendingCallResult[] | undefined
  readonly input?: unknown
}

export function resume(
  session: WireSession,
  state: ConversationState,
  { results = [], input }: Resumption,
  codec: WireConversation,
): void {
  const parts = readResults(results, state)
  const turns = input === undefined ? [] : readInput(input, codec)
  const hosted = state.pending.filter(({ form }) => form === 'hosted')
  if (hosted.length > 0 && turns.length === 0) {
    const names = hosted.map(({ id, name }) => `"${id}" (${name})`).join(', ')
    throw new TypeError(`These items wait for an answer of their own kind: ${names}. Pass it in "input".`)
  }
  if (isAnswered(state) && turns.length === 0) {
    throw new TypeError(
      `The conversation stopped with "${state.reason}" and there is nothing to send; pass the next message in "input".`,
    )
  }
  if (parts.length > 0) session.addResults(parts)
  session.addTurns(turns)
}

/** True if the last turn is a complete answer, so that there is nothing to request. */
function isAnswered({ reason, fresh, rounds }: ConversationState): boolean {
  return rounds > 0 && fresh === 0 && ['answer', 'refusal', 'length', 'filter'].includes(reason)
}

function readResults(results: unknown, { pending }: ConversationState): ResultPart[] {
  if (!Array.isArray(results)) throw new TypeError(`"results" must be a list; got ${show(results)}.`)
  const byCallId = new Map<unknown, ResultPart>()
  const open = new Map(pending.filter(({ form }) => form !== 'hosted').map(call => [call.id, call]))
  for (const [i, result] of results.entries()) {
    const { callId, content, isError } = isObject(result) ? result : {}
    const call = typeof callId === 'string' ? open.get(callId) : undefined
    if (call === undefined)
      throw new TypeError(`"results[${i}].callId" is ${show(callId)}; no pending call has that id.`)
    if (byCallId.has(callId))
      throw new TypeError(`"results[${i}]" answers the call ${show(callId)} a second time.`)
    byCallId.set(callId, {
      kind: 'result',
      form: call.form === 'custom' ? 'custom' : 'function',
      callId: call.id,
      path: [],
      ...readContent(content, i),
      ...(isError === true && { isError }),
    })
  }
  const missing = [...open.values()].filter(({ id }) => !byCallId.has(id))
  if (missing.length > 0) {
    const names = missing.map(({ id, name }) => `"${id}" (${name})`).join(', ')
    throw new TypeError(`These calls wait for results: ${names}. Pass one for each in "results".`)
  }
  return [...byCallId.values()]
}

function readContent(content: unknown, i: number): Pick<ResultPart, 'content' | 'plain'> {
  if (typeof content === 'string')
    return { content: [{ kind: 'text', text: content, path: [] }], plain: true }
  if (Array.isArray(content) && content.length > 0 && content.every(isPart))
    return { content: content.map(part => ({ ...part, path: [] })) }
  const parts =
    'a list of parts such as toolResult makes: a text with its "text", an image or a file with its "source"'
  throw new TypeError(`"results[${i}].content" must be a text, or ${parts}; got ${show(content)}.`)
}

function isPart(part: unknown): part is Part {
  if (!isObject(part)) return false
  if (part.kind === 'text') return typeof part.text === 'string'
  return (part.kind === 'image' || part.kind === 'file') && isSource(part.source)
}

/** The fields that each source of media must have. */
const sourceFields: { readonly [T in MediaSource['type']]: readonly string[] } = {
  url: ['url'],
  data: ['mediaType', 'data'],
  file: ['id'],
  text: ['mediaType', 'text'],
}

function isSource(source: unknown): boolean {
  if (!isObject(source) || typeof source.type !== 'string' || !Object.hasOwn(sourceFields, source.type))
    return false
  return sourceFields[source.type as MediaSource['type']].every(key => typeof own(source, key) === 'string')
}

function readInput(input: unknown, codec: WireConversation): Turn[] {
  if (typeof input === 'string')
    return [{ role: 'user', parts: [{ kind: 'text', text: input, path: [] }], root: [], plain: true }]
  const items: unknown[] = Array.isArray(input) ? input : [input]
  if (items.length === 0 || !items.every(isObject))
    throw new TypeError(
      `"input" must be a text, or messages or items of the ${codec.wire} wire; got ${show(input)}.`,
    )
  const turns = codec.decodeRequest({ [codec.habits.history]: items }, () => undefined).turns
  return [...turns]
}

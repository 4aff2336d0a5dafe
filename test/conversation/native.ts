/** Answers in each wire's own words, written by hand, whole or as the events the wire would stream them with. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { JsonObject } from '../../packages/core/src/json/object.ts'
import { answerEvents } from '../../packages/core/src/model/answer-events.ts'
import { builtInConversations } from '../../packages/core/src/wires/registry.ts'

export const wires: readonly Wire[] = ['chat', 'responses', 'messages']

export interface Said {
  readonly text?: string
  readonly refusal?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  readonly finish?: 'length' | 'filter' | 'refusal' | 'pause'
  readonly id?: string
  /** Items or blocks before all others, verbatim. */
  readonly before?: readonly JsonObject[]
}

const textOf = (input: unknown): string => (typeof input === 'string' ? input : JSON.stringify(input))

const writers: { readonly [W in Wire]: (said: Said) => JsonObject } = {
  chat: ({ id = 'chatcmpl-1', text, refusal, calls = [], finish }) => ({
    id,
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text ?? null,
          refusal: refusal ?? null,
          ...(calls.length > 0 && {
            tool_calls: calls.map(call => ({
              id: call.id,
              type: 'function',
              function: { name: call.name, arguments: textOf(call.input) },
            })),
          }),
        },
        logprobs: null,
        finish_reason:
          finish === 'filter'
            ? 'content_filter'
            : finish === 'length'
              ? 'length'
              : calls.length > 0
                ? 'tool_calls'
                : 'stop',
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
  responses: ({ id = 'resp_1', text, refusal, calls = [], finish, before = [] }) => {
    const cut = finish === 'length' || finish === 'filter'
    const reason = finish === 'filter' ? 'content_filter' : 'max_output_tokens'
    const status = cut ? 'incomplete' : 'completed'
    const content = [
      ...(text === undefined ? [] : [{ type: 'output_text', text, annotations: [] }]),
      ...(refusal === undefined ? [] : [{ type: 'refusal', refusal }]),
    ]
    return {
      id,
      object: 'response',
      created_at: 1,
      model: 'm',
      status,
      error: null,
      incomplete_details: cut ? { reason } : null,
      output: [
        ...before,
        ...(content.length === 0
          ? []
          : [{ type: 'message', id: `msg_${id}`, status, role: 'assistant', content }]),
        ...calls.map((call, i) => ({
          type: 'function_call',
          id: `fc_${id}_${i}`,
          call_id: call.id,
          name: call.name,
          arguments: textOf(call.input),
          status,
        })),
      ],
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 15,
      },
    }
  },
  messages: ({ id = 'msg_1', text, refusal, calls = [], finish, before = [] }) => ({
    id,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      ...before,
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...(refusal === undefined ? [] : [{ type: 'text', text: refusal }]),
      ...calls.map(call => ({ type: 'tool_use', id: call.id, name: call.name, input: call.input })),
    ],
    stop_reason:
      finish === 'length'
        ? 'max_tokens'
        : finish === 'pause'
          ? 'pause_turn'
          : finish === 'refusal' || finish === 'filter' || refusal !== undefined
            ? 'refusal'
            : calls.length > 0
              ? 'tool_use'
              : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
}

export function native(wire: Wire, said: Said): JsonObject {
  return writers[wire](said)
}

/** The server-sent events of an answer, each a piece of its own. */
export function streamed(wire: Wire, body: JsonObject, request: JsonObject = {}): string[] {
  const codec = builtInConversations[wire]
  const answer = codec.decodeAnswer(body, () => undefined)
  let ids = 0
  const context = { newId: (prefix: string) => `${prefix}new${++ids}`, now: () => 1, request }
  const encoder = codec.createStreamEncoder(context, () => undefined)
  return [...answerEvents(answer)].map(event =>
    encoder.push(event.type === 'finish' && answer.residue ? { ...event, residue: answer.residue } : event),
  )
}

/** A request in the wire's own words. */
export function asking(wire: Wire, words: string): JsonObject {
  const head = { model: 'm', ...(wire === 'messages' && { max_tokens: 1000 }) }
  return wire === 'responses'
    ? { ...head, input: [{ role: 'user', content: words }] }
    : { ...head, messages: [{ role: 'user', content: words }] }
}

/** The conversation in a request's body. */
export function historyOf(body: object): JsonObject[] {
  const { messages, input } = body as { messages?: JsonObject[]; input?: JsonObject[] }
  return messages ?? input ?? []
}

export interface SeenResult {
  readonly id: unknown
  readonly text: string
  readonly isError: boolean
}

/** The results in a request's body, as the wire's own server reads them. */
export function resultsOf(body: object): SeenResult[] {
  return historyOf(body).flatMap(item => {
    if (item.role === 'tool') return [seen(item.tool_call_id, item.content)]
    if (String(item.type).endsWith('_call_output')) return [seen(item.call_id, item.output)]
    const blocks = Array.isArray(item.content) ? (item.content as JsonObject[]) : []
    return blocks
      .filter(({ type }) => type === 'tool_result')
      .map(block => ({ ...seen(block.tool_use_id, block.content), isError: block.is_error === true }))
  })
}

function seen(id: unknown, content: unknown): SeenResult {
  const text =
    typeof content === 'string'
      ? content
      : ((content ?? []) as { text?: string }[]).map(part => part.text ?? '').join('')
  const mark = '[tool error] '
  return text.startsWith(mark)
    ? { id, text: text.slice(mark.length), isError: true }
    : { id, text, isError: false }
}

/** A model that says one thing after the other. What it is asked is kept. */
export function speaker(
  wire: Wire,
  script: readonly (Said | ((body: JsonObject) => unknown))[],
): { send(body: object, context?: unknown): unknown; asked: JsonObject[] } {
  const asked: JsonObject[] = []
  return {
    asked,
    send(body) {
      const copy = JSON.parse(JSON.stringify(body)) as JsonObject
      const next = script[asked.length]
      asked.push(copy)
      if (next === undefined) throw new Error(`The script ends before request ${asked.length}.`)
      if (typeof next === 'function') return next(copy)
      const answer = native(wire, next)
      return copy.stream === true ? streamed(wire, answer, copy) : answer
    },
  }
}

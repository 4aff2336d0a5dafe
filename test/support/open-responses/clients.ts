/**
 * Minimal clients of the three wires: how each sends a request, reads an answer or a stream, and returns the results of
 * its calls. They share no code with the library's codecs.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { checkEventOrder } from '../streams/event-order.ts'
import type { Json, ReceivedAnswer } from './gateway.ts'
import { checkResponse } from './schema.ts'
import { checkStream, eventsOf } from './stream.ts'

export interface ReadAnswer {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string }[]
  readonly end: unknown
  readonly usage: { readonly input: unknown; readonly output: unknown }
  /** The turns that the client adds to its history, in the shape of its wire. */
  readonly turns: readonly Json[]
}

interface Client {
  readonly path: string
  body(turns: readonly Json[], tools: readonly string[], more?: Json): Json
  user(text: string): Json
  results(results: Readonly<Record<string, string>>): Json[]
  /** Reads an answer; throws when it is not valid on this wire. */
  read(answer: ReceivedAnswer): ReadAnswer
}

const isStream = ({ headers }: ReceivedAnswer): boolean =>
  headers['content-type']?.startsWith('text/event-stream') === true

function throwIfAny(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join('; '))
}

const schema = { type: 'object', properties: {} }

const chat: Client = {
  path: '/v1/chat/completions',
  user: content => ({ role: 'user', content }),
  body: (messages, tools, more = {}) => ({
    model: 'm',
    messages,
    ...(tools.length > 0 && {
      tools: tools.map(name => ({ type: 'function', function: { name, parameters: schema } })),
    }),
    ...(more.stream === true && { stream_options: { include_usage: true } }),
    ...more,
  }),
  results: results =>
    Object.entries(results).map(([tool_call_id, content]) => ({ role: 'tool', tool_call_id, content })),
  read(answer) {
    const { message, finish_reason, usage } = isStream(answer) ? foldChat(answer) : wholeChat(answer.json())
    const calls = (message.tool_calls ?? []) as { id: string; function: { name: string } }[]
    return {
      text: String(message.content ?? ''),
      calls: calls.map(({ id, function: { name } }) => ({ id, name })),
      end: finish_reason,
      usage: { input: usage.prompt_tokens, output: usage.completion_tokens },
      turns: [message],
    }
  },
}

interface ChatAnswer {
  readonly message: Json
  readonly finish_reason: unknown
  readonly usage: Json
}

function wholeChat(body: Json): ChatAnswer {
  const [choice] = body.choices as { message: Json; finish_reason: unknown }[]
  return { message: {}, finish_reason: undefined, ...choice, usage: (body.usage ?? {}) as Json }
}

function foldChat({ text }: ReceivedAnswer): ChatAnswer {
  throwIfAny(checkEventOrder('chat', text))
  const chunks = eventsOf(text) as { choices: { delta: Json; finish_reason?: unknown }[]; usage?: Json }[]
  const deltas = chunks.flatMap(({ choices }) => choices)
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = []
  for (const part of deltas.flatMap(({ delta }) => (delta.tool_calls ?? []) as Json[])) {
    const { index, id, function: piece } = part as { index: number; id?: string; function: Json }
    const call = calls[index] ?? {
      id: String(id),
      type: 'function',
      function: { name: String(piece.name), arguments: '' },
    }
    call.function.arguments += piece.arguments ?? ''
    calls[index] = call
  }
  const content = deltas.map(({ delta }) => delta.content ?? '').join('')
  return {
    message: {
      role: 'assistant',
      content: content === '' ? null : content,
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    finish_reason: deltas.find(({ finish_reason }) => (finish_reason ?? null) !== null)?.finish_reason,
    usage: chunks.findLast(({ usage }) => (usage ?? null) !== null)?.usage ?? {},
  }
}

const messages: Client = {
  path: '/v1/messages',
  user: content => ({ role: 'user', content }),
  body: (turns, tools, more = {}) => ({
    model: 'm',
    max_tokens: 1000,
    messages: turns,
    ...(tools.length > 0 && { tools: tools.map(name => ({ name, input_schema: schema })) }),
    ...more,
  }),
  results: results => [
    {
      role: 'user',
      content: Object.entries(results).map(([tool_use_id, content]) => ({
        type: 'tool_result',
        tool_use_id,
        content,
      })),
    },
  ],
  read(answer) {
    const body = isStream(answer) ? foldMessages(answer) : answer.json()
    const blocks = body.content as Json[]
    const usage = body.usage as Json
    return {
      text: blocks.map(({ type, text }) => (type === 'text' ? text : '')).join(''),
      calls: blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name }) => ({ id: String(id), name: String(name) })),
      end: body.stop_reason,
      usage: { input: usage.input_tokens, output: usage.output_tokens },
      turns: [{ role: 'assistant', content: blocks }],
    }
  },
}

function foldMessages({ text }: ReceivedAnswer): Json {
  throwIfAny(checkEventOrder('messages', text))
  let body: Json = {}
  const blocks: Json[] = []
  const inputs: string[] = []
  for (const event of eventsOf(text)) {
    const at = Number(event.index)
    const delta = (event.delta ?? {}) as Json
    if (event.type === 'message_start') body = event.message as Json
    if (event.type === 'content_block_start') blocks[at] = event.content_block as Json
    if (delta.type === 'text_delta') blocks[at] = { ...blocks[at], text: `${blocks[at]?.text}${delta.text}` }
    if (delta.type === 'input_json_delta') inputs[at] = `${inputs[at] ?? ''}${delta.partial_json}`
    if (event.type === 'message_delta')
      body = { ...body, ...delta, usage: { ...(body.usage as Json), ...(event.usage as Json) } }
  }
  const whole = blocks.map((block, at) =>
    inputs[at] === undefined ? block : { ...block, input: JSON.parse(inputs[at]) as unknown },
  )
  return { ...body, content: whole }
}

const responses: Client = {
  path: '/v1/responses',
  user: content => ({ role: 'user', content }),
  body: (input, tools, more = {}) => ({
    model: 'm',
    input,
    ...(tools.length > 0 && { tools: tools.map(name => ({ type: 'function', name, parameters: schema })) }),
    ...more,
  }),
  results: results =>
    Object.entries(results).map(([call_id, output]) => ({ type: 'function_call_output', call_id, output })),
  read(answer) {
    const body = isStream(answer) ? (eventsOf(answer.text).at(-1)?.response as Json) : answer.json()
    throwIfAny(isStream(answer) ? checkStream(answer.writes) : checkResponse(body))
    const output = body.output as Json[]
    const usage = (body.usage ?? {}) as Json
    const parts = output.filter(({ type }) => type === 'message').flatMap(({ content }) => content as Json[])
    return {
      text: parts.map(({ text }) => text).join(''),
      calls: output
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id, name }) => ({ id: String(call_id), name: String(name) })),
      end: body.status,
      usage: { input: usage.input_tokens, output: usage.output_tokens },
      turns: output,
    }
  },
}

export const clients: { readonly [W in Wire]: Client } = { chat, responses, messages }

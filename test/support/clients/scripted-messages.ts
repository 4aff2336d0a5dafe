/** The scripted model's side of Messages. */
import { z } from 'zod'
import type { Call, ReceivedRequest, ScriptedWire, Turn } from './scripted-wire.ts'
import { pieces, refuseUnless } from './scripted-wire.ts'

/** Where a prefix to cache may end. */
const cache_control = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish()

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1), cache_control })

const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[\w-]+$/),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  cache_control,
})

const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[\w-]+$/),
  content: z.union([z.string(), z.array(text)]).optional(),
  is_error: z.boolean().optional(),
  cache_control,
})

const userMessage = z.strictObject({
  role: z.literal('user'),
  content: z.union([z.string().min(1), z.array(z.union([text, toolResult])).min(1)]),
})

const assistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z.union([z.string().min(1), z.array(z.union([text, toolUse])).min(1)]),
})

const request = z.strictObject({
  model: z.string(),
  max_tokens: z.int().positive(),
  system: z.union([z.string(), z.array(text)]).optional(),
  messages: z.union([z.tuple([userMessage]), z.tuple([userMessage, assistantMessage, userMessage])]),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('custom').nullish(),
        name: z.string().regex(/^[\w-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object'), properties: z.looseObject({}).nullish() }),
        strict: z.boolean().optional(),
        cache_control,
      }),
    )
    .min(1),
  tool_choice: z
    .strictObject({
      type: z.enum(['auto', 'any', 'none']),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
  stream: z.boolean().optional(),
})

const blocks = <T>(content: string | readonly T[]): readonly (T | z.infer<typeof text>)[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

const textOf = (content: string | readonly { text: string }[] | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('')

function readRequest(body: unknown): ReceivedRequest {
  const { system, messages, tools, stream } = request.parse(body)
  const breakpoints = JSON.stringify(body).split('"cache_control":{').length - 1
  refuseUnless(
    breakpoints <= 4,
    `A maximum of 4 blocks with cache_control may be provided. Found ${breakpoints}.`,
  )
  const [first, turn, answered] = messages
  const user = blocks(first.content).map(block => {
    refuseUnless(block.type === 'text', 'A result comes before any call.')
    return block.text
  })
  return {
    system: textOf(system),
    user: user.join('\n'),
    tools: tools.map(({ name, input_schema }) => ({
      name,
      properties: Object.keys(input_schema.properties ?? {}),
    })),
    stream: stream === true,
    usage: true,
    ...(turn && answered && { before: { ...readTurn(turn), results: results(answered) } }),
  }
}

function readTurn({ content }: z.infer<typeof assistantMessage>): { text: string; calls: Call[] } {
  const all = blocks(content)
  return {
    text: all.flatMap(block => (block.type === 'text' ? [block.text] : [])).join(''),
    calls: all.flatMap(block =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
  }
}

function results({ content }: z.infer<typeof userMessage>): { id: string; text: string }[] {
  return blocks(content).map(block => {
    refuseUnless(block.type === 'tool_result', `A block of type ${block.type} is among the results.`)
    return { id: block.tool_use_id, text: textOf(block.content) }
  })
}

const envelope = ({ id }: Turn, rest: object): object => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  model: 'scripted-messages',
  stop_sequence: null,
  ...rest,
})

const usage = (output_tokens: number): object => ({
  input_tokens: 11,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens,
})

const reason = ({ calls }: Turn): string => (calls.length > 0 ? 'tool_use' : 'end_turn')

function encodeAnswer(turn: Turn): object {
  const calls = turn.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
  return envelope(turn, {
    content: [{ type: 'text', text: turn.text, citations: null }, ...calls],
    stop_reason: reason(turn),
    usage: usage(7),
  })
}

/** A call without arguments streams one empty delta, as the service does. */
function encodeStream(turn: Turn): string {
  const frames: string[] = []
  const send = (type: string, rest: object = {}): void => {
    frames.push(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
  }
  const block = (index: number, start: object, deltas: readonly object[]): void => {
    send('content_block_start', { index, content_block: start })
    for (const delta of deltas) send('content_block_delta', { index, delta })
    send('content_block_stop', { index })
  }
  send('message_start', { message: envelope(turn, { content: [], stop_reason: null, usage: usage(1) }) })
  send('ping')
  block(
    0,
    { type: 'text', text: '' },
    pieces(turn.text).map(text => ({ type: 'text_delta', text })),
  )
  for (const [n, { id, name, input }] of turn.calls.entries()) {
    const json = Object.keys(input).length === 0 ? [] : pieces(JSON.stringify(input))
    const deltas = ['', ...json].map(partial_json => ({ type: 'input_json_delta', partial_json }))
    block(n + 1, { type: 'tool_use', id, name, input: {} }, deltas)
  }
  send('message_delta', {
    delta: { stop_reason: reason(turn), stop_sequence: null },
    usage: { output_tokens: 7 },
  })
  send('message_stop')
  return frames.join('')
}

export const scriptedMessages: ScriptedWire = {
  callId: n => `toolu_0${n}`,
  readRequest,
  encodeAnswer,
  encodeStream,
}

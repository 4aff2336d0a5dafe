/** The scripted model's side of Responses. */
import { z } from 'zod'
import type { Call, ReceivedRequest, ScriptedWire, Turn } from './scripted-wire.ts'
import { pieces, refuseUnless } from './scripted-wire.ts'

const parts = (type: 'input_text' | 'output_text') =>
  z.array(
    z.strictObject({ type: z.literal(type), text: z.string(), annotations: z.array(z.unknown()).optional() }),
  )

const status = z.enum(['in_progress', 'completed', 'incomplete']).optional()

const inputMessage = z.strictObject({
  type: z.literal('message').optional(),
  role: z.enum(['system', 'developer', 'user']),
  content: z.union([z.string(), parts('input_text')]),
})

const outputMessage = z.strictObject({
  type: z.literal('message').optional(),
  role: z.literal('assistant'),
  id: z.string().startsWith('msg_').optional(),
  status,
  content: z.union([z.string(), parts('output_text')]),
})

const call = z.strictObject({
  type: z.literal('function_call'),
  id: z.string().startsWith('fc').optional(),
  call_id: z.string().min(1).max(64),
  name: z.string(),
  arguments: z.string(),
  status,
})

const result = z.strictObject({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: z.union([z.string(), parts('input_text')]),
  status,
})

const request = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.union([inputMessage, outputMessage, call, result]))]),
  instructions: z.string().nullish(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name: z.string().regex(/^[\w-]{1,64}$/),
        description: z.string().nullish(),
        parameters: z.record(z.string(), z.unknown()).nullable(),
        strict: z.boolean().nullish(),
      }),
    )
    .min(1),
  tool_choice: z.enum(['auto', 'none', 'required']).optional(),
  parallel_tool_calls: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  include: z.array(z.literal('reasoning.encrypted_content')).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().nullish(),
  max_output_tokens: z.int().min(16).nullish(),
})

type Item =
  | z.infer<typeof inputMessage>
  | z.infer<typeof outputMessage>
  | z.infer<typeof call>
  | z.infer<typeof result>

const textOf = (value: string | readonly { text: string }[]): string =>
  typeof value === 'string' ? value : value.map(({ text }) => text).join('')

function readRequest(body: unknown): ReceivedRequest {
  const { input, instructions, tools, stream } = request.parse(body)
  const items: readonly Item[] =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input
  const kinds = items.map(item => ('role' in item ? item.role : item.type)).join(' ')
  refuseUnless(
    /^((system|developer|user) ?)+(assistant ?)?((function_call ?)+(function_call_output ?)+)?$/.test(kinds),
    `Items in an order that is not a turn and its results: ${kinds}.`,
  )
  const by = (...roles: string[]): string[] =>
    items.flatMap(item => ('role' in item && roles.includes(item.role) ? [textOf(item.content)] : []))
  const calls: Call[] = items
    .filter(item => item.type === 'function_call')
    .map(({ call_id: id, name, arguments: text }) => ({
      id,
      name,
      input: z.record(z.string(), z.unknown()).parse(JSON.parse(text)),
    }))
  const results = items
    .filter(item => item.type === 'function_call_output')
    .map(({ call_id: id, output }) => ({ id, text: textOf(output) }))
  return {
    system: [...(instructions == null ? [] : [instructions]), ...by('system', 'developer')].join('\n'),
    user: by('user').join('\n'),
    tools: tools.map(({ name, parameters }) => ({
      name,
      properties: Object.keys(z.looseObject({}).parse(parameters?.properties ?? {})),
    })),
    stream: stream === true,
    usage: true,
    ...(calls.length > 0 && { before: { text: by('assistant').join(''), calls, results } }),
  }
}

interface OutputItem {
  readonly id: string
  readonly type: 'message' | 'function_call'
  readonly [key: string]: unknown
}

const textPart = (text: string): object => ({ type: 'output_text', annotations: [], logprobs: [], text })

const message = (turn: Turn): OutputItem => ({
  id: `msg_${turn.id}`,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [textPart(turn.text)],
})

const functionCall = ({ id, name, input }: Call): OutputItem => ({
  id: `fc_${id}`,
  type: 'function_call',
  status: 'completed',
  arguments: JSON.stringify(input),
  call_id: id,
  name,
})

const envelope = (turn: Turn, rest: object): object => ({
  id: `resp_${turn.id}`,
  object: 'response',
  created_at: 1_790_000_000,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: 'scripted-responses',
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  ...rest,
})

function encodeAnswer(turn: Turn): object {
  return envelope(turn, {
    status: 'completed',
    output: [message(turn), ...turn.calls.map(functionCall)],
    usage: {
      input_tokens: 11,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 18,
    },
  })
}

function encodeStream(turn: Turn): string {
  const frames: string[] = []
  const send = (type: string, rest: object): void => {
    const data = { type, sequence_number: frames.length, ...rest }
    frames.push(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  const open = envelope(turn, { status: 'in_progress', output: [], usage: null })
  send('response.created', { response: open })
  send('response.in_progress', { response: open })
  encodeMessage(send, turn)
  for (const [n, call] of turn.calls.entries()) {
    const item = functionCall(call)
    const at = { item_id: item.id, output_index: n + 1 }
    send('response.output_item.added', {
      output_index: n + 1,
      item: { ...item, status: 'in_progress', arguments: '' },
    })
    for (const delta of pieces(JSON.stringify(call.input)))
      send('response.function_call_arguments.delta', { ...at, delta })
    send('response.function_call_arguments.done', { ...at, arguments: item.arguments })
    send('response.output_item.done', { output_index: n + 1, item })
  }
  send('response.completed', { response: encodeAnswer(turn) })
  return frames.join('')
}

function encodeMessage(send: (type: string, rest: object) => void, turn: Turn): void {
  const item = message(turn)
  const at = { item_id: item.id, output_index: 0, content_index: 0 }
  send('response.output_item.added', {
    output_index: 0,
    item: { ...item, status: 'in_progress', content: [] },
  })
  send('response.content_part.added', { ...at, part: textPart('') })
  for (const delta of pieces(turn.text)) send('response.output_text.delta', { ...at, delta, logprobs: [] })
  send('response.output_text.done', { ...at, text: turn.text, logprobs: [] })
  send('response.content_part.done', { ...at, part: textPart(turn.text) })
  send('response.output_item.done', { output_index: 0, item })
}

export const scriptedResponses: ScriptedWire = {
  callId: n => `call_responses${n}`,
  readRequest,
  encodeAnswer,
  encodeStream,
}

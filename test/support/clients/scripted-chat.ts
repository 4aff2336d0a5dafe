/** The scripted model's side of Chat Completions. */
import { z } from 'zod'
import type { Call, ReceivedRequest, ScriptedWire, Turn } from './scripted-wire.ts'
import { pieces, refuseUnless } from './scripted-wire.ts'

const textParts = z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1)
const content = z.union([z.string(), textParts])

const assistant = z.strictObject({
  role: z.literal('assistant'),
  content: content.nullish(),
  tool_calls: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(40),
        type: z.literal('function'),
        function: z.strictObject({ name: z.string(), arguments: z.string() }),
      }),
    )
    .min(1)
    .optional(),
})

const request = z.strictObject({
  model: z.string(),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({ role: z.enum(['system', 'developer', 'user']), content }),
      assistant,
      z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content }),
    ]),
  ),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()).optional(),
          strict: z.boolean().nullish(),
        }),
      }),
    )
    .min(1),
  tool_choice: z.enum(['auto', 'none', 'required']).optional(),
  parallel_tool_calls: z.boolean().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
  store: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  max_tokens: z.int().positive().nullish(),
})

type Content = z.infer<typeof content>

const textOf = (value: Content | null | undefined): string =>
  typeof value === 'string' ? value : (value ?? []).map(({ text }) => text).join('')

function readRequest(body: unknown): ReceivedRequest {
  const { messages, tools, stream, stream_options } = request.parse(body)
  refuseUnless(
    stream_options == null || stream === true,
    'stream_options is only allowed when stream is true.',
  )
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer')
  const user = messages.filter(({ role }) => role === 'user')
  const at = messages.findIndex(({ role }) => role === 'assistant')
  refuseUnless(at === -1 || at === system.length + user.length, 'The assistant must come after the user.')
  const turn = assistant.safeParse(messages[at]).data
  return {
    system: system.map(message => textOf(message.content)).join('\n'),
    user: user.map(message => textOf(message.content)).join('\n'),
    tools: tools.map(({ function: { name, parameters } }) => ({
      name,
      properties: Object.keys(z.looseObject({}).parse(parameters?.properties ?? {})),
    })),
    stream: stream === true,
    usage: stream_options?.include_usage === true,
    ...(turn && { before: { ...readTurn(turn), results: results(messages.slice(at + 1)) } }),
  }
}

function readTurn({ content, tool_calls }: z.infer<typeof assistant>): { text: string; calls: Call[] } {
  refuseUnless(content != null || tool_calls !== undefined, 'An assistant message needs content or calls.')
  const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
    id,
    name,
    input: z.record(z.string(), z.unknown()).parse(JSON.parse(text)),
  }))
  return { text: textOf(content), calls }
}

/** All calls are in one message, so everything after it answers them. */
function results(messages: z.infer<typeof request>['messages']): { id: string; text: string }[] {
  return messages.map(message => {
    refuseUnless(message.role === 'tool', `A message of role ${message.role} is among the results.`)
    return { id: message.tool_call_id, text: textOf(message.content) }
  })
}

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }

function encodeAnswer({ id, text, calls }: Turn): object {
  const tool_calls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  return {
    id: `chatcmpl-${id}`,
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'scripted-chat',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          refusal: null,
          annotations: [],
          ...(calls.length > 0 && { tool_calls }),
        },
        logprobs: null,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage,
  }
}

/** The arguments of parallel calls are interleaved, which the wire allows: a reader must use the index. */
function encodeStream({ id, text, calls, usage: wanted }: Turn): string {
  const frames: object[] = []
  const chunk = (choices: readonly object[], rest: object = {}): void => {
    const head = { id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1_790_000_000 }
    frames.push({ ...head, model: 'scripted-chat', choices, ...(wanted && { usage: null }), ...rest })
  }
  const delta = (value: object, finish_reason: string | null = null): void =>
    chunk([{ index: 0, delta: value, logprobs: null, finish_reason }])

  delta({ role: 'assistant', content: '', refusal: null })
  for (const piece of pieces(text)) delta({ content: piece })
  for (const [index, { id, name }] of calls.entries())
    delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
  const waiting = calls.map(({ input }) => pieces(JSON.stringify(input)))
  while (waiting.some(rest => rest.length > 0))
    for (const [index, rest] of waiting.entries()) {
      const piece = rest.shift()
      if (piece !== undefined) delta({ tool_calls: [{ index, function: { arguments: piece } }] })
    }
  delta({}, calls.length > 0 ? 'tool_calls' : 'stop')
  if (wanted) chunk([], { usage })
  return `${frames.map(frame => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`
}

export const scriptedChat: ScriptedWire = {
  callId: n => `call_chat${n}`,
  readRequest,
  encodeAnswer,
  encodeStream,
}

/**
 * Random conversations of an agent, and each request that it sends on the way: every one is the one before with something
 * appended, as clients of a wire write it.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import fc from 'fast-check'

type Json = Record<string, unknown>

interface Medium {
  readonly image: boolean
}

interface Call {
  readonly tool: 'plain' | 'odd' | 'free' | 'grouped'
  readonly input: string
  readonly result: string
  readonly media: Medium | null
  readonly failed: boolean
}

interface Round {
  /** What the user says; a picture may come with it. */
  readonly text: string
  readonly media: Medium | null
  /** Instructions in the middle of the conversation. */
  readonly instruction: string | null
  /** What the model does before it answers: each entry is one answer with calls. */
  readonly steps: readonly {
    readonly thought: string | null
    readonly said: string
    readonly calls: readonly Call[]
  }[]
  readonly thought: string | null
  readonly answer: string
}

export interface Conversation {
  readonly head: Json
  readonly field: 'messages' | 'input'
  /** What each request adds to the history. */
  readonly added: readonly (readonly Json[])[]
}

const text = fc.string({ minLength: 1, maxLength: 8 })
const medium: fc.Arbitrary<Medium | null> = fc.option(fc.record({ image: fc.boolean() }), { freq: 3 })
const call: fc.Arbitrary<Call> = fc.record({
  tool: fc.constantFrom<Call['tool']>('plain', 'odd', 'free', 'grouped'),
  input: text,
  result: text,
  media: medium,
  failed: fc.boolean(),
})
const thought = fc.option(text)
const round: fc.Arbitrary<Round> = fc.record({
  text,
  media: medium,
  instruction: fc.option(text, { freq: 4 }),
  steps: fc.array(
    fc.record({
      thought,
      said: fc.oneof(fc.constant(''), text),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 2 },
  ),
  thought,
  answer: text,
})

export function conversationOf(wire: Wire): fc.Arbitrary<Conversation> {
  return fc.array(round, { minLength: 2, maxLength: 3 }).map(rounds => write[wire](rounds))
}

const schema = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] }
const names = { plain: 'look', odd: 'a very.odd/näme '.repeat(6), free: 'patch', grouped: 'find' }
const png = 'aGk='

interface Writer {
  instruction(text: string): Json[]
  user(text: string, media: Medium | null): Json[]
  /** An answer of the model. `ids` are those of its calls. */
  assistant(
    said: { readonly thought: string | null; readonly said: string; readonly calls: readonly Call[] },
    ids: readonly string[],
  ): Json[]
  results(calls: readonly Call[], ids: readonly string[]): Json[]
}

/** Ids as servers make them: some are longer than others take, or have other characters. */
function idOf(number: number): string {
  return [`call_${number}`, `functions.look:${number}`, `${number}_${'x'.repeat(80)}`][number % 3] ?? ''
}

/** Each request ends with what the user said, or with the results of all calls. */
function added(rounds: readonly Round[], writer: Writer): Json[][] {
  const requests: Json[][] = []
  let pending: Json[] = []
  let count = 0
  for (const { text, media, instruction, steps, thought, answer } of rounds) {
    if (instruction !== null) pending.push(...writer.instruction(instruction))
    requests.push([...pending, ...writer.user(text, media)])
    for (const step of steps) {
      const ids = step.calls.map(() => idOf(count++))
      requests.push([...writer.assistant(step, ids), ...writer.results(step.calls, ids)])
    }
    pending = writer.assistant({ thought, said: answer, calls: [] }, [])
  }
  return requests
}

const chat: Writer = {
  instruction: content => [{ role: 'system', content }],
  user: (content, media) => [
    media === null
      ? { role: 'user', content }
      : { role: 'user', content: [{ type: 'text', text: content }, chatMedium(media)] },
  ],
  assistant: ({ thought, said, calls }, ids) => [
    {
      role: 'assistant',
      content: said === '' ? null : said,
      ...(thought !== null && { reasoning_content: thought }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ tool, input }, at) =>
          tool === 'free'
            ? { id: ids[at], type: 'custom', custom: { name: names.free, input } }
            : {
                id: ids[at],
                type: 'function',
                function: { name: names[tool], arguments: JSON.stringify({ at: input }) },
              },
        ),
      }),
    },
  ],
  results: (calls, ids) =>
    calls.map(({ result, media, failed }, at) => ({
      role: 'tool',
      tool_call_id: ids[at],
      // Some clients put pictures here, which OpenAI refuses and other servers take.
      content:
        media === null
          ? `${failed ? '[tool error] ' : ''}${result}`
          : [{ type: 'text', text: result }, chatMedium(media)],
    })),
}

function chatMedium({ image }: Medium): Json {
  return image
    ? { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
    : { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${png}` } }
}

const messages: Writer = {
  instruction: content => [{ role: 'system', content }],
  user: (content, media) => [
    {
      role: 'user',
      content: media === null ? content : [{ type: 'text', text: content }, messagesMedium(media)],
    },
  ],
  assistant: ({ thought, said, calls }, ids) => [
    {
      role: 'assistant',
      content: [
        ...(thought === null ? [] : [{ type: 'thinking', thinking: thought, signature: `sig ${thought}` }]),
        ...(said === '' ? [] : [{ type: 'text', text: said }]),
        ...calls.map(({ tool, input }, at) => ({
          type: 'tool_use',
          id: ids[at],
          name: names[tool],
          input: { at: input },
        })),
      ],
    },
  ],
  results: (calls, ids) => [
    {
      role: 'user',
      content: calls.map(({ result, media, failed }, at) => ({
        type: 'tool_result',
        tool_use_id: ids[at],
        content: media === null ? result : [{ type: 'text', text: result }, messagesMedium(media)],
        ...(failed && { is_error: true }),
      })),
    },
  ],
}

function messagesMedium({ image }: Medium): Json {
  const source = { type: 'base64', media_type: image ? 'image/png' : 'application/pdf', data: png }
  return { type: image ? 'image' : 'document', source }
}

const responses: Writer = {
  instruction: content => [{ role: 'developer', content }],
  user: (content, media) => [
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: content }, ...(media === null ? [] : [responsesMedium(media)])],
    },
  ],
  assistant: ({ thought, said, calls }, ids) => [
    ...(thought === null
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${thought.length}`,
            summary: [{ type: 'summary_text', text: thought }],
            encrypted_content: 'sealed',
          },
        ]),
    ...(said === ''
      ? []
      : [
          {
            type: 'message',
            id: `msg_${said.length}`,
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text: said, annotations: [] }],
          },
        ]),
    // What the provider runs itself stands among the calls.
    ...(said.length > 2
      ? [
          {
            type: 'web_search_call',
            id: 'ws_1',
            status: 'completed',
            action: { type: 'search', query: said },
          },
        ]
      : []),
    ...calls.map(({ tool, input }, at) =>
      tool === 'free'
        ? { type: 'custom_tool_call', call_id: ids[at], name: names.free, input }
        : {
            type: 'function_call',
            id: `fc_${ids[at]}`,
            call_id: ids[at],
            name: names[tool],
            arguments: JSON.stringify({ at: input }),
            ...(tool === 'grouped' && { namespace: 'group' }),
          },
    ),
  ],
  results: (calls, ids) =>
    calls.map(({ tool, result, media }, at) => ({
      type: tool === 'free' ? 'custom_tool_call_output' : 'function_call_output',
      call_id: ids[at],
      output: media === null ? result : [{ type: 'input_text', text: result }, responsesMedium(media)],
    })),
}

function responsesMedium({ image }: Medium): Json {
  return image
    ? { type: 'input_image', image_url: `data:image/png;base64,${png}` }
    : { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${png}` }
}

const write: { readonly [W in Wire]: (rounds: readonly Round[]) => Conversation } = {
  chat: rounds => ({
    head: {
      model: 'm',
      tools: [
        ...[names.plain, names.odd, names.grouped].map(name => ({
          type: 'function',
          function: { name, parameters: schema },
        })),
        { type: 'custom', custom: { name: names.free } },
      ],
    },
    field: 'messages',
    added: added(rounds, chat),
  }),
  messages: rounds => ({
    head: {
      model: 'm',
      max_tokens: 1000,
      system: [{ type: 'text', text: 'Be brief.' }],
      tools: Object.values(names).map(name => ({ name, input_schema: schema })),
    },
    field: 'messages',
    added: added(rounds, messages),
  }),
  responses: rounds => ({
    head: {
      model: 'm',
      instructions: 'Be brief.',
      store: false,
      tools: [
        ...[names.plain, names.odd].map(name => ({ type: 'function', name, parameters: schema })),
        { type: 'custom', name: names.free },
        {
          type: 'namespace',
          name: 'group',
          tools: [{ type: 'function', name: names.grouped, parameters: schema }],
        },
      ],
    },
    field: 'input',
    added: added(rounds, responses),
  }),
}

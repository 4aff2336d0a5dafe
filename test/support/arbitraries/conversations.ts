/**
 * Random conversations of an agent, and each request that it sends on the way: every one is the one before with something
 * appended, as clients of a wire write it.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import fc from 'fast-check'

type Json = Record<string, unknown>

/** `held`: in a form that only its own wire takes, such as an id of an uploaded file. */
type Medium = 'image' | 'file' | 'held'

interface Call {
  readonly tool: 'plain' | 'odd' | 'free' | 'grouped'
  readonly input: string
  readonly result: string
  readonly media: Medium | null
  readonly failed: boolean
  /** Where the wire lets calls be answered later: this one is, after what comes next. */
  readonly late: boolean
}

interface Round {
  /** What the user says; a picture may come with it. */
  readonly text: string
  readonly media: Medium | null
  /** What the user says ends what is to be cached. */
  readonly cached: boolean
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
const medium: fc.Arbitrary<Medium | null> = fc.option(fc.constantFrom<Medium>('image', 'file', 'held'), {
  freq: 3,
})
const call: fc.Arbitrary<Call> = fc.record({
  tool: fc.constantFrom<Call['tool']>('plain', 'odd', 'free', 'grouped'),
  input: text,
  result: text,
  media: medium,
  failed: fc.boolean(),
  late: fc.boolean(),
})
const thought = fc.option(text)
const round: fc.Arbitrary<Round> = fc.record({
  text,
  media: medium,
  cached: fc.boolean(),
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
const openaiMark = { prompt_cache_breakpoint: { mode: 'explicit' } }
/** Longer than most servers take. */
const user = `user_${'0123456789'.repeat(15)}`

interface Writer {
  instruction(text: string): Json[]
  user(text: string, media: Medium | null, cached: boolean): Json[]
  /** An answer of the model. `ids` are those of its calls. */
  assistant(
    said: { readonly thought: string | null; readonly said: string; readonly calls: readonly Call[] },
    ids: readonly string[],
  ): Json[]
  results(calls: readonly Call[], ids: readonly string[]): Json[]
  /** Results may come after other items. */
  readonly answersLate?: boolean
}

/** Ids as servers make them: some are longer than others take, have other characters, or were used before. */
function idOf(number: number): string {
  const ids = [`call_${number}`, `functions.look:${number}`, `${number}_${'x'.repeat(80)}`, 'call_0_again']
  return ids[number % 4] ?? ''
}

/** Each request ends with what the user said, or with the results of all calls but those that are answered later. */
function added(rounds: readonly Round[], writer: Writer): Json[][] {
  const requests: Json[][] = []
  let pending: Json[] = []
  let late: Json[] = []
  let count = 0
  const send = (...items: Json[]): void => {
    requests.push([...pending, ...items, ...late])
    pending = []
    late = []
  }
  for (const { text, media, cached, instruction, steps, thought, answer } of rounds) {
    if (instruction !== null) pending.push(...writer.instruction(instruction))
    send(...writer.user(text, media, cached))
    for (const step of steps) {
      const ids = step.calls.map(() => idOf(count++))
      const answered = step.calls.map(call => !isLate(call, writer))
      const assistant = writer.assistant(step, ids)
      const results = (when: boolean): Json[] => {
        const chosen = answered.flatMap((now, at) => (now === when ? [at] : []))
        const calls = chosen.flatMap(at => step.calls[at] ?? [])
        const theirs = chosen.flatMap(at => ids[at] ?? [])
        return calls.length === 0 ? [] : writer.results(calls, theirs)
      }
      if (answered.includes(true)) send(...assistant, ...results(true))
      else pending.push(...assistant)
      late.push(...results(false))
    }
    pending.push(...writer.assistant({ thought, said: answer, calls: [] }, []))
  }
  return requests
}

function isLate({ late, tool }: Call, { answersLate = false }: Writer): boolean {
  return answersLate && late && tool !== 'free'
}

const chat: Writer = {
  instruction: content => [{ role: 'system', content }],
  user: (content, media, cached) => [
    media === null && !cached
      ? { role: 'user', content }
      : {
          role: 'user',
          content: [
            { type: 'text', text: content, ...(cached && openaiMark) },
            ...(media === null ? [] : [chatMedium(media)]),
          ],
        },
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

function chatMedium(medium: Medium): Json {
  if (medium === 'held') return { type: 'input_audio', input_audio: { data: png, format: 'wav' } }
  return medium === 'image'
    ? { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }
    : { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${png}` } }
}

const messages: Writer = {
  instruction: content => [{ role: 'system', content }],
  user: (content, media, cached) => [
    {
      role: 'user',
      content:
        media === null && !cached
          ? content
          : [
              { type: 'text', text: content, ...(cached && { cache_control: { type: 'ephemeral' } }) },
              ...(media === null ? [] : [messagesMedium(media)]),
            ],
    },
  ],
  assistant: ({ thought, said, calls }, ids) => [
    {
      role: 'assistant',
      content: [
        ...(thought === null ? [] : [{ type: 'thinking', thinking: thought, signature: `sig ${thought}` }]),
        // Some clients write an empty text beside calls.
        ...(said === '' && calls.length !== 1 ? [] : [{ type: 'text', text: said }]),
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

function messagesMedium(medium: Medium): Json {
  if (medium === 'held') return { type: 'image', source: { type: 'file', file_id: 'file_1' } }
  const isImage = medium === 'image'
  const source = { type: 'base64', media_type: isImage ? 'image/png' : 'application/pdf', data: png }
  return { type: isImage ? 'image' : 'document', source }
}

const responses: Writer = {
  answersLate: true,
  instruction: content => [{ role: 'developer', content }],
  user: (content, media, cached) => [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: content, ...(cached && openaiMark) },
        ...(media === null ? [] : [responsesMedium(media)]),
      ],
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
    ...calls.map(({ tool, input, late }, at) =>
      tool === 'free'
        ? { type: 'custom_tool_call', call_id: ids[at], name: names.free, input }
        : {
            type: 'function_call',
            id: `fc_${ids[at]}`,
            call_id: ids[at],
            name: names[tool],
            arguments: JSON.stringify({ at: input }),
            ...(tool === 'grouped' && { namespace: 'group' }),
            ...(late && { async: true }),
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

function responsesMedium(medium: Medium): Json {
  if (medium === 'held') return { type: 'input_image', file_id: 'file-1', detail: 'auto' }
  return medium === 'image'
    ? { type: 'input_image', image_url: `data:image/png;base64,${png}` }
    : { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${png}` }
}

const write: { readonly [W in Wire]: (rounds: readonly Round[]) => Conversation } = {
  chat: rounds => ({
    head: {
      model: 'm',
      user,
      prompt_cache_key: user,
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
      metadata: { user_id: user },
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
      safety_identifier: user,
      prompt_cache_key: user,
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

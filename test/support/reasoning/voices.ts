/**
 * How a model that reasons speaks on each wire: its answer to a round, whole and in frames, and the reasoning that it finds
 * in a request before each of its calls. Chat has six voices, one for each field of its vendors, and one for parts of the
 * content.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'

export type Json = { readonly [key: string]: unknown }

export interface Round {
  /** Makes every text of the round the model's own. */
  readonly name: string
  readonly number: number
  /** Its call, or none in the last round. */
  readonly callId: string | undefined
}

export interface Voice {
  readonly wire: Wire
  whole(round: Round): Json
  frames(round: Round): string
  /** The reasoning as it must come back with the call of this round. */
  reasoning(round: Round): unknown
  /** The ids of calls in a request, in order, each with the reasoning beside it. */
  heard(body: Json): readonly (readonly [callId: string, reasoning: unknown])[]
}

const toolName = 'look'
const thought = ({ name, number }: Round): string => `${name} thinks “${number}”.\n\nThen it calls.`
export const secret = ({ name, number }: Round): string => `secret-of-${name}-${number}==`
const argumentsOf = ({ number }: Round): Json => ({ place: `Ærø ${number}`, deep: { list: [1, 2.5] } })
const words = ({ callId }: Round): string => (callId === undefined ? 'All is well.' : '')

export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as Json[]) : []
}

function sse(event: string | undefined, data: unknown): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** A text in pieces of a few characters. */
function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,7}/g) ?? []
}

type Field = 'reasoning_content' | 'reasoning' | 'reasoning_details' | 'both' | 'blocks' | 'thinking'

/** A part of the content. */
function thinkingPart(round: Round): Json {
  const thinking = [{ type: 'text', text: thought(round) }]
  return { type: 'thinking', thinking, closed: true, signature: secret(round) }
}

function chatFields(field: Field, round: Round): Json {
  if (field === 'thinking') return { thinking: [thinkingPart(round)] }
  const details = [
    { type: 'reasoning.text', text: thought(round), format: 'x-v1', index: 0, signature: secret(round) },
    { type: 'reasoning.encrypted', data: secret(round), id: `r-${round.number}`, index: 1 },
  ]
  if (field === 'reasoning_details') return { reasoning_details: details }
  if (field === 'both') return { reasoning: thought(round), reasoning_details: details }
  // As LiteLLM writes what it was told on Messages.
  if (field === 'blocks') return { reasoning_content: thought(round), thinking_blocks: blocks(round) }
  return { [field]: thought(round) }
}

function messageFields(field: Field, round: Round): Json {
  if (field !== 'thinking') return { content: words(round) || null, ...chatFields(field, round) }
  const texts = round.callId === undefined ? [{ type: 'text', text: words(round) }] : []
  return { content: [thinkingPart(round), ...texts] }
}

function chatDeltas(field: Field, round: Round): readonly Json[] {
  const texts = pieces(thought(round))
  if (field === 'thinking') {
    const last = { ...thinkingPart(round), thinking: [] }
    const parts = texts.map(text => ({ type: 'thinking', thinking: [{ type: 'text', text }] }))
    return [...parts, last].map(part => ({ content: [part] }))
  }
  if (field === 'blocks') {
    const block = (thinking: string, signature: string | null): Json => ({
      type: 'thinking',
      thinking,
      signature,
    })
    const parts = texts.map(text => ({ reasoning_content: text, thinking_blocks: [block(text, null)] }))
    const rest = [block('', secret(round)), ...blocks(round).slice(1)]
    return [...parts, ...rest.map(last => ({ thinking_blocks: [last] }))]
  }
  const detail = (text: string): Json => ({ type: 'reasoning.text', text, format: 'x-v1', index: 0 })
  const hasDetails = field === 'both' || field === 'reasoning_details'
  const deltas = texts.map(text => ({
    ...(field !== 'reasoning_details' && { [field === 'both' ? 'reasoning' : field]: text }),
    ...(hasDetails && { reasoning_details: [detail(text)] }),
  }))
  if (!hasDetails) return deltas
  return [
    ...deltas,
    { reasoning_details: [{ type: 'reasoning.text', signature: secret(round), index: 0 }] },
    { reasoning_details: list(chatFields('both', round).reasoning_details).slice(1) },
  ]
}

function chatVoice(field: Field): Voice {
  const callOf = (round: Round): Json => ({
    id: round.callId,
    type: 'function',
    function: { name: toolName, arguments: JSON.stringify(argumentsOf(round), null, 1) },
  })
  const head = (round: Round): Json => ({ id: `c-${round.number}`, created: 1, model: 'm' })
  return {
    wire: 'chat',
    whole: round => ({
      ...head(round),
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            ...messageFields(field, round),
            ...(round.callId !== undefined && { tool_calls: [callOf(round)] }),
          },
          finish_reason: round.callId === undefined ? 'stop' : 'tool_calls',
        },
      ],
    }),
    frames(round) {
      const chunk = (delta: Json, finish: string | null = null): string =>
        sse(undefined, {
          ...head(round),
          object: 'chat.completion.chunk',
          choices: [{ index: 0, delta, finish_reason: finish }],
        })
      const calls =
        round.callId === undefined
          ? [chunk({ content: words(round) })]
          : [chunk({ tool_calls: [{ index: 0, ...callOf(round) }] })]
      return [
        chunk({ role: 'assistant', content: '' }),
        ...chatDeltas(field, round).map(delta => chunk(delta)),
        ...calls,
        chunk({}, round.callId === undefined ? 'stop' : 'tool_calls'),
        sse(undefined, '[DONE]'),
      ].join('')
    },
    reasoning: round => chatFields(field, round),
    heard: body =>
      list(body.messages).flatMap(({ content, tool_calls, ...message }) => {
        const { reasoning_content, reasoning, reasoning_details, thinking_blocks } = message
        const parts = list(content).filter(({ type }) => type === 'thinking')
        const thinking = parts.length > 0 ? parts : undefined
        const fields = { reasoning_content, reasoning, reasoning_details, thinking_blocks, thinking }
        const present = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
        return list(tool_calls).map(call => [String(call.id), present] as const)
      }),
  }
}

/** Every second round has a block that people cannot read. */
export function blocks(round: Round): readonly Json[] {
  const thinking = { type: 'thinking', thinking: thought(round), signature: secret(round) }
  const redacted = { type: 'redacted_thinking', data: `redacted-${secret(round)}` }
  return round.number % 2 === 0 ? [thinking, redacted] : [thinking]
}

type Content = (round: Round) => readonly Json[]

function messageOf(contentOf: Content, round: Round): Json {
  return {
    id: `msg_${round.number}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content:
      round.callId === undefined
        ? [...blocks(round), { type: 'text', text: words(round) }]
        : contentOf(round),
    stop_reason: round.callId === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
}

function messageFrames(contentOf: Content, round: Round): string {
  const { content, ...head } = messageOf(contentOf, round)
  const start = { ...head, content: [], stop_reason: null }
  const frames = list(content).flatMap((block, index) => [
    sse('content_block_start', { type: 'content_block_start', index, content_block: emptyBlock(block) }),
    ...deltas(block).map(delta => sse('content_block_delta', { type: 'content_block_delta', index, delta })),
    sse('content_block_stop', { type: 'content_block_stop', index }),
  ])
  const delta = { stop_reason: head.stop_reason, stop_sequence: null }
  return [
    sse('message_start', { type: 'message_start', message: start }),
    ...frames,
    sse('message_delta', { type: 'message_delta', delta, usage: { output_tokens: 1 } }),
    sse('message_stop', { type: 'message_stop' }),
  ].join('')
}

export const toolUse = (round: Round, id = round.callId): Json => ({
  type: 'tool_use',
  id,
  name: toolName,
  input: argumentsOf(round),
})

export function messagesSpeech(contentOf: Content): Pick<Voice, 'wire' | 'whole' | 'frames'> {
  return {
    wire: 'messages',
    whole: round => messageOf(contentOf, round),
    frames: round => messageFrames(contentOf, round),
  }
}

const messagesVoice: Voice = {
  ...messagesSpeech(round => [...blocks(round), toolUse(round)]),
  reasoning: blocks,
  heard: body =>
    list(body.messages).flatMap(({ content }) => {
      const isReasoning = ({ type }: Json): boolean => type === 'thinking' || type === 'redacted_thinking'
      const firstCall = list(content).findIndex(({ type }) => type === 'tool_use')
      const reasoning = list(content).slice(0, firstCall).filter(isReasoning)
      const calls = list(content).filter(({ type }) => type === 'tool_use')
      return calls.map(({ id }) => [String(id), reasoning] as const)
    }),
}

function emptyBlock(block: Json): Json {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  if (block.type === 'text') return { type: 'text', text: '' }
  return block.type === 'tool_use' ? { ...block, input: {} } : block
}

function deltas(block: Json): readonly Json[] {
  if (block.type === 'thinking') {
    const texts = pieces(String(block.thinking))
    return [
      ...texts.map(thinking => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: block.signature },
    ]
  }
  if (block.type === 'text') return [{ type: 'text_delta', text: block.text }]
  if (block.type !== 'tool_use') return []
  return pieces(JSON.stringify(block.input)).map(text => ({ type: 'input_json_delta', partial_json: text }))
}

function reasoningItem(round: Round): Json {
  return {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: thought(round) }],
    encrypted_content: secret(round),
    // What no codec knows, and what it may take for nothing.
    variant: { depth: round.number },
    content: [],
  }
}

function responseOf(contentOf: Content, round: Round): Json {
  return {
    id: `resp_${round.number}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: contentOf(round),
    usage: null,
  }
}

function responseFrames(contentOf: Content, round: Round): string {
  const response = responseOf(contentOf, round)
  let number = 0
  const event = (type: string, fields: Json): string =>
    sse(type, { type, sequence_number: number++, ...fields })
  const frames = [event('response.created', { response: { ...response, status: 'in_progress', output: [] } })]
  for (const [index, item] of contentOf(round).entries()) {
    const { encrypted_content: _, ...start } = item
    const added = item.type === 'reasoning' ? { ...start, summary: [] } : start
    const summary = list(item.summary)[0]?.text
    frames.push(event('response.output_item.added', { output_index: index, item: added }))
    const at = { item_id: item.id, output_index: index, summary_index: 0 }
    for (const delta of summary === undefined ? [] : pieces(String(summary)))
      frames.push(event('response.reasoning_summary_text.delta', { ...at, delta }))
    frames.push(event('response.output_item.done', { output_index: index, item }))
  }
  return [...frames, event('response.completed', { response })].join('')
}

export function responsesSpeech(contentOf: Content): Pick<Voice, 'wire' | 'whole' | 'frames'> {
  return {
    wire: 'responses',
    whole: round => responseOf(contentOf, round),
    frames: round => responseFrames(contentOf, round),
  }
}

const responsesVoice: Voice = {
  ...responsesSpeech(outputOf),
  reasoning: round => [reasoningItem(round)],
  heard(body) {
    const found: (readonly [string, unknown])[] = []
    let reasoning: Json[] = []
    for (const { status: _, ...item } of list(body.input)) {
      if (item.type === 'reasoning') reasoning.push(item)
      // An id of the one without an id of the other is refused.
      else if (item.type === 'function_call') {
        const isKnown = item.id !== undefined
        found.push([String(item.call_id), isKnown ? reasoning.map(withoutId) : reasoning])
      }
      if (item.type === 'function_call_output') reasoning = []
    }
    return found
  },
}

function withoutId({ id: _, ...item }: Json): Json {
  return item
}

export function outputOf(round: Round): readonly Json[] {
  const { number, callId } = round
  const last =
    callId === undefined
      ? {
          id: `msg_${number}`,
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: words(round), annotations: [], logprobs: [] }],
        }
      : {
          id: `fc_${number}`,
          type: 'function_call',
          call_id: callId,
          name: toolName,
          arguments: JSON.stringify(argumentsOf(round)),
          status: 'completed',
        }
  return [{ id: `rs_${number}`, ...reasoningItem(round) }, last]
}

export const voices: Readonly<Record<string, Voice>> = {
  reasoning_content: chatVoice('reasoning_content'),
  reasoning: chatVoice('reasoning'),
  reasoning_details: chatVoice('reasoning_details'),
  'reasoning and details': chatVoice('both'),
  'reasoning and blocks': chatVoice('blocks'),
  'thinking parts': chatVoice('thinking'),
  messages: messagesVoice,
  responses: responsesVoice,
}

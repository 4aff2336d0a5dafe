/** Reads the answer that a client received, without the library's codecs. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { eventsOf } from '../faults/wires.ts'

interface ReadCall {
  /** The id that the result must name. */
  readonly id: string
  readonly name: string
  /** The arguments as JSON, or the text of a custom tool. */
  readonly input: string
}

export interface ReadAnswer {
  readonly text: string
  readonly calls: readonly ReadCall[]
  readonly end: 'good' | 'failed' | 'cut'
  /** The number of terminal frames, and of frames after the first of them. */
  readonly endings: number
  readonly afterEnd: number
  readonly failure?: string
  readonly responseId?: string
}

type Data = Record<string, unknown>

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const dataOf = (value: unknown): Data => (typeof value === 'object' && value !== null ? (value as Data) : {})
const listOf = (value: unknown): Data[] => (Array.isArray(value) ? (value as Data[]) : [])

interface ReadState {
  text: string
  readonly calls: Map<unknown, { id: string; name: string; input: string }>
  responseId?: string
}

interface FrameReader {
  note(data: Data, state: ReadState): void
  ending(data: Data): 'good' | 'failed' | undefined
}

function addCall({ calls }: ReadState, key: unknown, id: unknown, name: unknown, input: unknown): void {
  const call = calls.get(key)
  if (call === undefined) calls.set(key, { id: textOf(id), name: textOf(name), input: textOf(input) })
  else call.input += textOf(input)
}

const chat: FrameReader = {
  note(data, state) {
    for (const choice of listOf(data.choices)) {
      const delta = dataOf(choice.delta)
      state.text += textOf(delta.content)
      for (const call of listOf(delta.tool_calls)) {
        const { name, arguments: input } = dataOf(call.function)
        addCall(state, call.index, call.id, name, input)
      }
    }
  },
  ending: ({ error }) => (error === undefined ? undefined : 'failed'),
}

const messages: FrameReader = {
  note({ type, index, delta, content_block, message }, state) {
    const { id } = dataOf(message)
    if (typeof id === 'string') state.responseId = id
    const { text, partial_json } = dataOf(delta)
    const block = dataOf(content_block)
    if (type === 'content_block_start' && block.type === 'tool_use')
      addCall(state, index, block.id, block.name, '')
    state.text += textOf(text) + textOf(block.text)
    if (state.calls.has(index)) addCall(state, index, '', '', partial_json)
  },
  ending: ({ type }) => (type === 'message_stop' ? 'good' : type === 'error' ? 'failed' : undefined),
}

const responses: FrameReader = {
  note({ type, delta, item, output_index, response }, state) {
    const id = dataOf(response).id
    if (typeof id === 'string') state.responseId = id
    if (type === 'response.output_text.delta') state.text += textOf(delta)
    const { type: kind, name, call_id } = dataOf(item)
    const isCall = kind === 'function_call' || kind === 'custom_tool_call'
    if (type === 'response.output_item.added' && isCall) addCall(state, output_index, call_id, name, '')
    if (
      type === 'response.function_call_arguments.delta' ||
      type === 'response.custom_tool_call_input.delta'
    ) {
      addCall(state, output_index, '', '', delta)
    }
  },
  ending({ type }) {
    if (type === 'response.failed') return 'failed'
    return type === 'response.completed' || type === 'response.incomplete' ? 'good' : undefined
  },
}

const readers: { readonly [W in Wire]: FrameReader } = { chat, messages, responses }

/** Reads the complete events of a stream, which may be cut off. */
export function readStream(wire: Wire, text: string): ReadAnswer {
  const { note, ending } = readers[wire]
  const state: ReadState = { text: '', calls: new Map() }
  let end: ReadAnswer['end'] = 'cut'
  let endings = 0
  let afterEnd = 0
  let failure: string | undefined
  for (const { data } of eventsOf(text.slice(0, text.lastIndexOf('\n\n') + 2))) {
    const isDone = data === '[DONE]'
    const value = isDone ? {} : (JSON.parse(data) as Data)
    const ended = isDone ? (wire === 'chat' ? 'good' : undefined) : ending(value)
    // On Responses the literal [DONE] follows the terminal event.
    if (end !== 'cut' && !(isDone && wire === 'responses')) afterEnd++
    note(value, state)
    if (ended === undefined) continue
    endings++
    end = ended
    if (ended === 'failed') failure = textOf(dataOf(value.error ?? dataOf(value.response).error).message)
  }
  const { responseId } = state
  return {
    text: state.text,
    calls: [...state.calls.values()],
    end,
    endings,
    afterEnd,
    ...(failure !== undefined && { failure }),
    ...(responseId !== undefined && { responseId }),
  }
}

const answerReaders: { readonly [W in Wire]: (body: Data, state: ReadState) => void } = {
  chat({ choices }, state) {
    const message = dataOf(listOf(choices)[0]?.message)
    state.text = textOf(message.content)
    for (const call of listOf(message.tool_calls)) {
      const { name, arguments: input } = dataOf(call.function)
      addCall(state, call, call.id, name, input)
    }
  },
  messages({ content, id }, state) {
    state.responseId = textOf(id)
    for (const block of listOf(content)) {
      if (block.type === 'text') state.text += textOf(block.text)
      if (block.type === 'tool_use') addCall(state, block, block.id, block.name, JSON.stringify(block.input))
    }
  },
  responses({ output, id }, state) {
    state.responseId = textOf(id)
    for (const item of listOf(output)) {
      if (item.type === 'message')
        state.text += listOf(item.content)
          .map(part => textOf(part.text))
          .join('')
      if (item.type === 'function_call') addCall(state, item, item.call_id, item.name, item.arguments)
      if (item.type === 'custom_tool_call') addCall(state, item, item.call_id, item.name, item.input)
    }
  },
}

export function readAnswer(wire: Wire, body: Data): ReadAnswer {
  const state: ReadState = { text: '', calls: new Map() }
  answerReaders[wire](body, state)
  const { text, calls, responseId } = state
  return {
    text,
    calls: [...calls.values()],
    end: 'good',
    endings: 1,
    afterEnd: 0,
    ...(responseId !== undefined && { responseId }),
  }
}

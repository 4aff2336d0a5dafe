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

export interface Understood {
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

interface Notes {
  text: string
  readonly calls: Map<unknown, { id: string; name: string; input: string }>
  responseId?: string
}

interface Grammar {
  note(data: Data, notes: Notes): void
  ending(data: Data): 'good' | 'failed' | undefined
}

function addCall({ calls }: Notes, key: unknown, id: unknown, name: unknown, input: unknown): void {
  const call = calls.get(key)
  if (call === undefined) calls.set(key, { id: textOf(id), name: textOf(name), input: textOf(input) })
  else call.input += textOf(input)
}

const chat: Grammar = {
  note(data, notes) {
    for (const choice of listOf(data.choices)) {
      const delta = dataOf(choice.delta)
      notes.text += textOf(delta.content)
      for (const call of listOf(delta.tool_calls)) {
        const { name, arguments: input } = dataOf(call.function)
        addCall(notes, call.index, call.id, name, input)
      }
    }
  },
  ending: ({ error }) => (error === undefined ? undefined : 'failed'),
}

const messages: Grammar = {
  note({ type, index, delta, content_block }, notes) {
    const { text, partial_json } = dataOf(delta)
    const block = dataOf(content_block)
    if (type === 'content_block_start' && block.type === 'tool_use')
      addCall(notes, index, block.id, block.name, '')
    notes.text += textOf(text) + textOf(block.text)
    if (notes.calls.has(index)) addCall(notes, index, '', '', partial_json)
  },
  ending: ({ type }) => (type === 'message_stop' ? 'good' : type === 'error' ? 'failed' : undefined),
}

const responses: Grammar = {
  note({ type, delta, item, output_index, response }, notes) {
    const id = dataOf(response).id
    if (typeof id === 'string') notes.responseId = id
    if (type === 'response.output_text.delta') notes.text += textOf(delta)
    const { type: kind, name, call_id } = dataOf(item)
    const isCall = kind === 'function_call' || kind === 'custom_tool_call'
    if (type === 'response.output_item.added' && isCall) addCall(notes, output_index, call_id, name, '')
    if (
      type === 'response.function_call_arguments.delta' ||
      type === 'response.custom_tool_call_input.delta'
    ) {
      addCall(notes, output_index, '', '', delta)
    }
  },
  ending({ type }) {
    if (type === 'response.failed') return 'failed'
    return type === 'response.completed' || type === 'response.incomplete' ? 'good' : undefined
  },
}

const grammars: { readonly [W in Wire]: Grammar } = { chat, messages, responses }

/** Reads the complete events of a stream, which may be cut off. */
export function readStream(wire: Wire, text: string): Understood {
  const { note, ending } = grammars[wire]
  const notes: Notes = { text: '', calls: new Map() }
  let end: Understood['end'] = 'cut'
  let endings = 0
  let afterEnd = 0
  let failure: string | undefined
  for (const { data } of eventsOf(text.slice(0, text.lastIndexOf('\n\n') + 2))) {
    const isDone = data === '[DONE]'
    const value = isDone ? {} : (JSON.parse(data) as Data)
    const ended = isDone ? (wire === 'chat' ? 'good' : undefined) : ending(value)
    // On Responses the literal [DONE] follows the terminal event.
    if (end !== 'cut' && !(isDone && wire === 'responses')) afterEnd++
    note(value, notes)
    if (ended === undefined) continue
    endings++
    end = ended
    if (ended === 'failed') failure = textOf(dataOf(value.error ?? dataOf(value.response).error).message)
  }
  const { responseId } = notes
  return {
    text: notes.text,
    calls: [...notes.calls.values()],
    end,
    endings,
    afterEnd,
    ...(failure !== undefined && { failure }),
    ...(responseId !== undefined && { responseId }),
  }
}

const wholes: { readonly [W in Wire]: (body: Data, notes: Notes) => void } = {
  chat({ choices }, notes) {
    const message = dataOf(listOf(choices)[0]?.message)
    notes.text = textOf(message.content)
    for (const call of listOf(message.tool_calls)) {
      const { name, arguments: input } = dataOf(call.function)
      addCall(notes, call, call.id, name, input)
    }
  },
  messages({ content }, notes) {
    for (const block of listOf(content)) {
      if (block.type === 'text') notes.text += textOf(block.text)
      if (block.type === 'tool_use') addCall(notes, block, block.id, block.name, JSON.stringify(block.input))
    }
  },
  responses({ output, id }, notes) {
    notes.responseId = textOf(id)
    for (const item of listOf(output)) {
      if (item.type === 'message')
        notes.text += listOf(item.content)
          .map(part => textOf(part.text))
          .join('')
      if (item.type === 'function_call') addCall(notes, item, item.call_id, item.name, item.arguments)
      if (item.type === 'custom_tool_call') addCall(notes, item, item.call_id, item.name, item.input)
    }
  },
}

export function readWhole(wire: Wire, body: Data): Understood {
  const notes: Notes = { text: '', calls: new Map() }
  wholes[wire](body, notes)
  const { text, calls, responseId } = notes
  return {
    text,
    calls: [...calls.values()],
    end: 'good',
    endings: 1,
    afterEnd: 0,
    ...(responseId !== undefined && { responseId }),
  }
}

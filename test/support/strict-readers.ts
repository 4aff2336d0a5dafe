/**
 * Reads what was written for a wire as the wire's own documents define it, and forgives nothing. The library's
 * decoders find their way through mistakes of servers, so they cannot tell whether the library makes some.
 */
import type { Wire } from '@toolwire/core'

type Data = Record<string, unknown>

export interface ReadCall {
  readonly id: unknown
  readonly name: unknown
  /** The text of the arguments, or of a custom tool's input. */
  readonly input: string
}

function demand(holds: boolean, fault: string): asserts holds {
  if (!holds) throw new Error(fault)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const list = (value: unknown): Data[] => (Array.isArray(value) ? value : [])

/** The calls of a complete stream, put together by nothing but the names the wire has for them. */
export function streamedCalls(wire: Wire, text: string): ReadCall[] {
  const data = text
    .split('\n\n')
    .flatMap(frame => frame.split('\n').filter(line => line.startsWith('data: ')))
    .map(line => line.slice('data: '.length))
    .filter(json => json !== '[DONE]')
    .map(json => JSON.parse(json) as Data)
  return streamReaders[wire](data)
}

/** The calls of a whole answer. */
export function wholeCalls(wire: Wire, body: Data): ReadCall[] {
  switch (wire) {
    case 'chat': {
      const [choice = {}] = list(body.choices)
      return list((choice.message as Data).tool_calls).map(chatCall)
    }
    case 'responses':
      return list(body.output).filter(isCallItem).map(itemCall)
    case 'messages':
      return list(body.content)
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ id, name, input: JSON.stringify(input) }))
  }
}

function chatCall({ id, type, ...call }: Data): ReadCall {
  demand(isText(id) && (type === 'function' || type === 'custom'), 'a call of Chat without id or type')
  const { name, arguments: args, input = args } = call[type] as Data
  demand(isText(name) && typeof input === 'string', `call ${id} has no name, or no text for its arguments`)
  return { id, name, input }
}

const isCallItem = ({ type }: Data): boolean => type === 'function_call' || type === 'custom_tool_call'

function itemCall({ id, call_id, name, type, arguments: args, input }: Data): ReadCall {
  const text = type === 'function_call' ? args : input
  demand(isText(id) && isText(call_id) && isText(name), 'a call item without id, call_id or name')
  demand(typeof text === 'string', `item ${id} has no text for its arguments`)
  return { id: call_id, name, input: text }
}

const streamReaders: { readonly [W in Wire]: (data: readonly Data[]) => ReadCall[] } = {
  chat(data) {
    const calls: ReadCall[] = []
    const pieces = data.flatMap(({ choices }) => list(choices)).map(({ delta }) => delta as Data)
    for (const { index, ...piece } of pieces.flatMap(({ tool_calls }) => list(tool_calls))) {
      demand(Number.isInteger(index), 'a piece of a call without an index')
      const at = index as number
      if (at === calls.length) {
        calls.push(chatCall(piece))
        continue
      }
      const known = calls[at]
      const { name, arguments: args, input = args } = (piece.function ?? piece.custom ?? {}) as Data
      demand(known !== undefined, `index ${at} before index ${calls.length}`)
      demand(piece.id === undefined && name === undefined, `index ${at} is used for a second call`)
      calls[at] = { ...known, input: known.input + (input ?? '') }
    }
    return calls
  },

  responses(data) {
    const items = new Map<unknown, { id: unknown; call: ReadCall; isDone: boolean }>()
    let output: Data[] = []
    for (const { type, output_index: at, item_id, item, response, delta, ...event } of data) {
      if (type === 'response.completed' || type === 'response.incomplete') {
        output = list((response as Data).output)
      } else if (type === 'response.output_item.added' && isCallItem(item as Data)) {
        demand(!items.has(at), `two items at output_index ${at}`)
        items.set(at, { id: (item as Data).id, call: itemCall(item as Data), isDone: false })
      } else if (/function_call_arguments|custom_tool_call_input/.test(String(type))) {
        const known = items.get(at)
        demand(known !== undefined && !known.isDone, `${type} for output_index ${at}, where no call is open`)
        demand(item_id === known.id, `${type} names item ${item_id} at output_index ${at}, not ${known.id}`)
        const { call } = known
        if (typeof delta === 'string') known.call = { ...call, input: call.input + delta }
        else
          demand((event.arguments ?? event.input) === call.input, `${type} says another text than its deltas`)
      } else if (type === 'response.output_item.done' && isCallItem(item as Data)) {
        const known = items.get(at)
        demand(
          known !== undefined && known.id === (item as Data).id,
          `another item ends at output_index ${at}`,
        )
        known.isDone = true
        demandSame(itemCall(item as Data), known.call)
      }
    }
    const calls = [...items].toSorted(([a], [b]) => Number(a) - Number(b)).map(([, { call }]) => call)
    output.filter(isCallItem).forEach((item, i) => {
      demandSame(itemCall(item), calls[i])
    })
    return calls
  },

  messages(data) {
    const calls = new Map<unknown, ReadCall>()
    for (const { type, index, content_block, delta } of data) {
      const { type: kind, id, name } = (content_block ?? {}) as Data
      const { type: piece, partial_json } = (delta ?? {}) as Data
      if (type === 'content_block_start' && kind === 'tool_use') {
        demand(
          !calls.has(index) && isText(id) && isText(name),
          `block ${index} is taken, or has no id or name`,
        )
        calls.set(index, { id, name, input: '' })
      } else if (type === 'content_block_delta' && piece === 'input_json_delta') {
        const call = calls.get(index)
        if (call !== undefined) calls.set(index, { ...call, input: call.input + String(partial_json) })
      }
    }
    return [...calls.values()].map(call => (call.input === '' ? { ...call, input: '{}' } : call))
  },
}

function demandSame(call: ReadCall, streamed: ReadCall | undefined): void {
  demand(JSON.stringify(call) === JSON.stringify(streamed), `call ${call.id} is not what its stream said`)
}

/** Who speaks, calls and answers in a request, one word for each, in the order they stand in. */
export function orderOf(wire: Wire, body: Data): string[] {
  switch (wire) {
    case 'chat':
      return list(body.messages).flatMap(({ role, content, tool_calls, tool_call_id }) => {
        if (role === 'tool') return `result ${tool_call_id}`
        const calls = list(tool_calls).map(call => `call ${chatCall(call).id}`)
        return [...(content === null || content === undefined ? [] : [String(role)]), ...calls]
      })
    case 'responses':
      return list(body.input).map(item => {
        if (item.type === 'function_call') return `call ${item.call_id}`
        if (item.type === 'function_call_output') return `result ${item.call_id}`
        demand(item.type === 'message' || item.type === undefined, `an item of type ${item.type}`)
        return String(item.role)
      })
    case 'messages':
      return list(body.messages).flatMap(({ role, content }) =>
        (typeof content === 'string' ? [{ type: 'text' } as Data] : list(content)).map(block => {
          if (block.type === 'tool_use') return `call ${block.id}`
          return block.type === 'tool_result' ? `result ${block.tool_use_id}` : String(role)
        }),
      )
  }
}

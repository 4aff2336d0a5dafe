/** A client on each wire that sends its history again as it was given it: the next request after an answer. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Json } from './voices.ts'

export interface Replay {
  first(model: string): Json
  /** The request that follows this answer, with a result for every call; `undefined` if it has none. */
  next(request: Json, answer: Json): Json | undefined
}

const parameters = { type: 'object', properties: {}, additionalProperties: true }
const question = 'What is the weather?'

function list(value: unknown): readonly Json[] {
  return value as readonly Json[]
}

const chat: Replay = {
  first: model => ({
    model,
    messages: [{ role: 'user', content: question }],
    tools: [{ type: 'function', function: { name: 'look', parameters } }],
  }),
  next(request, answer) {
    const [choice] = list(answer.choices)
    const message = choice?.message as Json
    const calls = list(message.tool_calls ?? [])
    if (calls.length === 0) return undefined
    const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'rain' }))
    return { ...request, messages: [...list(request.messages), message, ...results] }
  },
}

const responses: Replay = {
  first: model => ({
    model,
    input: [{ role: 'user', content: question }],
    tools: [{ type: 'function', name: 'look', parameters, strict: false }],
  }),
  next(request, answer) {
    const output = list(answer.output)
    const calls = output.filter(({ type }) => type === 'function_call')
    if (calls.length === 0) return undefined
    const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'rain' }))
    return { ...request, input: [...list(request.input), ...output, ...results] }
  },
}

const messages: Replay = {
  first: model => ({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user', content: question }],
    tools: [{ name: 'look', input_schema: parameters }],
  }),
  next(request, answer) {
    const content = list(answer.content)
    const calls = content.filter(({ type }) => type === 'tool_use')
    if (calls.length === 0) return undefined
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'rain' }))
    return {
      ...request,
      messages: [
        ...list(request.messages),
        { role: 'assistant', content },
        { role: 'user', content: results },
      ],
    }
  },
}

export const replays: { readonly [W in Wire]: Replay } = { chat, responses, messages }

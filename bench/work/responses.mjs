/** OpenAI Responses. */
import { pieces } from './words.mjs'

const usage = {
  input_tokens: 812,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 96,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 908,
}

const callItem = ({ id, name, args }) => ({ type: 'function_call', call_id: id, name, arguments: args })

function itemsOf(turn) {
  if ('user' in turn) return [{ type: 'message', role: 'user', content: turn.user }]
  if ('results' in turn) {
    return turn.results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }))
  }
  const content = [{ type: 'output_text', text: turn.say, annotations: [] }]
  return [{ type: 'message', role: 'assistant', content }, ...turn.calls.map(callItem)]
}

const envelope = (model, status, output, more = {}) => ({
  id: 'resp_bench0001',
  object: 'response',
  created_at: 1790000000,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model,
  output,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  store: false,
  ...more,
})

const messageItem = (text, status = 'completed') => ({
  type: 'message',
  id: 'msg_bench0001',
  status,
  role: 'assistant',
  content: status === 'completed' ? [{ type: 'output_text', text, annotations: [], logprobs: [] }] : [],
})

const outputOf = ({ text, calls }) => [
  ...(text === '' ? [] : [messageItem(text)]),
  ...calls.map((call, i) => ({ ...callItem(call), id: `fc_bench000${i}`, status: 'completed' })),
]

const endOf = finish =>
  finish === 'length'
    ? { status: 'incomplete', more: { incomplete_details: { reason: 'max_output_tokens' }, usage } }
    : { status: 'completed', more: { usage } }

/** @type {import('./wires.mjs').WireWork} */
export const responses = {
  path: '/responses',
  tools: tools =>
    tools.map(({ name, description, schema, strict }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict,
    })),
  request: ({ system, tools, turns }, { model, stream = false }) => ({
    model,
    instructions: system,
    input: turns.flatMap(itemsOf),
    ...(tools.length > 0 && { tools: responses.tools(tools), tool_choice: 'auto' }),
    max_output_tokens: 1024,
    store: false,
    stream,
  }),
  answer(answer, model) {
    const { status, more } = endOf(answer.finish)
    return envelope(model, status, outputOf(answer), more)
  },
  stream(answer, model, cuts) {
    const out = []
    const event = data =>
      out.push(`event: ${data.type}\ndata: ${JSON.stringify({ ...data, sequence_number: out.length })}\n\n`)
    event({ type: 'response.created', response: envelope(model, 'in_progress', []) })
    event({ type: 'response.in_progress', response: envelope(model, 'in_progress', []) })
    const output = outputOf(answer)
    for (const [output_index, item] of output.entries()) {
      if (item.type === 'message') sayMessage(event, item, output_index, pieces(answer.text, cuts.text))
      else sayCall(event, item, output_index, pieces(item.arguments, cuts.argument))
    }
    const { status, more } = endOf(answer.finish)
    event({ type: `response.${status}`, response: envelope(model, status, output, more) })
    return out
  },
  readAnswer({ status, output }) {
    const calls = output.filter(({ type }) => type === 'function_call')
    const parts = output.flatMap(({ type, content }) => (type === 'message' ? content : []))
    return {
      text: parts.map(({ text }) => text ?? '').join(''),
      calls: calls.map(({ call_id: id, name, arguments: args }) => ({ id, name, args })),
      finish: status === 'incomplete' ? 'length' : calls.length > 0 ? 'calls' : 'stop',
    }
  },
  /** The deltas, not the last event, are what a client shows, so they are what is judged. */
  readStream(frames) {
    const items = []
    let last
    for (const { data } of frames) {
      if (data === '[DONE]') continue
      const given = JSON.parse(data)
      if (given.type === 'response.output_item.added') items[given.output_index] = { ...given.item, said: '' }
      else if (/(?:output_text|function_call_arguments)\.delta$/.test(given.type)) {
        items[given.output_index].said += given.delta
      } else if (/^response\.(?:completed|incomplete|failed)$/.test(given.type)) last = given.response
    }
    const calls = items.filter(item => item?.type === 'function_call')
    return {
      text: items.map(item => (item?.type === 'message' ? item.said : '')).join(''),
      calls: calls.map(({ call_id: id, name, said }) => ({ id, name, args: said })),
      finish: last?.status === 'incomplete' ? 'length' : calls.length > 0 ? 'calls' : 'stop',
      ended: last !== undefined && last.status !== 'failed',
    }
  },
  readRequest({ instructions = '', input = [], tools = [] }) {
    const items = Array.isArray(input) ? input : []
    const textOf = content =>
      typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('')
    const isSystem = ({ role }) => role === 'system' || role === 'developer'
    const system = items.filter(isSystem).map(({ content }) => textOf(content))
    return {
      system: [instructions, ...system].join('\n'),
      tools: tools.map(({ name, strict }) => ({ name, strict })),
      results: items
        .filter(({ type }) => type === 'function_call_output')
        .map(({ call_id: id, output }) => ({ id, text: textOf(output) })),
      calls: items
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id: id, name, arguments: args }) => ({ id, name, args })),
    }
  },
}

function sayMessage(event, item, output_index, parts) {
  const at = { item_id: item.id, output_index, content_index: 0 }
  const [part] = item.content
  event({ type: 'response.output_item.added', output_index, item: messageItem('', 'in_progress') })
  event({ type: 'response.content_part.added', ...at, part: { ...part, text: '' } })
  for (const delta of parts) event({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })
  event({ type: 'response.output_text.done', ...at, text: part.text, logprobs: [] })
  event({ type: 'response.content_part.done', ...at, part })
  event({ type: 'response.output_item.done', output_index, item })
}

function sayCall(event, item, output_index, parts) {
  const at = { item_id: item.id, output_index }
  event({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, arguments: '', status: 'in_progress' },
  })
  for (const delta of parts) event({ type: 'response.function_call_arguments.delta', ...at, delta })
  event({ type: 'response.function_call_arguments.done', ...at, arguments: item.arguments })
  event({ type: 'response.output_item.done', output_index, item })
}

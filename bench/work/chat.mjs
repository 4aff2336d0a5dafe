/** Chat Completions. */
import { pieces } from './words.mjs'

const finishes = { calls: 'tool_calls', stop: 'stop', length: 'length' }
const named = finish => Object.keys(finishes).find(key => finishes[key] === finish)
const usage = { prompt_tokens: 812, completion_tokens: 96, total_tokens: 908 }

const callOf = ({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })

function messageOf(turn) {
  if ('user' in turn) return [{ role: 'user', content: turn.user }]
  if ('results' in turn) {
    return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }))
  }
  return [{ role: 'assistant', content: turn.say, tool_calls: turn.calls.map(callOf) }]
}

const chunk = (model, delta, finish_reason = null) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench0001',
    object: 'chat.completion.chunk',
    created: 1790000000,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_bench',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })}\n\n`

/** @type {import('./wires.mjs').WireWork} */
export const chat = {
  path: '/chat/completions',
  tools: tools =>
    tools.map(({ name, description, schema, strict }) => ({
      type: 'function',
      function: { name, description, parameters: schema, ...(strict && { strict }) },
    })),
  request: ({ system, tools, turns }, { model, stream = false }) => ({
    model,
    messages: [{ role: 'system', content: system }, ...turns.flatMap(messageOf)],
    ...(tools.length > 0 && { tools: chat.tools(tools), tool_choice: 'auto' }),
    max_completion_tokens: 1024,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  }),
  answer: ({ text, calls, finish }, model) => ({
    id: 'chatcmpl-bench0001',
    object: 'chat.completion',
    created: 1790000000,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          refusal: null,
          ...(calls.length > 0 && { tool_calls: calls.map(callOf) }),
        },
        logprobs: null,
        finish_reason: finishes[finish],
      },
    ],
    usage,
  }),
  stream({ text, calls, finish }, model, cuts) {
    const out = [chunk(model, { role: 'assistant', content: '', refusal: null })]
    for (const content of pieces(text, cuts.text)) out.push(chunk(model, { content }))
    for (const [index, { id, name, args }] of calls.entries()) {
      const head = { index, id, type: 'function', function: { name, arguments: '' } }
      out.push(chunk(model, { tool_calls: [head] }))
      for (const part of pieces(args, cuts.argument)) {
        out.push(chunk(model, { tool_calls: [{ index, function: { arguments: part } }] }))
      }
    }
    out.push(chunk(model, {}, finishes[finish]))
    const last = {
      id: 'chatcmpl-bench0001',
      object: 'chat.completion.chunk',
      created: 1790000000,
      model,
      choices: [],
      usage,
    }
    out.push(`data: ${JSON.stringify(last)}\n\n`, 'data: [DONE]\n\n')
    return out
  },
  readAnswer({ choices: [{ message, finish_reason }] }) {
    const calls = (message.tool_calls ?? []).map(call => ({
      id: call.id,
      name: call.function.name,
      args: call.function.arguments,
    }))
    return { text: message.content ?? '', calls, finish: named(finish_reason) }
  },
  readStream(frames) {
    const answer = { text: '', calls: [], finish: undefined, ended: false }
    for (const { data } of frames) {
      if (data !== '[DONE]') takeChunk(answer, JSON.parse(data))
    }
    // Clients take the finish for the end, whether `[DONE]` follows or not.
    answer.ended = answer.finish !== undefined
    return { ...answer, calls: answer.calls.filter(Boolean) }
  },
  readRequest({ messages = [], tools = [] }) {
    const textOf = content =>
      typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('')
    const isSystem = ({ role }) => role === 'system' || role === 'developer'
    return {
      system: messages
        .filter(isSystem)
        .map(({ content }) => textOf(content))
        .join('\n'),
      tools: tools.map(tool => ({ name: tool.function?.name, strict: tool.function?.strict })),
      results: messages
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id: id, content }) => ({ id, text: textOf(content) })),
      calls: messages.flatMap(({ tool_calls = [] }) =>
        tool_calls.map(call => ({ id: call.id, name: call.function.name, args: call.function.arguments })),
      ),
    }
  },
}

function takeChunk(answer, { choices = [] }) {
  for (const { delta = {}, finish_reason } of choices) {
    if (delta.content) answer.text += delta.content
    for (const { index, id, function: called = {} } of delta.tool_calls ?? []) {
      answer.calls[index] ??= { id, name: called.name, args: '' }
      answer.calls[index].args += called.arguments ?? ''
    }
    if (finish_reason) answer.finish = named(finish_reason)
  }
}

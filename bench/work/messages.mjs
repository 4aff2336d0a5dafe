/** Anthropic Messages. */
import { pieces } from './words.mjs'

const finishes = { calls: 'tool_use', stop: 'end_turn', length: 'max_tokens' }
const named = finish => Object.keys(finishes).find(key => finishes[key] === finish)
const usage = {
  input_tokens: 812,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 96,
}

const useOf = ({ id, name, args }) => ({ type: 'tool_use', id, name, input: JSON.parse(args) })

function messageOf(turn) {
  if ('user' in turn) return [{ role: 'user', content: turn.user }]
  if ('results' in turn) {
    const content = turn.results.map(({ id, text }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: text,
    }))
    return [{ role: 'user', content }]
  }
  return [{ role: 'assistant', content: [{ type: 'text', text: turn.say }, ...turn.calls.map(useOf)] }]
}

const event = data => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** @type {import('./wires.mjs').WireWork} */
export const messages = {
  path: '/messages',
  tools: tools =>
    tools.map(({ name, description, schema, strict }) => ({
      name,
      description,
      input_schema: schema,
      ...(strict && { strict }),
    })),
  request: ({ system, tools, turns }, { model, stream = false }) => ({
    model,
    max_tokens: 1024,
    system,
    messages: turns.flatMap(messageOf),
    ...(tools.length > 0 && { tools: messages.tools(tools), tool_choice: { type: 'auto' } }),
    stream,
  }),
  answer: ({ text, calls, finish }, model) => ({
    id: 'msg_bench0001',
    type: 'message',
    role: 'assistant',
    model,
    content: [...(text === '' ? [] : [{ type: 'text', text }]), ...calls.map(useOf)],
    stop_reason: finishes[finish],
    stop_sequence: null,
    usage,
  }),
  stream({ text, calls, finish }, model, cuts) {
    const message = messages.answer({ text: '', calls: [], finish }, model)
    const out = [event({ type: 'message_start', message: { ...message, stop_reason: null } })]
    let index = 0
    const block = (content_block, deltas) => {
      out.push(event({ type: 'content_block_start', index, content_block }))
      for (const delta of deltas) out.push(event({ type: 'content_block_delta', index, delta }))
      out.push(event({ type: 'content_block_stop', index }))
      index++
    }
    if (text !== '') {
      block(
        { type: 'text', text: '' },
        pieces(text, cuts.text).map(part => ({ type: 'text_delta', text: part })),
      )
    }
    for (const { id, name, args } of calls) {
      block(
        { type: 'tool_use', id, name, input: {} },
        pieces(args, cuts.argument).map(part => ({ type: 'input_json_delta', partial_json: part })),
      )
    }
    const delta = { stop_reason: finishes[finish], stop_sequence: null }
    out.push(event({ type: 'message_delta', delta, usage: { output_tokens: usage.output_tokens } }))
    out.push(event({ type: 'message_stop' }))
    return out
  },
  readAnswer({ content, stop_reason }) {
    const uses = content.filter(({ type }) => type === 'tool_use')
    return {
      text: content.map(({ text }) => text ?? '').join(''),
      calls: uses.map(({ id, name, input }) => ({ id, name, args: JSON.stringify(input) })),
      finish: named(stop_reason),
    }
  },
  readStream(frames) {
    const blocks = []
    let finish
    let ended = false
    for (const { data } of frames) {
      // Some add it from another wire; clients pass over it.
      if (data === '[DONE]') continue
      const given = JSON.parse(data)
      if (given.type === 'content_block_start') blocks[given.index] = { ...given.content_block, args: '' }
      else if (given.type === 'content_block_delta') takeDelta(blocks[given.index], given.delta)
      else if (given.type === 'message_delta') finish = named(given.delta.stop_reason)
      else if (given.type === 'message_stop') ended = true
    }
    const uses = blocks.filter(block => block?.type === 'tool_use')
    return {
      text: blocks.map(block => (block?.type === 'text' ? block.text : '')).join(''),
      calls: uses.map(({ id, name, args }) => ({ id, name, args })),
      finish,
      ended,
    }
  },
  readRequest({ system = '', messages: turns = [], tools = [] }) {
    const textOf = content =>
      typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('')
    const blocks = turns.flatMap(({ content }) => (Array.isArray(content) ? content : []))
    return {
      system: textOf(system),
      tools: tools.map(({ name, strict }) => ({ name, strict })),
      results: blocks
        .filter(({ type }) => type === 'tool_result')
        .map(({ tool_use_id: id, content }) => ({ id, text: textOf(content) })),
      calls: blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ id, name, args: JSON.stringify(input) })),
    }
  },
}

function takeDelta(block, delta) {
  if (delta.type === 'text_delta') block.text += delta.text
  if (delta.type === 'input_json_delta') block.args += delta.partial_json
}

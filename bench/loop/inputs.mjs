/** Requests that are made to be slow, or are merely long: what each sends, and to which route. */

const mebi = 1024 * 1024
const words = 'word '.repeat(400)
const messages = bytes =>
  Array.from({ length: Math.ceil(bytes / 2030) }, (_, i) => ({
    role: i % 2 ? 'assistant' : 'user',
    content: words,
  }))
const list = (entry, count) => `[${`${entry},`.repeat(count - 1)}${entry}]`
const keys = count => Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')

const messagesRequest = history => `{"model":"m","max_tokens":1,"messages":${history}}`
const toMessages = history => ({ path: '/v1/messages', body: messagesRequest(history) })
const ordinary = bytes => toMessages(JSON.stringify(messages(bytes)))
const responses = (input, more = '') => ({
  path: '/v1/responses',
  body: `{"model":"m"${more},"input":${input}}`,
})

/** What is stored first, and then read or continued by its id. */
const stored = {
  response: { ...responses('"a"'), upstream: 'long' },
  input: responses(JSON.stringify(messages(20 * mebi))),
  longResponse: { ...responses('"a"'), upstream: 'longer' },
  longItem: responses(JSON.stringify('word '.repeat(12 * mebi))),
  items: responses(list('{"role":"user","content":"a"}', 20_000)),
}
const continued = (id, path) => ({
  path,
  body: JSON.stringify({ model: 'm', store: false, previous_response_id: id, input: 'x' }),
})

const socketMessage = input => ({
  onSocket: true,
  body: `{"type":"response.create","model":"m","store":false,"input":${input}}`,
})

/**
 * `upstream`: what the upstream answers with, when it is not a short text. `before`: a request that is sent first, perhaps several
 * times, and whose id `next` gets. `onSocket`: it is sent as a message.
 */
export const inputs = {
  'ordinary messages, 0.4 MB': () => ordinary(0.4 * mebi),
  'ordinary messages, 10 MB': () => ordinary(10 * mebi),
  'ordinary messages, 60 MB': () => ordinary(60 * mebi),
  'ordinary messages, 60 MB, one wire': () => ({
    path: '/v1/chat/completions',
    body: JSON.stringify({ model: 'm', messages: messages(60 * mebi) }),
  }),
  'ordinary input, 20 MB': () => responses(JSON.stringify(messages(20 * mebi)), ',"store":false'),
  'ordinary input, 20 MB, stored': () => responses(JSON.stringify(messages(20 * mebi))),
  'empty objects, 6,600': () => toMessages(list('{}', 6_600)),
  'empty objects, 130,000': () => toMessages(list('{}', 130_000)),
  'empty objects, 60 MB': () => toMessages(list('{}', 20_000_000)),
  'lists in lists, 1 MB': () => toMessages('['.repeat(mebi)),
  'fields, 9,000': () => responses('"a"', `,"store":false,${keys(9_000)}`),
  'fields, 40,000': () => responses('"a"', `,"store":false,${keys(40_000)}`),
  'keys of a message, 9,000': () => responses(`[{"role":"user",${keys(9_000)}}]`, ',"store":false'),
  'keys of tools, 14,000': () =>
    responses('"a"', `,"store":false,"tools":${list(`{"type":"function","name":"f",${keys(137)}}`, 100)}`),
  'escapes, 10 MB': () => toMessages(`[{"role":"user","content":"${'\\"'.repeat(5 * mebi)}"}]`),
  'tools, 2,000': () =>
    responses(
      '"a"',
      `,"store":false,"tools":${list('{"type":"function","name":"f","parameters":{}}', 2_000)}`,
    ),
  'losses, 100,000': () =>
    responses(list('{"role":"user","content":"a","odd":1}', 100_000), ',"store":false'),
  'items of a conversation, 1,000,000': () => ({
    path: '/v1/conversations',
    body: `{"items":${list('{}', 1_000_000)}}`,
  }),
  'items of a conversation, 1,000': () => ({
    path: '/v1/conversations',
    body: `{"items":${list('{"role":"user","content":"a"}', 1_000)}}`,
  }),
  'tokens of 12 MB': () => ({
    path: '/v1/messages/count_tokens',
    body: JSON.stringify({ model: 'gpt-5', messages: messages(12 * mebi) }),
  }),
  'tokens of 0.5 MB without spaces': () => ({
    path: '/v1/messages/count_tokens',
    body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'qzxj'.repeat(mebi / 8) }] }),
  }),
  'model name, 60 MB': () => ({
    path: '/v1/responses',
    body: `{"model":"${'m'.repeat(60 * mebi)}","input":"a"}`,
  }),
  'instructions, 60 MB': () =>
    responses('"a"', `,"store":false,"instructions":"${'word '.repeat(12 * mebi)}"`),
  'references, 300,000': () =>
    responses(list('{"type":"item_reference","id":"msg_1"}', 300_000), ',"store":false'),
  'answer of 20 MB': () => ({ ...ordinary(1), upstream: 'long' }),
  'answer of 130,000 empty objects': () => ({ ...ordinary(1), upstream: 'empty-objects' }),
  'answer of lists in lists, 10 MB': () => ({ ...ordinary(1), upstream: 'nested' }),
  'stored response of 20 MB, read': () => ({
    before: stored.response,
    next: id => ({ method: 'GET', path: `/v1/responses/${id}` }),
  }),
  'stored input of 20 MB, listed': () => ({
    before: stored.input,
    next: id => ({ method: 'GET', path: `/v1/responses/${id}/input_items?limit=100` }),
  }),
  'stored input of 20 MB, continued': () => ({
    before: stored.input,
    next: id => continued(id, '/v1/responses'),
  }),
  'stored input of 20 MB, tokens': () => ({
    before: stored.input,
    next: id => continued(id, '/v1/responses/input_tokens'),
  }),
  'stored input of 20,000 items, continued': () => ({
    before: stored.items,
    next: id => continued(id, '/v1/responses'),
  }),
  'answer of 60 MB, stored': () => stored.longResponse,
  'stored response of 60 MB, read': () => ({
    before: stored.longResponse,
    next: id => ({ method: 'GET', path: `/v1/responses/${id}` }),
  }),
  'stored response of 60 MB, continued': () => ({
    before: stored.longResponse,
    next: id => continued(id, '/v1/responses'),
  }),
  'one input of 60 MB, stored': () => stored.longItem,
  'stored input of 60 MB, listed': () => ({
    before: stored.longItem,
    next: id => ({ method: 'GET', path: `/v1/responses/${id}/input_items` }),
  }),
  'stored input of 60 MB, continued': () => ({
    before: stored.longItem,
    next: id => continued(id, '/v1/responses'),
  }),
  'stream of 60 MB, one wire': () => ({
    path: '/v1/chat/completions',
    body: '{"model":"m","stream":true,"messages":[{"role":"user","content":"a"}]}',
    upstream: 'stream',
  }),
  'stream of 60 MB to Messages': () => ({
    path: '/v1/messages',
    body: '{"model":"m","stream":true,"max_tokens":1,"messages":[{"role":"user","content":"a"}]}',
    upstream: 'stream',
  }),
  'stream of 60 MB to Responses': () => ({
    ...responses('"a"', ',"stream":true,"store":false'),
    upstream: 'stream',
  }),
  'stream of 60 MB to Responses, stored': () => ({
    ...responses('"a"', ',"stream":true'),
    upstream: 'stream',
  }),
  'stream of 8 MB to Responses, stored': () => ({
    ...responses('"a"', ',"stream":true'),
    upstream: 'shorter-stream',
  }),
  'stream of 8 MB to Responses, in the background': () => ({
    ...responses('"a"', ',"stream":true,"background":true'),
    upstream: 'shorter-stream',
  }),
  'stream of 9,000 calls to Responses, stored': () => ({
    ...responses('"a"', ',"stream":true'),
    upstream: 'calls',
  }),
  'event of 4 MB': () => ({ ...responses('"a"', ',"stream":true,"store":false'), upstream: 'event' }),
  'event of 8 MB, one wire': () => ({
    path: '/v1/chat/completions',
    body: '{"model":"m","stream":true,"messages":[{"role":"user","content":"a"}]}',
    upstream: 'long-event',
  }),
  'event of 90,000 values': () => ({
    ...responses('"a"', ',"stream":true,"store":false'),
    upstream: 'values',
  }),
  'letters as in a mark, 60 MB': () => toMessages(`[{"role":"user","content":"${'c'.repeat(60 * mebi)}"}]`),
  'mentions of media, 60 MB': () =>
    toMessages(`[{"role":"user","content":"${'base64,'.repeat(8.5 * mebi)}"}]`),
  'message of 30 MB on a socket': () => socketMessage(JSON.stringify('word '.repeat(6 * mebi))),
  'message of 15 MB on a socket': () => socketMessage(JSON.stringify('word '.repeat(3 * mebi))),
  'escapes on a socket, 15 MB': () => socketMessage(`"${'\\"'.repeat(7.5 * mebi)}"`),
  'traces of 32 MB, listed': () => ({
    before: { ...ordinary(0.9 * mebi), times: 40 },
    next: () => ({ method: 'GET', path: '/toolwire/traces' }),
  }),
  'traces of 32 MB of values, listed': () => ({
    before: { ...toMessages(list('{"a":1}', 115_000)), times: 40, status: 'any' },
    next: () => ({ method: 'GET', path: '/toolwire/traces' }),
  }),
  'trace of 4 MB, read': () => ({
    before: { ...toMessages(JSON.stringify(messages(0.9 * mebi))), upstream: 'event' },
    next: () => ({ method: 'GET', path: '/toolwire/traces/x' }),
  }),
  'error page of 300 kB of <': () => ({ ...ordinary(1), upstream: 'page' }),
}

const completion = content =>
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })

function streamed(deltas) {
  const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const event = (delta, finish_reason = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const body = `${deltas.map(delta => event(delta)).join('')}${event({}, 'stop')}data: [DONE]\n\n`
  return { status: 200, type: 'text/event-stream', body }
}

const callDelta = index => ({
  tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'f', arguments: '{}' } }],
})

/** The answers of the upstream, by name. */
export const answers = {
  short: { status: 200, body: completion('Hello.') },
  long: { status: 200, body: completion('word '.repeat(4 * mebi)) },
  longer: { status: 200, body: completion('word '.repeat(12 * mebi)) },
  stream: streamed(Array.from({ length: 60 * 1024 }, () => ({ content: 'word '.repeat(200) }))),
  'shorter-stream': streamed(Array.from({ length: 8 * 1024 }, () => ({ content: 'word '.repeat(200) }))),
  calls: streamed(Array.from({ length: 9_000 }, (_, index) => callDelta(index))),
  event: streamed([{ content: 'word '.repeat(0.79 * mebi) }]),
  'long-event': streamed([{ content: 'word '.repeat(1.59 * mebi) }]),
  values: streamed([{ content: 'a', odd: Array.from({ length: 90_000 }, () => ({})) }]),
  'empty-objects': { status: 200, body: `{"choices":${list('{}', 130_000)}}` },
  nested: { status: 200, body: '['.repeat(10 * mebi) },
  page: { status: 400, body: `<html>Out of order ${'<'.repeat(300_000)}` },
}

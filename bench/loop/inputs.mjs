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

/** `upstream`: what the upstream answers with, when it is not a short text. */
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
  'keys, 9,000': () => responses('"a"', `,"store":false,${keys(9_000)}`),
  'keys, 40,000': () => responses('"a"', `,"store":false,${keys(40_000)}`),
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
  'answer of 20 MB': () => ({ ...ordinary(1), upstream: 'long' }),
  'answer of 130,000 empty objects': () => ({ ...ordinary(1), upstream: 'empty-objects' }),
  'answer of lists in lists, 10 MB': () => ({ ...ordinary(1), upstream: 'nested' }),
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

/** The answers of the upstream, by name. */
export const answers = {
  short: { status: 200, body: completion('Hello.') },
  long: { status: 200, body: completion('word '.repeat(4 * mebi)) },
  'empty-objects': { status: 200, body: `{"choices":${list('{}', 130_000)}}` },
  nested: { status: 200, body: '['.repeat(10 * mebi) },
  page: { status: 400, body: `<html>Out of order ${'<'.repeat(300_000)}` },
}

/** How a conversation begins on each wire, and where the gateway serves it. */

export const gateway = 'http://127.0.0.1:4141'

/** The gateway's demo model, which needs no key. With an upstream of your own, the name of its model. */
const model = 'demo'

export const wires = {
  chat: {
    path: '/v1/chat/completions',
    begin: text => ({ model, messages: [{ role: 'user', content: text }] }),
  },
  responses: {
    path: '/v1/responses',
    begin: text => ({ model, input: [{ role: 'user', content: text }] }),
  },
  messages: {
    path: '/v1/messages',
    begin: text => ({ model, max_tokens: 1000, messages: [{ role: 'user', content: text }] }),
  },
}

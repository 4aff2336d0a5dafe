/** One key that sends as much as it can, over many connections at once, until it is told to stop. */
import { Agent, request } from 'node:http'
import { setPriority } from 'node:os'
import { serveAsks } from '../lib/children.mjs'

// It shares a core with whoever measures, and must not be what is measured.
setPriority(19)

const agent = new Agent({ keepAlive: true, maxSockets: 10_000 })
const body = JSON.stringify({
  model: 'flooded',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'word '.repeat(400) }],
})
const headers = {
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
  authorization: 'Bearer key-of-the-flood',
}
let isOn = false
let answered = 0

function send(port) {
  return new Promise(resolve => {
    const asked = request(
      { agent, port, path: '/v1/messages', method: 'POST', headers: { ...headers } },
      answer => {
        answer.on('data', () => {})
        answer.on('end', resolve)
        answer.on('error', resolve)
      },
    )
    asked.on('error', resolve)
    asked.end(body)
  })
}

serveAsks({
  begin({ port, connections }) {
    isOn = true
    answered = 0
    for (let count = 0; count < connections; count++) {
      void (async () => {
        while (isOn) {
          await send(port)
          answered++
        }
      })()
    }
    return {}
  },
  end() {
    isOn = false
    return { answered }
  },
})

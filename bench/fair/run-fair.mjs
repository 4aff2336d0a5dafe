/** What one key that floods the gateway does to another key on another upstream, and to probes of the gateway's health. */
import { Agent, request } from 'node:http'
import { cores, startAsked } from '../lib/children.mjs'
import { median } from '../lib/stats.mjs'

const agent = new Agent({ keepAlive: true })
const connections = 200

/** How long one request takes, in milliseconds. */
function time(port, { path, body }) {
  const headers =
    body === undefined
      ? {}
      : {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          authorization: 'Bearer key-of-the-other',
        }
  const begun = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(
      { agent, port, path, method: body === undefined ? 'GET' : 'POST', headers },
      answer => {
        answer.on('data', () => {})
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve(performance.now() - begun)
            : reject(new Error(`${path} was answered with ${answer.statusCode}.`)),
        )
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}

const messages = model => ({
  path: '/v1/messages',
  body: JSON.stringify({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }),
})

async function sample(port, what, count) {
  const times = []
  for (let at = 0; at < count; at++) times.push(await time(port, what))
  return { p50: median(times), most: Math.max(...times) }
}

export async function runFair({ quick, say }) {
  const server = startAsked(new URL('./server.mjs', import.meta.url), { core: cores.measured })
  const flood = startAsked(new URL('./flood.mjs', import.meta.url), { core: cores.around })
  try {
    const { port, healthPort } = await server.ask('listen')
    const count = quick ? 100 : 500
    const whats = [
      { what: 'a request to an upstream that answers after 50 ms', port, ask: messages('usual') },
      { what: 'a request to an upstream that answers at once', port, ask: messages('at-once') },
      { what: '/live on a port of its own', port: healthPort, ask: { path: '/live' } },
      { what: '/ready on a port of its own', port: healthPort, ask: { path: '/ready' } },
      { what: '/live on the gateway’s port', port, ask: { path: '/live' } },
    ]
    for (const each of whats) await sample(each.port, each.ask, 50)
    const rows = []
    for (const { what, port: place, ask } of whats) {
      const quiet = await sample(place, ask, count)
      await flood.ask('begin', { port, connections })
      await new Promise(resolve => setTimeout(resolve, 500))
      const begun = performance.now()
      const flooded = await sample(place, ask, count)
      const seconds = (performance.now() - begun + 500) / 1000
      const { answered } = await flood.ask('end')
      await new Promise(resolve => setTimeout(resolve, 500))
      const row = {
        what,
        quiet,
        flooded,
        ratio: flooded.p50 / quiet.p50,
        floodEachSecond: answered / seconds,
      }
      rows.push(row)
      say(
        `fair: ${what}: p50 ${quiet.p50.toFixed(1)} ms quiet, ${flooded.p50.toFixed(1)} ms flooded (at most ${flooded.most.toFixed(0)} ms), ${row.floodEachSecond.toFixed(0)} other requests a second`,
      )
    }
    return rows
  } finally {
    agent.destroy()
    await server.stop()
    await flood.stop()
  }
}

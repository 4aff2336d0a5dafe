/** How long one request holds the gateway's event loop at a time, for long and for hostile requests; `LOOP_ONLY` is a pattern for some. */
import { request } from 'node:http'
import { WebSocket } from 'ws'
import { startAsked } from '../lib/children.mjs'
import { inputs } from './inputs.mjs'

const root = new URL('../..', import.meta.url)
const key = 'the-key-of-whoever-measures'
const authorization = `Bearer ${key}`

/** Resolves with the status, and the id that the answer begins with. */
function send(port, { method = 'POST', path, body = '', onSocket = false }) {
  if (onSocket) return sendMessage(port, body)
  const bytes = Buffer.from(body)
  return new Promise((resolve, reject) => {
    const sized = { 'content-type': 'application/json', 'content-length': bytes.length }
    const headers = { authorization, ...(method !== 'GET' && sized) }
    const asked = request({ port, path, method, headers }, answer => {
      let id
      answer.on('data', chunk => {
        id ??= /"id":"(\w+)"/.exec(chunk.toString('latin1', 0, 200))?.[1]
      })
      answer.on('end', () => resolve({ status: answer.statusCode, id }))
    })
    asked.on('error', reject)
    asked.end(bytes)
  })
}

/** Resolves with the status of the last message, or the code with which the socket was closed. */
function sendMessage(port, body) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/responses`, { headers: { authorization } })
    socket.on('open', () => socket.send(body))
    socket.on('message', data => {
      const { type, status = 200 } = JSON.parse(data)
      if (type !== 'error' && type !== 'response.completed' && type !== 'response.failed') return
      resolve({ status })
      socket.close()
    })
    socket.on('close', status => resolve({ status }))
    socket.on('error', reject)
  })
}

/** Not pinned to a core: its worker threads are to have another. @returns {Promise<{ input: string, status: number, tookMs: number, clockMs: number, cpuMs: number }[]>} */
export async function runLoop({ quick, say, folder = root.pathname }) {
  const server = startAsked(new URL('./server.mjs', import.meta.url), {
    execArgv: ['--expose-gc'],
    args: [JSON.stringify({ root: folder, key })],
  })
  const rows = []
  try {
    const { port } = await server.ask('listen')
    for (let i = 0; i < 30; i++) await send(port, inputs['ordinary messages, 0.4 MB']())
    await send(port, inputs['ordinary messages, 10 MB']())
    for (const [input, make] of Object.entries(inputs)) {
      if (!new RegExp(process.env.LOOP_ONLY ?? '').test(input)) continue
      const made = make()
      let given = made
      if (made.before !== undefined) {
        const { upstream, times = 1, status: wanted = 200 } = made.before
        await server.ask('begin', { upstream })
        for (let sent = 1; sent < times; sent++) await send(port, made.before)
        const { status, id } = await send(port, made.before)
        if (wanted !== 'any' && status !== wanted)
          throw new Error(`What is needed for "${input}" was answered with ${status}.`)
        given = made.next(id)
        await server.ask('end')
      }
      let row
      for (let round = 0; round < (quick ? 1 : 3); round++) {
        await server.ask('begin', { upstream: given.upstream })
        const begun = performance.now()
        const { status } = await send(port, given)
        const tookMs = performance.now() - begun
        const found = { input, status, tookMs, ...(await server.ask('end')) }
        // The least of the rounds: what else happened on the machine only adds to it.
        if (row === undefined || found.cpuMs < row.cpuMs) row = found
      }
      rows.push(row)
      say(
        `loop: ${input}: ${row.status}, held ${row.cpuMs.toFixed(0)} ms CPU (${row.clockMs.toFixed(0)} ms on the clock), took ${row.tookMs.toFixed(0)} ms`,
      )
    }
  } finally {
    await server.stop()
  }
  return rows
}

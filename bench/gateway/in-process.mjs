/**
 * The gateway without sockets: requests go into `handle`, the upstream answers from memory. What is left is the
 * gateway's own work, which is what a profile is to show.
 */

import { createGateway } from 'toolwire/gateway'
import { wires } from '../work/wires.mjs'
import { requestFor, upstreamModes } from './scenes.mjs'

const noFlow = { pause() {}, resume() {}, abort() {} }

function createTransport(wire, scene) {
  const { answer, cuts } = upstreamModes[scene]
  const whole = Buffer.from(JSON.stringify(wires[wire].answer(answer, 'bench-model')))
  const parts = wires[wire].stream(answer, 'bench-model', cuts).map(event => Buffer.from(event))
  const isStream = scene !== 'json'
  return (_request, receiver) => {
    queueMicrotask(() => {
      receiver.head(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
      for (const chunk of isStream ? parts : [whole]) receiver.data(chunk)
      receiver.end()
    })
    return noFlow
  }
}

/** @returns {() => Promise<number>} answers one request and tells how much was written */
export function createInProcess(scene, from, to, size) {
  const gateway = createGateway({
    upstreams: [
      { name: to, wire: to, baseUrl: 'http://127.0.0.1:9/v1', transport: createTransport(to, scene) },
    ],
  })
  const { path, body } = requestFor(from, 'bench-model', { stream: scene !== 'json', size })
  const bytes = Buffer.from(body)
  const headers = {
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(bytes.length),
  }
  return async () => {
    let written = 0
    const { signal } = new AbortController()
    await gateway.handle(
      { method: 'POST', target: path, headers, signal, body: async () => bytes },
      {
        head(status) {
          if (status !== 200) throw new Error(`The gateway answered ${status}.`)
        },
        write(chunk) {
          written += chunk.length
          return true
        },
        end(chunk) {
          written += chunk?.length ?? 0
        },
        onDrain() {},
      },
    )
    return written
  }
}

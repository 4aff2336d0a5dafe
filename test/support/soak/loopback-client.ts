/** Clients on real sockets: some read slowly, some disconnect. */
import type { Agent } from 'node:http'
import { request } from 'node:http'
import { setImmediate as nextTask } from 'node:timers/promises'
import { paths } from '../faults/wires.ts'
import { bodyOf, keyOf } from './bodies.ts'
import type { LoopbackPlan } from './loopback-plan.ts'

export interface Received {
  readonly status: number
  readonly text: string
  /** `left`: the client disconnected. `broken`: the connection ended before the answer did. */
  readonly how: 'whole' | 'left' | 'broken'
}

export function sendOverLoopback(port: number, agent: Agent, given: LoopbackPlan): Promise<Received> {
  const { plan, leavesAfter = Number.POSITIVE_INFINITY, isSlow } = given
  const body = JSON.stringify(bodyOf(plan))
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let length = 0
    let status = 0
    const finish = (how: Received['how']): void =>
      resolve({ status, text: Buffer.concat(chunks).toString('utf8'), how })
    const sent = request({
      port,
      agent,
      host: '127.0.0.1',
      method: 'POST',
      path: paths[plan.client],
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        authorization: `Bearer ${keyOf(plan.owner)}`,
      },
    })
    const leave = (): void => {
      finish('left')
      sent.destroy()
    }
    sent.on('error', () => finish('broken'))
    sent.on('response', incoming => {
      status = incoming.statusCode ?? 0
      incoming.on('error', () => finish('broken'))
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length > leavesAfter) leave()
        else if (isSlow) {
          incoming.pause()
          void nextTask().then(() => incoming.resume())
        }
      })
      incoming.on('end', () => finish(incoming.complete ? 'whole' : 'broken'))
    })
    sent.end(body)
  })
}

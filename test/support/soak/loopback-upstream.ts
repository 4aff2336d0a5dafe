/** Upstreams of all three wires behind one real socket, which fail as each exchange is planned. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTask } from 'node:timers/promises'
import type { BuiltInWire as Wire } from '@toolwire/core'
import { readHistory } from '../gateway/script.ts'
import { listen } from '../gateway/upstream.ts'
import type { LoopbackPlan } from './loopback-plan.ts'
import { framesOf, plannedTurn } from './upstream-frames.ts'

export interface LoopbackUpstream {
  readonly server: Server
  readonly baseUrl: string
  /** The number of answers that wait for `release`. */
  readonly stalled: number
  release(): void
  /** The number of requests whose answer has not ended. */
  readonly open: number
}

export async function startLoopbackUpstream(
  planOf: (n: number) => LoopbackPlan,
  onStall: () => void,
): Promise<LoopbackUpstream> {
  const stalled: (() => void)[] = []
  let open = 0
  const stall = (): Promise<void> =>
    new Promise(resolve => {
      stalled.push(resolve)
      onStall()
    })
  const server = createServer((incoming, outgoing) => {
    open++
    outgoing.once('close', () => open--)
    void serve(incoming, outgoing, planOf, stall)
  })
  return {
    server,
    baseUrl: `${await listen(server)}/v1`,
    get stalled() {
      return stalled.length
    },
    release() {
      for (const resolve of stalled.splice(0)) resolve()
    },
    get open() {
      return open
    },
  }
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  planOf: (n: number) => LoopbackPlan,
  stall: () => Promise<void>,
): Promise<void> {
  const body = JSON.parse(await text(incoming)) as { model: string }
  const [wire, n] = body.model.split('-') as [Wire, string]
  const { plan, behaviour, where } = planOf(Number(n))
  const frames = framesOf(wire, plannedTurn(plan, 0, readHistory(wire, body)))
  const at = Math.floor(where * frames.length)
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [i, frame] of frames.entries()) {
    if (outgoing.destroyed) return
    if (i === at) {
      if (behaviour === 'resets') {
        outgoing.destroy()
        return
      }
      if (behaviour === 'ends early') break
      if (behaviour === 'stalls') await stall()
      if (behaviour === 'hangs') return
    }
    if (!outgoing.write(frame))
      await new Promise(resolve => outgoing.once('drain', resolve).once('close', resolve))
    if (behaviour === 'slowly' || i % 16 === 0) await nextTask()
  }
  outgoing.end()
}

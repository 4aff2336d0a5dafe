/** Checks what a client on a real socket received, by the behaviour of its upstream. */
import { errorIn } from '../faults/wires.ts'
import { judge as judgeOrder } from '../streams/event-order.ts'
import { judgeAll, judgePrefix } from './judge.ts'
import type { Received } from './loopback-client.ts'
import type { LoopbackPlan } from './loopback-plan.ts'
import { readStream } from './reader.ts'

/** Returns what is wrong, or nothing. */
export function judgeReceived(
  { plan, manner }: LoopbackPlan,
  { status, text: received, how }: Received,
): string[] {
  const wrong: string[] = []
  const fault = (text: string): void => {
    wrong.push(`exchange ${plan.n} (${plan.client} to ${plan.upstream}, ${manner}): ${text}`)
  }
  const mayFail = manner === 'resets' || manner === 'ends early'
  if (how === 'broken') fault('the connection broke')
  if (status !== 200) {
    if (!mayFail || errorIn(plan.client, JSON.parse(received)) === undefined)
      fault(`status ${status}: ${received}`)
    return wrong
  }
  const understood = readStream(plan.client, received)
  if (how !== 'whole') {
    judgePrefix(plan, understood, fault)
    return wrong
  }
  // With passthrough, the order of events is the upstream's.
  if (plan.client !== plan.upstream)
    for (const wrongOrder of judgeOrder(plan.client, received)) fault(wrongOrder)
  if (understood.endings !== 1) fault(`${understood.endings} endings`)
  if (understood.afterEnd !== 0) fault('something after the end')
  if (understood.end !== (mayFail ? 'failed' : 'good')) fault(`it ended ${understood.end}`)
  if (mayFail) judgePrefix(plan, understood, fault)
  else judgeAll(plan, understood, fault)
  return wrong
}

/** Checks what a client on a real socket received, by the behaviour of its upstream. */
import { errorIn } from '../faults/wires.ts'
import { checkEventOrder } from '../streams/event-order.ts'
import { checkContent, checkPrefix } from './content.ts'
import type { Received } from './loopback-client.ts'
import type { LoopbackPlan } from './loopback-plan.ts'
import { readStream } from './reader.ts'

/** Returns what is wrong, or nothing. */
export function checkReceived(
  { plan, behaviour }: LoopbackPlan,
  { status, text: received, how }: Received,
): string[] {
  const wrong: string[] = []
  const fault = (text: string): void => {
    wrong.push(`exchange ${plan.n} (${plan.client} to ${plan.upstream}, ${behaviour}): ${text}`)
  }
  const mayFail = behaviour === 'resets' || behaviour === 'ends early'
  if (how === 'broken') fault('the connection broke')
  if (status !== 200) {
    if (!mayFail || errorIn(plan.client, JSON.parse(received)) === undefined)
      fault(`status ${status}: ${received}`)
    return wrong
  }
  const answer = readStream(plan.client, received)
  if (how !== 'whole') {
    checkPrefix(plan, answer, fault)
    return wrong
  }
  // With passthrough, the order of events is the upstream's.
  if (plan.client !== plan.upstream)
    for (const wrongOrder of checkEventOrder(plan.client, received)) fault(wrongOrder)
  if (answer.endings !== 1) fault(`${answer.endings} endings`)
  if (answer.afterEnd !== 0) fault('something after the end')
  if (answer.end !== (mayFail ? 'failed' : 'good')) fault(`it ended ${answer.end}`)
  if (mayFail) checkPrefix(plan, answer, fault)
  else checkContent(plan, answer, fault)
  return wrong
}

/** Checks what a client on a real socket received, by the behaviour of its upstream. */
import { errorIn } from '../faults/wires.ts'
import { judge as judgeOrder } from '../streams/event-order.ts'
import { judgeAll, judgePrefix } from './judge.ts'
import type { Received } from './loopback-client.ts'
import type { LoopbackPlan } from './loopback-plan.ts'
import { readStream } from './reader.ts'

/** What is wrong; nothing when all is as it must be. */
export function judgeReceived({ plan, manner }: LoopbackPlan, { status, text, how }: Received): string[] {
  const wrong: string[] = []
  const fault = (words: string): void => {
    wrong.push(`exchange ${plan.n} (${plan.client} to ${plan.upstream}, ${manner}): ${words}`)
  }
  const mayFail = manner === 'resets' || manner === 'ends early'
  if (how === 'broken') fault('the connection broke')
  if (status !== 200) {
    if (!mayFail || errorIn(plan.client, JSON.parse(text)) === undefined) fault(`status ${status}: ${text}`)
    return wrong
  }
  const understood = readStream(plan.client, text)
  if (how !== 'whole') {
    judgePrefix(plan, understood, fault)
    return wrong
  }
  // Bytes that pass as they are keep the habits of their upstream.
  if (plan.client !== plan.upstream) for (const words of judgeOrder(plan.client, text)) fault(words)
  if (understood.endings !== 1) fault(`${understood.endings} endings`)
  if (understood.afterEnd !== 0) fault('something after the end')
  if (understood.end !== (mayFail ? 'failed' : 'good')) fault(`it ended ${understood.end}`)
  if (mayFail) judgePrefix(plan, understood, fault)
  else judgeAll(plan, understood, fault)
  return wrong
}

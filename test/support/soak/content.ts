/** Compares what a client received with what was planned. */
import { nameOf } from './bodies.ts'
import type { Plan, PlannedCall } from './plan.ts'
import type { ReadAnswer } from './reader.ts'
import { isServerTool } from './upstream-frames.ts'

type Report = (text: string) => void

export const plannedText = ({ turns }: Plan): string => turns.map(({ text }) => text).join('')

const clientCallsOf = (plan: Plan): { name: string; input: string }[] =>
  plan.turns
    .flatMap(({ calls }) => calls)
    .filter(call => !isServerTool(call))
    .map(call => ({ name: nameOf(plan, call.tool), input: inputOf(call) }))

/** A custom tool gets a string, a function an object. */
const inputOf = ({ tool, token }: PlannedCall): string =>
  tool === 'patch' ? token : JSON.stringify({ city: token })

const shown = (text: string): string => JSON.stringify(text.slice(0, 500))

export function checkContent(plan: Plan, { text, calls }: ReadAnswer, fault: Report): void {
  if (text !== plannedText(plan)) fault(`the text is ${shown(text)}, not ${shown(plannedText(plan))}`)
  const found = JSON.stringify(calls.map(({ name, input }) => ({ name, input })))
  const expected = JSON.stringify(clientCallsOf(plan))
  if (found !== expected) fault(`the calls are ${found}, not ${expected}`)
}

/** A custom call that is cut off before its text shows the wrapper that upstreams without custom tools get. */
const wrapper = '{"input":"'

export function checkPrefix(plan: Plan, { text, calls }: ReadAnswer, fault: Report): void {
  if (!plannedText(plan).startsWith(text)) fault(`the text ${shown(text)} is not in the plan`)
  const expected = clientCallsOf(plan)
  for (const [i, { name, input }] of calls.entries()) {
    const call = expected[i]
    const isPlanned = call?.input.startsWith(input) || (name === 'patch' && wrapper.startsWith(input))
    if (call?.name !== name || !isPlanned) fault(`the call ${name} ${input} is not in the plan`)
  }
}

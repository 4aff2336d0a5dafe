/** Checks what must hold for every exchange of a simulation and for the store, whatever faults occur. */
import { errorIn } from '../faults/wires.ts'
import { callsOf, resultsOf, textsOf } from '../gateway/history.ts'
import { checkEventOrder } from '../streams/event-order.ts'
import type { SoakClient } from './client.ts'
import { nameOf, promptOf } from './client.ts'
import type { Plan, PlannedCall } from './plan.ts'
import type { ReadAnswer } from './reader.ts'
import { readAnswer, readStream } from './reader.ts'
import type { SoakExchange } from './state.ts'
import type { SoakStore } from './store.ts'
import { isFound, resultOf } from './tools.ts'
import { callId, isServerTool } from './upstream-frames.ts'

export interface Conditions {
  /** The gateway passes the bytes of the upstream through. */
  readonly isPassthrough: boolean
  /** An operation of the store has failed. */
  readonly storeFailed: boolean
  /** The gateway was stopped while clients were connected. */
  readonly isDrained: boolean
}

/** How the exchange ended for the client. */
export type Ending = 'good' | 'failed' | 'refused' | 'left'

export interface CheckResult {
  readonly ending: Ending
  readonly faults: readonly string[]
  readonly answer?: ReadAnswer
}

export function checkExchange(client: SoakClient, conditions: Conditions): CheckResult {
  const faults: string[] = []
  const fault = (text: string): void => void faults.push(text)
  const { exchange, status, isEnded, isGone } = client
  if (!exchange.isDone) fault('it never ended')
  if (!isEnded && !isGone) fault('the answer has no end')
  for (const { how } of exchange.flows) if (how === 'open') fault('a request to the upstream is left open')
  if (!conditions.isPassthrough) checkRequests(client, fault)
  const isStream = client.headers['content-type']?.startsWith('text/event-stream') === true
  if (isGone) {
    if (isStream && !conditions.isPassthrough)
      checkPrefix(exchange.plan, readStream(exchange.plan.client, client.text), fault)
    return { ending: 'left', faults }
  }
  try {
    if (isStream) return checkStream(client, conditions, faults)
    if (status === 200) return checkAnswer(client, faults)
    checkRefusal(client, conditions, fault)
  } catch (error) {
    fault(`it cannot be read (${error}): ${client.text}`)
  }
  return { ending: 'refused', faults }
}

type Report = (text: string) => void

function checkStream(client: SoakClient, conditions: Conditions, faults: string[]): CheckResult {
  const fault: Report = text => void faults.push(text)
  const { exchange, text } = client
  const { plan } = exchange
  const isOdd = plan.fault?.kind === 'malformed' || plan.fault?.kind === 'error' || !exchange.isBroken
  // With passthrough, an invalid stream must only have the same bytes as the upstream's.
  if (conditions.isPassthrough && plan.fault !== undefined && isOdd) {
    if (!text.replaceAll(heartbeat, '').startsWith(completeEvents(exchange.sent))) fault('bytes were changed')
    return { ending: 'failed', faults }
  }
  // Servers of this wire may leave out the literal [DONE].
  const isBare = conditions.isPassthrough && plan.client === 'responses' && !text.endsWith(done)
  const answer = readStream(plan.client, text)
  const isCutOff = conditions.isPassthrough && answer.end !== 'good'
  for (const wrong of checkEventOrder(plan.client, isBare ? text + done : text)) {
    if (!isCutOff || !allowedFaults.test(wrong)) fault(wrong)
  }
  if (answer.endings !== 1) fault(`${answer.endings} endings`)
  if (answer.afterEnd > 0) fault(`${answer.afterEnd} events after the end`)
  if (answer.end === 'good') {
    checkContent(plan, answer, fault)
    if (exchange.isBroken) fault('a broken answer was sent as a complete one')
  } else {
    checkPrefix(plan, answer, fault)
    checkFailure(client, conditions, answer.failure ?? '', fault)
  }
  return { ending: answer.end === 'good' ? 'good' : 'failed', faults, answer }
}

/** With passthrough, a stream may fail before its start, when only pings have arrived. */
const allowedFaults = /^ping before the start|^begins with error/

const heartbeat = ': keep-alive\n\n'
const done = 'data: [DONE]\n\n'

function completeEvents(bytes: readonly Buffer[]): string {
  const text = Buffer.concat(bytes).toString('utf8')
  return text.slice(0, text.lastIndexOf('\n\n') + 2)
}

function checkAnswer(client: SoakClient, faults: string[]): CheckResult {
  const fault: Report = text => void faults.push(text)
  const { exchange, text } = client
  const body = JSON.parse(text) as Record<string, unknown>
  const answer = readAnswer(exchange.plan.client, body)
  if (exchange.plan.form !== 'background') {
    checkContent(exchange.plan, answer, fault)
    if (exchange.isBroken) fault('a broken answer was sent as a complete one')
  } else if (body.status !== 'queued') fault(`a receipt with status ${body.status}`)
  return { ending: 'good', faults, answer }
}

const plannedText = ({ turns }: Plan): string => turns.map(({ text }) => text).join('')

const clientCallsOf = (plan: Plan): { name: string; input: string }[] =>
  plan.turns
    .flatMap(({ calls }) => calls)
    .filter(call => !isServerTool(call))
    .map(call => ({ name: nameOf(plan, call.tool), input: inputOf(call) }))

/** A custom tool gets a string, a function an object. */
const inputOf = ({ tool, token }: PlannedCall): string =>
  tool === 'patch' ? token : JSON.stringify({ city: token })

export function checkContent(plan: Plan, { text, calls }: ReadAnswer, fault: Report): void {
  if (text !== plannedText(plan))
    fault(`the text is ${JSON.stringify(text)}, not ${JSON.stringify(plannedText(plan))}`)
  const found = JSON.stringify(calls.map(({ name, input }) => ({ name, input })))
  const expected = JSON.stringify(clientCallsOf(plan))
  if (found !== expected) fault(`the calls are ${found}, not ${expected}`)
}

/** A custom call that is cut off before its text shows the wrapper that upstreams without custom tools get. */
const wrapper = '{"input":"'

export function checkPrefix(plan: Plan, { text, calls }: ReadAnswer, fault: Report): void {
  if (!plannedText(plan).startsWith(text)) fault(`the text ${JSON.stringify(text)} is not in the plan`)
  const expected = clientCallsOf(plan)
  for (const [i, { name, input }] of calls.entries()) {
    const call = expected[i]
    const isPlanned = call?.input.startsWith(input) || (name === 'patch' && wrapper.startsWith(input))
    if (call?.name !== name || !isPlanned) fault(`the call ${name} ${input} is not in the plan`)
  }
}

/** Every server tool call has exactly one result, in the next request. */
function checkRequests({ exchange }: SoakClient, fault: Report): void {
  const { plan, received, continues } = exchange
  for (const [at, history] of received.entries()) {
    const earlier = plan.turns
      .slice(0, at)
      .flatMap(({ calls }, turn) =>
        calls.map(({ token }, index) => ({ token, id: callId(plan.n, turn, index) })),
      )
    const made = callsOf(history)
    const answered = resultsOf(history)
    for (const { id, token } of earlier) {
      if (made.filter(call => call.id === id).length !== 1) fault(`request ${at} has not one call ${id}`)
      const results = answered.filter(result => result.id === id)
      if (results.length !== 1) fault(`request ${at} has ${results.length} results of ${id}`)
      for (const { text } of results) {
        if (text === '' || (isFound(text) && text !== resultOf(token)))
          fault(`${id} has the wrong result ${text}`)
      }
    }
    const asked = textsOf(history, 'user').join()
    if (!asked.includes(promptOf(plan))) fault(`request ${at} lacks the question of the client`)
    if (continues === undefined) continue
    if (!asked.includes(promptOf(continues.from))) fault(`request ${at} lacks the earlier question`)
    const before = textsOf(history, 'assistant').join('')
    if (!before.includes(plannedText(continues.from)))
      fault(`request ${at} lacks the earlier answer: ${before}`)
  }
}

function checkRefusal(client: SoakClient, conditions: Conditions, fault: Report): void {
  const { exchange, status, text } = client
  const { plan, continues } = exchange
  const message = errorIn(plan.client, JSON.parse(text))
  if (message === undefined) {
    fault(`status ${status} with a body that is not an error of its wire: ${text}`)
    return
  }
  if (continues !== undefined && continues.owner !== continues.from.owner) {
    if (!message.includes('not found') && !mayRefuse(conditions, message))
      fault(`another owner received: ${message}`)
    if (exchange.flows.length > 0) fault('the upstream got a request of another owner')
    return
  }
  checkFailure(client, conditions, message, fault)
}

function mayRefuse({ storeFailed, isDrained }: Conditions, message: string): boolean {
  return (
    (storeFailed && message.includes('The store is not available')) ||
    (isDrained && message.includes('shutting down'))
  )
}

/** A failure must have a cause in the plan or in the conditions. */
function checkFailure(
  { exchange: { plan } }: SoakClient,
  conditions: Conditions,
  message: string,
  fault: Report,
): void {
  const hasReason = plan.fault !== undefined || plan.failures.length > 0
  if (!hasReason && !mayRefuse(conditions, message)) fault(`it failed without a cause: ${message}`)
  // Silent upstreams, tools and blocked clients have shorter deadlines of their own.
  if (message.includes('took longer than')) fault(`no shorter deadline was used: ${message}`)
}

/** A response is stored as complete if and only if its client received a complete one, and only for its owner. */
export function checkStored(
  exchange: SoakExchange,
  ending: Ending,
  store: SoakStore,
  owner: string,
): string[] {
  const { plan } = exchange
  const wrong: string[] = []
  const records = store.recordsOf(promptOf(plan))
  if (!plan.stores && records.length > 0) wrong.push('it was stored although the client refused')
  if (records.length > 1) wrong.push(`it was stored ${records.length} times`)
  const [record] = records
  if (record !== undefined && record.owner !== owner) wrong.push('it was stored for another owner')
  if (plan.form === 'background') {
    const isUnfinished = record?.status === 'queued' || record?.status === 'in_progress'
    if (isUnfinished && store.failures === 0) wrong.push(`in the background it is still ${record.status}`)
    return wrong
  }
  const isComplete = record?.status === 'completed'
  if (plan.stores && ending === 'good' && !isComplete) wrong.push('it was not stored')
  if (isComplete && ending !== 'good' && ending !== 'left')
    wrong.push(`it was stored as complete but ${ending}`)
  if (record !== undefined && isStranger(exchange)) wrong.push('the response of another owner was continued')
  return wrong
}

const isStranger = ({ continues }: SoakExchange): boolean =>
  continues !== undefined && continues.owner !== continues.from.owner

/** Checks what must hold for every exchange of a simulation and for the store, whatever faults occur. */
import { errorIn } from '../faults/wires.ts'
import { calls as callsIn, results as resultsIn, said } from '../gateway/history.ts'
import { judge as judgeOrder } from '../streams/event-order.ts'
import type { Visitor } from './client.ts'
import { nameOf, promptOf } from './client.ts'
import type { Plan, PlannedCall } from './plan.ts'
import type { Understood } from './reader.ts'
import { readStream, readWhole } from './reader.ts'
import type { Course } from './scene.ts'
import type { SoakStore } from './store.ts'
import { isFound, resultOf } from './tools.ts'
import { callId, isServerTool } from './upstream-frames.ts'

export interface Circumstances {
  /** The gateway passes the bytes of the upstream through. */
  readonly isPassthrough: boolean
  /** An operation of the store has failed. */
  readonly storeFailed: boolean
  /** The gateway was stopped while clients were connected. */
  readonly isDrained: boolean
}

/** How the exchange ended for the client. */
export type Ending = 'good' | 'failed' | 'refused' | 'left'

export interface Verdict {
  readonly ending: Ending
  readonly faults: readonly string[]
  readonly understood?: Understood
}

export function judgeVisit(visitor: Visitor, circumstances: Circumstances): Verdict {
  const faults: string[] = []
  const fault = (text: string): void => void faults.push(text)
  const { course, status, isEnded, isGone } = visitor
  if (!course.isDone) fault('it never ended')
  if (!isEnded && !isGone) fault('the answer has no end')
  for (const { how } of course.flows) if (how === 'open') fault('a request to the upstream is left open')
  if (!circumstances.isPassthrough) judgeRequests(visitor, fault)
  const isStream = visitor.headers['content-type']?.startsWith('text/event-stream') === true
  if (isGone) {
    if (isStream && !circumstances.isPassthrough)
      judgePrefix(course.plan, readStream(course.plan.client, visitor.text), fault)
    return { ending: 'left', faults }
  }
  try {
    if (isStream) return judgeStream(visitor, circumstances, faults)
    if (status === 200) return judgeWhole(visitor, faults)
    judgeRefusal(visitor, circumstances, fault)
  } catch (error) {
    fault(`it cannot be read (${error}): ${visitor.text}`)
  }
  return { ending: 'refused', faults }
}

type Report = (text: string) => void

function judgeStream(visitor: Visitor, circumstances: Circumstances, faults: string[]): Verdict {
  const fault: Report = text => void faults.push(text)
  const { course, text } = visitor
  const { plan } = course
  const isOdd = plan.fault?.kind === 'malformed' || plan.fault?.kind === 'error' || !course.isDoomed
  // With passthrough, an invalid stream must only have the same bytes as the upstream's.
  if (circumstances.isPassthrough && plan.fault !== undefined && isOdd) {
    if (!text.replaceAll(heartbeat, '').startsWith(wholeEvents(course.given))) fault('bytes were changed')
    return { ending: 'failed', faults }
  }
  // Servers of this wire may leave out the literal [DONE].
  const isBare = circumstances.isPassthrough && plan.client === 'responses' && !text.endsWith(done)
  const understood = readStream(plan.client, text)
  const isCutOff = circumstances.isPassthrough && understood.end !== 'good'
  for (const wrong of judgeOrder(plan.client, isBare ? text + done : text)) {
    if (!isCutOff || !allowedFaults.test(wrong)) fault(wrong)
  }
  if (understood.endings !== 1) fault(`${understood.endings} endings`)
  if (understood.afterEnd > 0) fault(`${understood.afterEnd} events after the end`)
  if (understood.end === 'good') {
    judgeAll(plan, understood, fault)
    if (course.isDoomed) fault('a broken answer was sent as a complete one')
  } else {
    judgePrefix(plan, understood, fault)
    judgeFailure(visitor, circumstances, understood.failure ?? '', fault)
  }
  return { ending: understood.end === 'good' ? 'good' : 'failed', faults, understood }
}

/** With passthrough, a stream may fail before its start, when only pings have arrived. */
const allowedFaults = /^ping before the start|^begins with error/

const heartbeat = ': keep-alive\n\n'
const done = 'data: [DONE]\n\n'

function wholeEvents(given: readonly Buffer[]): string {
  const text = Buffer.concat(given).toString('utf8')
  return text.slice(0, text.lastIndexOf('\n\n') + 2)
}

function judgeWhole(visitor: Visitor, faults: string[]): Verdict {
  const fault: Report = text => void faults.push(text)
  const { course, text } = visitor
  const body = JSON.parse(text) as Record<string, unknown>
  const understood = readWhole(course.plan.client, body)
  if (course.plan.form !== 'background') {
    judgeAll(course.plan, understood, fault)
    if (course.isDoomed) fault('a broken answer was sent as a complete one')
  } else if (body.status !== 'queued') fault(`a receipt with status ${body.status}`)
  return { ending: 'good', faults, understood }
}

const textsOf = ({ turns }: Plan): string => turns.map(({ text }) => text).join('')

const clientCallsOf = (plan: Plan): { name: string; input: string }[] =>
  plan.turns
    .flatMap(({ calls }) => calls)
    .filter(call => !isServerTool(call))
    .map(call => ({ name: nameOf(plan, call.tool), input: inputOf(call) }))

/** A custom tool gets a string, a function an object. */
const inputOf = ({ tool, token }: PlannedCall): string =>
  tool === 'patch' ? token : JSON.stringify({ city: token })

export function judgeAll(plan: Plan, { text, calls }: Understood, fault: Report): void {
  if (text !== textsOf(plan))
    fault(`the text is ${JSON.stringify(text)}, not ${JSON.stringify(textsOf(plan))}`)
  const found = JSON.stringify(calls.map(({ name, input }) => ({ name, input })))
  const expected = JSON.stringify(clientCallsOf(plan))
  if (found !== expected) fault(`the calls are ${found}, not ${expected}`)
}

/** A custom call that is cut off before its text shows the wrapper that upstreams without custom tools get. */
const wrapper = '{"input":"'

export function judgePrefix(plan: Plan, { text, calls }: Understood, fault: Report): void {
  if (!textsOf(plan).startsWith(text)) fault(`the text ${JSON.stringify(text)} is not in the plan`)
  const expected = clientCallsOf(plan)
  for (const [i, { name, input }] of calls.entries()) {
    const call = expected[i]
    const isPlanned = call?.input.startsWith(input) || (name === 'patch' && wrapper.startsWith(input))
    if (call?.name !== name || !isPlanned) fault(`the call ${name} ${input} is not in the plan`)
  }
}

/** Every server tool call has exactly one result, in the next request. */
function judgeRequests({ course }: Visitor, fault: Report): void {
  const { plan, heard, continues } = course
  for (const [at, history] of heard.entries()) {
    const earlier = plan.turns
      .slice(0, at)
      .flatMap(({ calls }, turn) =>
        calls.map(({ token }, index) => ({ token, id: callId(plan.n, turn, index) })),
      )
    const made = callsIn(history)
    const answered = resultsIn(history)
    for (const { id, token } of earlier) {
      if (made.filter(call => call.id === id).length !== 1) fault(`request ${at} has not one call ${id}`)
      const results = answered.filter(result => result.id === id)
      if (results.length !== 1) fault(`request ${at} has ${results.length} results of ${id}`)
      for (const { text } of results) {
        if (text === '' || (isFound(text) && text !== resultOf(token)))
          fault(`${id} has the wrong result ${text}`)
      }
    }
    const asked = said(history, 'user').join()
    if (!asked.includes(promptOf(plan))) fault(`request ${at} lacks the question of the client`)
    if (continues === undefined) continue
    if (!asked.includes(promptOf(continues.from))) fault(`request ${at} lacks the earlier question`)
    const before = said(history, 'assistant').join('')
    if (!before.includes(textsOf(continues.from))) fault(`request ${at} lacks the earlier answer: ${before}`)
  }
}

function judgeRefusal(visitor: Visitor, circumstances: Circumstances, fault: Report): void {
  const { course, status, text } = visitor
  const { plan, continues } = course
  const message = errorIn(plan.client, JSON.parse(text))
  if (message === undefined) {
    fault(`status ${status} with a body that is not an error of its wire: ${text}`)
    return
  }
  if (continues !== undefined && continues.owner !== continues.from.owner) {
    if (!message.includes('not found') && !mayRefuse(circumstances, message))
      fault(`another owner received: ${message}`)
    if (course.flows.length > 0) fault('the upstream got a request of another owner')
    return
  }
  judgeFailure(visitor, circumstances, message, fault)
}

function mayRefuse({ storeFailed, isDrained }: Circumstances, message: string): boolean {
  return (
    (storeFailed && message.includes('The store is not available')) ||
    (isDrained && message.includes('shutting down'))
  )
}

/** A failure must have a cause in the plan or in the circumstances. */
function judgeFailure(
  { course: { plan } }: Visitor,
  circumstances: Circumstances,
  message: string,
  fault: Report,
): void {
  const hasReason = plan.fault !== undefined || plan.troubles.length > 0
  if (!hasReason && !mayRefuse(circumstances, message)) fault(`it failed without a cause: ${message}`)
  // Silent upstreams, tools and blocked clients have shorter deadlines of their own.
  if (message.includes('took longer than')) fault(`no shorter deadline was used: ${message}`)
}

/** A response is stored as complete if and only if its client received a complete one, and only for its owner. */
export function judgeStored(course: Course, ending: Ending, store: SoakStore, owner: string): string[] {
  const { plan } = course
  const wrong: string[] = []
  const records = store.recordsOf(promptOf(plan))
  if (!plan.keeps && records.length > 0) wrong.push('it was stored although the client refused')
  if (records.length > 1) wrong.push(`it was stored ${records.length} times`)
  const [record] = records
  if (record !== undefined && record.owner !== owner) wrong.push('it was stored for another owner')
  if (plan.form === 'background') {
    const isUnfinished = record?.status === 'queued' || record?.status === 'in_progress'
    if (isUnfinished && store.troubles === 0) wrong.push(`in the background it is still ${record.status}`)
    return wrong
  }
  const isComplete = record?.status === 'completed'
  if (plan.keeps && ending === 'good' && !isComplete) wrong.push('it was not stored')
  if (isComplete && ending !== 'good' && ending !== 'left')
    wrong.push(`it was stored as complete but ${ending}`)
  if (record !== undefined && isStranger(course)) wrong.push('the response of another owner was continued')
  return wrong
}

const isStranger = ({ continues }: Course): boolean =>
  continues !== undefined && continues.owner !== continues.from.owner

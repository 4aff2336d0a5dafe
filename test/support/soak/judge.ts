/** Checks what must hold of every exchange of a simulation, whatever faults it met. */
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
  /** The bytes of the upstream pass as they are. */
  readonly isPassthrough: boolean
  /** The store has failed at something. */
  readonly storeFailed: boolean
  /** The gateway was told to stop while clients were there. */
  readonly isDrained: boolean
}

/** How it ended for the client. */
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
  // What is odd on its own wire is the client's to judge; then it only matters that the bytes are the upstream's.
  if (circumstances.isPassthrough && plan.fault !== undefined && isOdd) {
    if (!text.replaceAll(heartbeat, '').startsWith(wholeEvents(course.given))) fault('bytes were changed')
    return { ending: 'failed', faults }
  }
  // Servers of this wire do without the literal end.
  const isBare = circumstances.isPassthrough && plan.client === 'responses' && !text.endsWith(done)
  const understood = readStream(plan.client, text)
  const isCutOff = circumstances.isPassthrough && understood.end !== 'good'
  for (const wrong of judgeOrder(plan.client, isBare ? text + done : text)) {
    if (!isCutOff || !passedOn.test(wrong)) fault(wrong)
  }
  if (understood.endings !== 1) fault(`${understood.endings} endings`)
  if (understood.afterEnd > 0) fault(`${understood.afterEnd} events after the end`)
  if (understood.end === 'good') {
    judgeAll(plan, understood, fault)
    if (course.isDoomed) fault('a broken answer was given as a good one')
  } else {
    judgePrefix(plan, understood, fault)
    judgeFailure(visitor, circumstances, understood.failure ?? '', fault)
  }
  return { ending: understood.end === 'good' ? 'good' : 'failed', faults, understood }
}

/** Of a stream that passes as it is, a failure begins no answer when nothing but signs of life has come. */
const passedOn = /^ping before the start|^begins with error/

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
    if (course.isDoomed) fault('a broken answer was given as a good one')
  } else if (body.status !== 'queued') fault(`a receipt with status ${body.status}`)
  return { ending: 'good', faults, understood }
}

const textsOf = ({ turns }: Plan): string => turns.map(({ text }) => text).join('')

const clientCallsOf = (plan: Plan): { name: string; input: string }[] =>
  plan.turns
    .flatMap(({ calls }) => calls)
    .filter(call => !isServerTool(call))
    .map(call => ({ name: nameOf(plan, call.tool), input: inputOf(call) }))

/** A custom tool is given a text, a function an object. */
const inputOf = ({ tool, token }: PlannedCall): string =>
  tool === 'patch' ? token : JSON.stringify({ city: token })

export function judgeAll(plan: Plan, { text, calls }: Understood, fault: Report): void {
  if (text !== textsOf(plan))
    fault(`the text is ${JSON.stringify(text)}, not ${JSON.stringify(textsOf(plan))}`)
  const found = JSON.stringify(calls.map(({ name, input }) => ({ name, input })))
  const expected = JSON.stringify(clientCallsOf(plan))
  if (found !== expected) fault(`the calls are ${found}, not ${expected}`)
}

/** Cut off before its text has begun, a custom call shows the wrapping that upstreams without such tools are given. */
const wrapper = '{"input":"'

export function judgePrefix(plan: Plan, { text, calls }: Understood, fault: Report): void {
  if (!textsOf(plan).startsWith(text)) fault(`the text ${JSON.stringify(text)} was never said`)
  const expected = clientCallsOf(plan)
  for (const [i, { name, input }] of calls.entries()) {
    const call = expected[i]
    const isSaid = call?.input.startsWith(input) || (name === 'patch' && wrapper.startsWith(input))
    if (call?.name !== name || !isSaid) fault(`the call ${name} ${input} was never made`)
  }
}

/** Every call of the gateway's own tools is answered once, in the request after it. */
function judgeRequests({ course }: Visitor, fault: Report): void {
  const { plan, heard, continues } = course
  for (const [at, history] of heard.entries()) {
    const earlier = plan.turns
      .slice(0, at)
      .flatMap(({ calls }, turn) =>
        calls.map(({ token }, place) => ({ token, id: callId(plan.n, turn, place) })),
      )
    const made = callsIn(history)
    const answered = resultsIn(history)
    for (const { id, token } of earlier) {
      if (made.filter(call => call.id === id).length !== 1) fault(`request ${at} has not one call ${id}`)
      const results = answered.filter(result => result.id === id)
      if (results.length !== 1) fault(`request ${at} has ${results.length} results of ${id}`)
      for (const { text } of results) {
        if (text === '' || (isFound(text) && text !== resultOf(token)))
          fault(`${id} was told to give ${text}`)
      }
    }
    const words = said(history, 'user').join()
    if (!words.includes(promptOf(plan))) fault(`request ${at} lacks what the client asked`)
    if (continues === undefined) continue
    if (!words.includes(promptOf(continues.from))) fault(`request ${at} lacks what was asked before`)
    const before = said(history, 'assistant').join('')
    if (!before.includes(textsOf(continues.from)))
      fault(`request ${at} lacks what was said before: ${before}`)
  }
}

function judgeRefusal(visitor: Visitor, circumstances: Circumstances, fault: Report): void {
  const { course, status, text } = visitor
  const { plan, continues } = course
  const message = errorIn(plan.client, JSON.parse(text))
  if (message === undefined) {
    fault(`status ${status} with what is no error of its wire: ${text}`)
    return
  }
  if (continues !== undefined && continues.owner !== continues.from.owner) {
    if (!message.includes('not found') && !mayRefuse(circumstances, message))
      fault(`somebody else was told: ${message}`)
    if (course.flows.length > 0) fault('the upstream was asked on behalf of somebody else')
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

/** Nobody is told of a failure unless there was one. */
function judgeFailure(
  { course: { plan } }: Visitor,
  circumstances: Circumstances,
  message: string,
  fault: Report,
): void {
  const hasReason = plan.fault !== undefined || plan.troubles.length > 0
  if (!hasReason && !mayRefuse(circumstances, message)) fault(`it failed for no reason: ${message}`)
  // Silence, tools and clients that take nothing have deadlines of their own.
  if (message.includes('took longer than')) fault(`nobody gave up before: ${message}`)
}

/** A response is stored as complete if and only if its client received a complete one, and only for its owner. */
export function judgeStored(course: Course, ending: Ending, store: SoakStore, owner: string): string[] {
  const { plan } = course
  const wrong: string[] = []
  const records = store.recordsOf(promptOf(plan))
  if (!plan.keeps && records.length > 0) wrong.push('it was kept against the will of the client')
  if (records.length > 1) wrong.push(`it was kept ${records.length} times`)
  const [record] = records
  if (record !== undefined && record.owner !== owner) wrong.push('it was kept for somebody else')
  if (plan.form === 'background') {
    const isUnfinished = record?.status === 'queued' || record?.status === 'in_progress'
    if (isUnfinished && store.troubles === 0) wrong.push(`in the background it is ${record.status} for ever`)
    return wrong
  }
  const isComplete = record?.status === 'completed'
  if (plan.keeps && ending === 'good' && !isComplete) wrong.push('it was not kept')
  if (isComplete && ending !== 'good' && ending !== 'left')
    wrong.push(`it was kept as complete but ${ending}`)
  if (record !== undefined && isStranger(course)) wrong.push('what somebody else had said was continued')
  return wrong
}

const isStranger = ({ continues }: Course): boolean =>
  continues !== undefined && continues.owner !== continues.from.owner

/** Judges one exchange: what its client received, and what its upstream was sent, whatever faults occurred. */
import { errorIn, eventsOf } from '../../support/faults/wires.ts'
import { callsOf, resultsOf, textsOf } from '../../support/gateway/history.ts'
import { promptOf } from '../../support/soak/bodies.ts'
import { checkContent, checkPrefix, plannedText } from '../../support/soak/content.ts'
import { isBackground } from '../../support/soak/plan.ts'
import type { ReadAnswer } from '../../support/soak/reader.ts'
import { readAnswer, readStream } from '../../support/soak/reader.ts'
import { callId } from '../../support/soak/upstream-frames.ts'
import { checkEventOrder } from '../../support/streams/event-order.ts'
import type { ExchangeState } from '../exchange-state.ts'
import { foreignMarks } from '../marks.ts'
import type { Received } from '../network.ts'
import { isFound, resultOf } from '../tools.ts'

export interface Conditions {
  /** The gateway passes the bytes of the upstream through. */
  readonly isPassthrough: boolean
  /** An operation of the store has failed. */
  readonly storeFailed: boolean
  /** A gateway was stopped while clients were connected. */
  readonly isDrained: boolean
  /** A response that the request continues is being deleted. */
  readonly isErased: boolean
  /** It continues an answer of a thread, which others may have continued before. */
  readonly isThreaded: boolean
  /** The gateway has little memory. */
  readonly isScarce: boolean
  /** The connection remembers what is stored nowhere else. */
  readonly isOnSocket: boolean
}

/** How the exchange ended for the client. */
export type Ending = 'good' | 'failed' | 'refused' | 'left'

export interface Judgement {
  readonly ending: Ending
  readonly faults: readonly string[]
  readonly answer?: ReadAnswer
}

type Report = (text: string) => void

export function judgeExchange(
  exchange: ExchangeState,
  received: Received,
  conditions: Conditions,
): Judgement {
  const faults: string[] = []
  const fault: Report = text => void faults.push(text)
  const { plan } = exchange
  if (!conditions.isPassthrough) checkRequests(exchange, fault)
  const isStream = received.headers['content-type']?.startsWith('text/event-stream') === true
  try {
    if (received.how === 'open') fault('the answer has no end')
    if (received.how !== 'whole') {
      const answer = isStream ? readStream(plan.client, withoutMalformed(received.text)) : undefined
      if (answer !== undefined && !conditions.isPassthrough) checkPrefix(plan, answer, fault)
      return { ending: 'left', faults, ...(answer !== undefined && { answer }) }
    }
    if (isStream) return checkStream(exchange, received.text, conditions, faults)
    // What passes unread is checked by its looks; half an object may end like a whole one.
    const isSame = conditions.isPassthrough && received.text === Buffer.concat(exchange.sent).toString('utf8')
    if (received.status === 200 && exchange.isBroken && isSame && !isJson(received.text))
      return { ending: 'failed', faults }
    if (received.status === 200) return checkWhole(exchange, received.text, faults)
    checkRefusal(exchange, received, conditions, fault)
  } catch (error) {
    fault(`it cannot be read (${error}): ${received.text.slice(0, 2_000)}`)
  }
  return { ending: 'refused', faults }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Where bytes pass through, the client gets the malformed events of its upstream too. */
const withoutMalformed = (text: string): string =>
  text.replaceAll(/(event: .*\n)?data: \{"broken": tru\n\n/g, '')

function checkStream(
  exchange: ExchangeState,
  given: string,
  conditions: Conditions,
  faults: string[],
): Judgement {
  const fault: Report = text => void faults.push(text)
  const { plan } = exchange
  const isOdd = plan.fault?.kind === 'malformed' || plan.fault?.kind === 'error' || !exchange.isBroken
  // With passthrough, an invalid stream must only have the same bytes as the upstream's.
  if (conditions.isPassthrough && plan.fault !== undefined && isOdd) {
    const text = given.replaceAll(heartbeat, '')
    const sent = completeEvents(exchange.sent)
    // A gateway that runs out of memory says so in place of the rest.
    const isShort =
      conditions.isScarce && text.includes('"memory_full"') && sent.startsWith(withoutLast(text))
    if (!isShort && !text.startsWith(sent)) fault('bytes were changed')
    return { ending: 'failed', faults }
  }
  const text = conditions.isPassthrough ? withoutMalformed(given) : given
  // Servers of this wire may leave out the literal [DONE].
  const isBare = conditions.isPassthrough && plan.client === 'responses' && !text.endsWith(done)
  const answer = readStream(plan.client, text)
  for (const mark of foreignMarks(plan.owner, answer.text)) fault(`the text ${mark} is of another owner`)
  // Who listens to a background response may be sent away before its end.
  if (isBackground(plan) && answer.end === 'cut' && eventsOf(text).at(-1)?.event === 'error') {
    checkPrefix(plan, answer, fault)
    return { ending: 'failed', faults, answer }
  }
  const isCutOff = conditions.isPassthrough && answer.end !== 'good'
  // Where an event is missing, the order of the others proves nothing.
  const wrongOrder = text === given ? checkEventOrder(plan.client, isBare ? text + done : text) : []
  for (const wrong of wrongOrder) if (!isCutOff || !allowedFaults.test(wrong)) fault(wrong)
  if (answer.endings !== 1) fault(`${answer.endings} endings`)
  if (answer.afterEnd > 0) fault(`${answer.afterEnd} events after the end`)
  if (answer.end === 'good') {
    checkContent(plan, answer, fault)
    if (exchange.isBroken) fault('a broken answer was sent as a complete one')
  } else {
    if (text === given) checkPrefix(plan, answer, fault)
    checkFailure(exchange, conditions, answer.failure ?? '', fault)
  }
  return { ending: answer.end === 'good' ? 'good' : 'failed', faults, answer }
}

/** With passthrough, a stream may fail before its start, when only pings have arrived. */
const allowedFaults = /^ping before the start|^begins with error/

const heartbeat = ': keep-alive\n\n'
const done = 'data: [DONE]\n\n'

function withoutLast(events: string): string {
  return events.slice(0, events.trimEnd().lastIndexOf('\n\n') + 2)
}

/** None, where the upstream answered whole. */
function completeEvents(bytes: readonly Uint8Array[]): string {
  const text = Buffer.concat(bytes).toString('utf8')
  const end = text.lastIndexOf('\n\n')
  return end === -1 ? '' : text.slice(0, end + 2)
}

function checkWhole({ plan, isBroken }: ExchangeState, text: string, faults: string[]): Judgement {
  const fault: Report = wrong => void faults.push(wrong)
  const body = JSON.parse(text) as Record<string, unknown>
  const answer = readAnswer(plan.client, body)
  if (plan.form !== 'background') {
    checkContent(plan, answer, fault)
    if (isBroken) fault('a broken answer was sent as a complete one')
  } else if (body.status !== 'queued') fault(`a receipt with status ${body.status}`)
  return { ending: 'good', faults, answer }
}

/** Every server tool call has exactly one result, in the next request. */
function checkRequests(exchange: ExchangeState, fault: Report): void {
  const { plan, received } = exchange
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
    const said = textsOf(history, 'assistant').join('')
    if (!asked.includes(promptOf(plan))) fault(`request ${at} lacks the question of the client`)
    for (let next = exchange.continues; next !== undefined; next = next.from.continues) {
      const before = next.from.plan
      if (!asked.includes(promptOf(before))) fault(`request ${at} lacks the question of ${before.n}`)
      if (!said.includes(plannedText(before))) fault(`request ${at} lacks the answer of ${before.n}`)
    }
  }
}

function checkRefusal(
  exchange: ExchangeState,
  { status, text }: Received,
  conditions: Conditions,
  fault: Report,
): void {
  const message = errorIn(exchange.plan.client, JSON.parse(text))
  if (message === undefined) fault(`status ${status} with a body that is not an error of its wire: ${text}`)
  else checkFailure(exchange, conditions, message, fault)
}

function mayRefuse(conditions: Conditions, message: string): boolean {
  const { storeFailed, isDrained, isErased, isScarce, isThreaded, isOnSocket } = conditions
  return (
    (storeFailed && message.includes('The store is not available')) ||
    (isDrained && /shutting down|was stopped/.test(message)) ||
    (isErased && message.includes('not found')) ||
    (isThreaded && /was continued already|is being continued/.test(message)) ||
    // What a connection remembers, it may forget for want of memory.
    (isScarce && isOnSocket && message.includes('not found')) ||
    (isScarce && /no memory left|memory while it is worked on|all the memory/.test(message))
  )
}

/** A failure must have a cause in the plan or in the conditions. */
function checkFailure({ plan }: ExchangeState, conditions: Conditions, message: string, fault: Report): void {
  const hasReason = plan.fault !== undefined || plan.failures.length > 0
  if (!hasReason && !mayRefuse(conditions, message)) fault(`it failed without a cause: ${message}`)
  // Silent upstreams, tools and blocked clients have shorter deadlines of their own.
  if (message.includes('took longer than')) fault(`no shorter deadline was used: ${message}`)
}

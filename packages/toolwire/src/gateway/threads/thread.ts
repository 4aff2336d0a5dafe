/**
 * Threads of Messages: the gateway keeps the conversation under the id of each answer, and the next request sends only
 * what is new. Each answer is continued once. Clients know the codes of the refusals, and send everything again.
 */
import { isObject } from '@toolwire/core/json'
import type { Item, Store } from '../../store/store.ts'
import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { RoutedRequest } from '../exchange/routed-request.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { StatefulRequest } from '../responses-api/state.ts'
import { historyOf, threadId } from '../responses-api/weighed-store.ts'
import { exceeds } from '../workers/loop-limits.ts'
import { withoutOldMarks } from './cache-marks.ts'

type Target = Pick<RoutedRequest, 'endpoint' | 'destination'>

export interface OpenThread {
  /** The request as it would be without a thread. */
  readonly body: JsonObject
  readonly state: StatefulRequest
  /** At the end, whatever it was: what was not continued may be continued again. */
  release(): Promise<void>
}

/** Whether threads are for the gateway to keep. An upstream that keeps them knows one key, and not whose each is. */
export function keepsThreads({ gateway }: RequestContext, { endpoint, destination }: Target): boolean {
  const { wire, needsState } = destination.upstream
  return wire !== endpoint.wire || needsState || gateway.guard.hasSeveralOwners
}

/** Most requests have none, and need not wait for anything. */
export function namesThread({ endpoint }: Pick<Target, 'endpoint'>, body: JsonObject): boolean {
  const { threadField } = endpoint.wire.service.http
  return threadField !== undefined && Object.hasOwn(body, threadField)
}

/** `undefined` for a request without a thread, or one that the upstream keeps. */
export async function openThread(
  context: RequestContext,
  target: Target,
  body: JsonObject,
): Promise<OpenThread | undefined> {
  const thread = await findThread(context, target, body)
  if (thread === undefined) return undefined
  const { gateway, owner } = context
  const { store } = gateway
  const { previousId } = thread
  if (previousId === undefined || store === undefined) return opened(gateway.newId, thread, {})
  const turn = await takeTurn(store, { owner, previousId, request: context.id, context })
  return {
    ...opened(gateway.newId, thread, { previousId, onSaved: turn.finish }),
    release: turn.release,
  }
}

/** The request as it would be without a thread, for those who only look at it. */
export async function withoutThread(
  context: RequestContext,
  target: Target,
  body: JsonObject,
): Promise<JsonObject> {
  const thread = await findThread(context, target, body)
  return thread === undefined ? body : wholeBody(thread)
}

interface FoundThread {
  /** The messages of the request, and what comes before them. */
  readonly added: readonly unknown[]
  readonly history: readonly Item[]
  /** The rest of the request, with what was set when the thread began. */
  readonly whole: JsonObject
  readonly previousId?: string
}

async function findThread(
  context: RequestContext,
  target: Target,
  body: JsonObject,
): Promise<FoundThread | undefined> {
  const { thread, rest } = threadOf(target, body)
  if (thread === undefined || !keepsThreads(context, target)) return undefined
  if (context.gateway.store === undefined) throw unsupported('This gateway has no store', ['thread'])
  refuseUnsupported(rest)
  const { messages: added } = rest
  if (!Array.isArray(added)) throw invalidThread('"messages" must be a list.', 'messages')
  if (isObject(thread) && thread.type === 'create') return { added, whole: rest, history: [] }
  const previous = isObject(thread) && thread.type === 'continue' ? thread.previous_message_id : undefined
  if (typeof previous !== 'string' || previous === '') {
    throw invalidThread(
      '"thread" must be {"type": "create"}, or {"type": "continue", "previous_message_id": …}.',
      'thread',
    )
  }
  const previousId = threadId(previous)
  const found = await findTurn(context, previousId)
  if (found === undefined) throw notFound(previous)
  return { added, whole: withFixed(rest, found.fixed), history: found.history, previousId }
}

/** A worker thread has no threads, and the client can do without. */
export function refuseLargeThread(context: RequestContext, target: Target, head: JsonObject): void {
  if (threadOf(target, head).thread !== undefined && keepsThreads(context, target)) {
    throw unsupported('The request is too large for a thread', ['messages'])
  }
}

function threadOf({ endpoint }: Target, body: JsonObject): { thread: unknown; rest: JsonObject } {
  const { threadField } = endpoint.wire.service.http
  if (threadField === undefined || !namesThread({ endpoint }, body)) return { thread: undefined, rest: body }
  const { [threadField]: thread, ...rest } = body
  return { thread: thread ?? undefined, rest }
}

interface Fixed {
  readonly system?: unknown
  readonly tools?: unknown
}

function wholeBody({ added, history, whole }: FoundThread): JsonObject {
  const earlier = history.map(({ json }) => JSON.parse(json) as unknown)
  return { ...whole, messages: [...withoutOldMarks(earlier, { ...whole, messages: added }), ...added] }
}

function opened(
  newId: (prefix: string) => string,
  thread: FoundThread,
  more: Pick<StatefulRequest, 'previousId' | 'onSaved'>,
): OpenThread {
  const { added, history, whole } = thread
  const { system, tools } = whole
  const body = wholeBody(thread)
  return {
    body,
    state: {
      body,
      history,
      input: () => added.map(message => ({ id: newId('item_'), json: JSON.stringify(message) })),
      indices: [...history.map(() => undefined), ...added.map((_, index) => index)],
      isStored: true,
      isKept: false,
      fixed: JSON.stringify({ system, tools }),
      ...more,
    },
    release: async () => {},
  }
}

async function findTurn(
  context: RequestContext,
  id: string,
): Promise<{ readonly fixed: Fixed; readonly history: readonly Item[] } | undefined> {
  const { owner, gateway } = context
  const store = historyOf(context)
  const record = await store?.getTurn(owner, id)
  const history = record && (await store?.context(owner, id))
  if (record === undefined || history === undefined) return undefined
  const { inlineBytes, inlineNodes } = gateway.limits
  const texts = [record.response, ...history.map(({ json }) => json)]
  if (gateway.workers !== undefined && exceeds(texts, inlineBytes, inlineNodes)) {
    throw unsupported('The conversation is too long for a thread', ['messages'])
  }
  return { fixed: JSON.parse(record.response) as Fixed, history }
}

/** What was set when the thread began is not sent again, or the same. */
function withFixed(body: JsonObject, fixed: Fixed): JsonObject {
  for (const field of ['system', 'tools'] as const) {
    const given = body[field]
    if (given === undefined || given === null || JSON.stringify(given) === JSON.stringify(fixed[field]))
      continue
    throw new GatewayError(
      'invalid_request',
      `"${field}" is set when a thread is created, and cannot be changed in it. Leave it out, or create a new thread.`,
      { code: 'thread_fingerprint_mismatch', param: field, status: 400 },
    )
  }
  const { system, tools } = fixed
  return { ...body, ...(system !== undefined && { system }), ...(tools !== undefined && { tools }) }
}

interface Turn {
  readonly owner: string
  readonly previousId: string
  readonly request: string
  readonly context: RequestContext
}

const continued = 'continued'

/** Of several that continue the same answer, one may, and the others only if it fails. */
async function takeTurn(
  store: Store,
  { owner, previousId, request, context }: Turn,
): Promise<{ finish(): Promise<void>; release(): Promise<void> }> {
  const { gateway } = context
  const now = (): number => gateway.clock.date()
  const holder = `thread of ${owner}`
  // Should this process die, others may go on after the longest time that it could have taken.
  if (!(await store.swapClaim(holder, previousId, undefined, request, now() + turnMs))) {
    const owners = await store.ownersOf(holder, [previousId])
    throw owners.get(previousId) === continued ? alreadyContinued() : inFlight()
  }
  let isOver = false
  const end = async (value: string, expiresAt: number): Promise<void> => {
    if (isOver) return
    await store.swapClaim(holder, previousId, request, value, expiresAt)
    isOver = true
  }
  return {
    finish: () => end(continued, now() + gateway.ttlMs),
    // A store in trouble keeps it until its time is over.
    release: () => end(request, now()).catch(() => {}),
  }
}

const turnMs = 3_600_000

/** What changes the history in ways that a thread cannot repeat. */
function refuseUnsupported(body: JsonObject): void {
  const { thinking, context_management, fallbacks } = body
  const isThinking = isObject(thinking) && thinking.type !== 'disabled'
  const found = [
    ...(isThinking ? ['thinking'] : []),
    ...(isSet(context_management) ? ['context_management'] : []),
    ...(isSet(fallbacks) ? ['fallbacks'] : []),
  ]
  if (found.length > 0) throw unsupported(`A thread cannot have ${found.join(', ')}`, found)
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** `what` of the request it is that no thread can have. */
function unsupported(why: string, what: readonly string[]): GatewayError {
  const [param = 'thread'] = what
  return new GatewayError('invalid_request', `${why}. Send the whole conversation, without "thread".`, {
    code: 'thread_unsupported_request',
    param,
    unsupported: what,
    status: 400,
  })
}

function invalidThread(message: string, param: string): GatewayError {
  return new GatewayError('invalid_request', message, { param, status: 400 })
}

function notFound(id: string): GatewayError {
  return new GatewayError(
    'not_found',
    `There is no thread with the message '${id.slice(0, 100)}', or no longer. Send the whole conversation in a new one.`,
    { code: 'thread_not_found', param: 'thread.previous_message_id' },
  )
}

function alreadyContinued(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'This message of the thread was continued already. Continue the latest, or send the whole conversation in a new thread.',
    { code: 'thread_already_continued', param: 'thread.previous_message_id', status: 400 },
  )
}

function inFlight(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'This message of the thread is being continued by another request. Wait for it, or send the whole conversation in a new thread.',
    { code: 'thread_continue_in_flight', param: 'thread.previous_message_id', status: 400 },
  )
}

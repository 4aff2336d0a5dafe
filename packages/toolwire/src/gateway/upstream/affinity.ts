/**
 * Which of several upstreams continues a conversation: the one that gave the answer that the request goes on from. It is
 * known on every gateway of the store, so that provider caches are hit and sealed reasoning goes home.
 */
import { createHash } from 'node:crypto'
import type { RequestContext } from '../context.ts'
import type { ExchangeRun } from '../exchange/run.ts'
import type { JsonObject } from '../http/json-body.ts'
import { mayBeContinued } from '../responses-api/save-response.ts'
import { conversationIdOf, isStateful } from '../responses-api/state.ts'
import { cacheKeyName, conversationKey } from './conversation-key.ts'
import { outerMembers } from './outer-members.ts'
import type { Destination } from './route-model.ts'

/** Under which claims of the store say who answered; each is an upstream's name, after what the upstream has of it. */
const holder = 'toolwire answers'
const held = 'held by '
const given = 'given by '

/** What a request says of its conversation, as far as its bytes tell without being parsed. */
export interface ConversationMarks {
  readonly key: string
  /** The answer, or the conversation, that it goes on from. */
  readonly continuedId: string | undefined
}

/** The members that say what a request goes on from, and where the id stands in each. */
const continued: readonly (readonly [name: string, id: RegExp])[] = [
  ['previous_response_id', /^"([^"\\]{1,200})"/],
  ['conversation', /^(?:\{\s*"id"\s*:\s*)?"([^"\\]{1,200})"/],
  ['thread', /"previous_message_id"\s*:\s*"([^"\\]{1,200})"/],
]

const names: readonly string[] = [...continued.map(([name]) => name), cacheKeyName]

export function marksOf(context: RequestContext, body: Uint8Array): ConversationMarks {
  return marksFrom(context, outerMembers(body, names))
}

/** Of a request that was parsed. */
export function marksIn(context: RequestContext, body: JsonObject): ConversationMarks {
  const own = names.filter(name => Object.hasOwn(body, name))
  return marksFrom(context, new Map(own.map(name => [name, JSON.stringify(body[name])])))
}

function marksFrom(context: RequestContext, members: ReadonlyMap<string, string>): ConversationMarks {
  const ids = continued.map(([name, id]) => id.exec(members.get(name) ?? '')?.[1])
  return {
    key: conversationKey(context, members.get(cacheKeyName)),
    continuedId: ids.find(id => id !== undefined),
  }
}

/** All that may be asked, the first one first. What an upstream itself has, no other can continue. */
export async function orderFor(
  context: RequestContext,
  found: Destination,
  { key, continuedId }: ConversationMarks,
): Promise<readonly Destination[]> {
  const { pool, idOwners } = context.gateway
  if (continuedId === undefined) return pool.inOrder(found, key)
  const id = recordId(context, continuedId)
  // A store in trouble keeps nobody from answering.
  const owners = await idOwners.ownersOf(holder, [id]).catch(() => undefined)
  const record = owners?.get(id) ?? ''
  const isOf = (words: string) => (destination: Destination) => record === words + destination.upstream.name
  const all = pool.inOrder(found, key, isOf(given))
  const only = all.find(isOf(held))
  return only === undefined ? all : [only]
}

/** Before the client can refer to the answer. */
export async function rememberUpstream(run: ExchangeRun, answer: JsonObject | undefined): Promise<void> {
  const { context, upstream, state, wire, body, stopwatch } = run
  const { gateway } = context
  if (!run.isShared || (state === undefined && !isStateful(wire))) return
  const isHeld = run.responseId === '' && state === undefined
  // What nobody can continue is not remembered, so that it does not wait for the store either.
  const answerId = state === undefined || mayBeContinued(run) ? answer?.id : undefined
  const ids = [answerId, conversationIdOf(body)].filter(id => typeof id === 'string' && id !== '')
  if (ids.length === 0) return
  const records = ids.map(id => recordId(context, String(id)))
  const name = (isHeld ? held : given) + upstream.name
  const expiresAt = gateway.clock.date() + gateway.ttlMs
  // Without it the next request goes to any upstream.
  await stopwatch.wait(gateway.idOwners.claimIds(name, holder, records, expiresAt)).catch(() => {})
}

/** Nobody can find out by another's id who answered it. */
function recordId({ owner }: RequestContext, id: string): string {
  return createHash('sha256').update(`${owner}\n${id}`).digest('base64url')
}

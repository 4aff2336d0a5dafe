/**
 * Paths beside the wires, where several keys share one upstream: what a client makes there is its own, and what another
 * made does not exist for it. The upstream knows one key and would show everything to everybody.
 */
import { isObject, type JsonObject } from '@toolwire/core/json'
import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { readJson } from '../http/json-body.ts'
import { unknownReference } from '../responses-api/unknown-reference.ts'
import type { PassOptions } from '../upstream/pass-bytes.ts'
import type { ServedUpstream } from '../upstream/served.ts'

/** What these do is over with their answer, and their requests refer to nothing. */
const leavesNothing: ReadonlySet<string> = new Set([
  'audio/transcriptions',
  'audio/translations',
  'completions',
  'detokenize',
  'embeddings',
  'images/generations',
  'images/variations',
  'moderations',
  'rerank',
  'score',
  'tokenize',
])

/** Over with their answer too, but JSON for them may name files or voices. */
const mayRefer: ReadonlySet<string> = new Set(['audio/speech', 'images/edits'])

/** Lists of things that have ids: POST makes one, GET lists them, and below them each stands under its id. */
const collections: readonly string[] = [
  'audio/voice_consents',
  'audio/voices',
  'batches',
  'containers',
  'evals',
  'files',
  'fine_tuning/jobs',
  'messages/batches',
  'skills',
  'uploads',
  'vector_stores',
  'videos',
]

/** A batch is a file of requests, which is not read, and an evaluation may be of all that the upstream has stored. */
const readsAnything = /^(?:batches|evals(?:\/[^/]+\/runs)?)$/

/** Where a form holds a file and nothing that could name another one. */
const forms =
  /^(?:audio\/(?:voices|voice_consents)|files|images\/edits|skills(?:\/[^/]+\/versions)?|uploads\/[^/]+\/parts|videos)$/

/** How a request passes. Throws if it is for what is not the client's. */
export async function ownedPassing(
  context: RequestContext,
  upstream: ServedUpstream,
  spelled: readonly string[],
): Promise<PassOptions> {
  const { gateway, owner, request } = context
  const { method } = request
  // The upstream reads an escape as the letter that it stands for.
  const path = spelled.map(decodeURIComponent)
  const joined = path.join('/')
  if (method === 'POST' && leavesNothing.has(joined)) return {}
  const isUnknownPassed = upstream.unknownIds === 'pass'
  const collection = collections.find(name => joined === name || joined.startsWith(`${name}/`))
  const isOver = method === 'POST' && mayRefer.has(joined)
  if (collection === undefined && !isOver && !isUnknownPassed) throw sharedPath(context, upstream)
  const segments = collection === undefined ? path : path.slice(collection.split('/').length)
  const owners = await gateway.idOwners.ownersOf(upstream.holder, segments)
  const id = segments[0]
  const isOwn = id !== undefined && owners.get(id) === owner
  const isForeign = segments.some(segment => (owners.get(segment) ?? owner) !== owner)
  if (isForeign || (collection !== undefined && id !== undefined && !isOwn && !isUnknownPassed)) {
    throw notFound(id ?? '')
  }
  if (readsAnything.test(joined) && method === 'POST' && !isUnknownPassed) throw sharedPath(context, upstream)
  const { body, named } = await checkedBody(context, upstream, joined)
  const parts = body === undefined ? {} : { body }
  if (collection === undefined) return parts
  if (method === 'GET' && id === undefined)
    return { ...parts, onlyObjects: true, rewrite: value => onlyOwn(context, upstream, value) }
  const isMade = method === 'POST' && id === undefined
  if (!isMade && !isOwn) return parts
  // What the client named was there before: an operator may have made it, for everybody.
  const known = new Set([...segments, ...named])
  return { ...parts, rewrite: value => claimed(context, upstream, value, known) }
}

interface CheckedBody {
  /** Only of JSON, which was read. */
  readonly body?: string
  /** The ids in it. */
  readonly named: Iterable<string>
}

/** The body, once all that it refers to is known to be the client's, or nobody's. */
async function checkedBody(
  context: RequestContext,
  upstream: ServedUpstream,
  path: string,
): Promise<CheckedBody> {
  const { request, gateway, owner } = context
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': coding } = request.headers
  const isEmpty = length === '0' || (length === undefined && coding === undefined && type === undefined)
  if (request.method === 'GET' || request.method === 'DELETE' || isEmpty) return { named: [] }
  if (forms.test(path) && /^multipart\/form-data\b/i.test(type ?? '')) return { named: [] }
  const body = await readJson(context)
  const named = referencesIn(body)
  const owners = await gateway.idOwners.ownersOf(upstream.holder, [...named.keys()])
  for (const [id, name] of named) {
    const found = owners.get(id)
    const isPassed = upstream.unknownIds === 'pass' || !ofAnswers.has(name)
    if (found === owner || (found === undefined && isPassed)) continue
    throw unknownReference(ofAnswers.get(name) ?? 'file', id, name)
  }
  return { body: JSON.stringify(body), named: named.keys() }
}

/** Members that name what answers have made, of which nobody else can have made any. */
const ofAnswers: ReadonlyMap<string, Parameters<typeof unknownReference>[0]> = new Map([
  ['previous_response_id', 'response'],
  ['conversation', 'conversation'],
  ['container', 'container'],
  ['container_id', 'container'],
])

const isReference = /(?:^|_)(?:ids?|files?|container|conversation)$/

/** Texts in members whose names say that they are ids, at whatever depth, with those names. */
function referencesIn(
  value: unknown,
  found: Map<string, string> = new Map(),
  name: string = '',
): Map<string, string> {
  if (typeof value === 'string' && isReference.test(name)) found.set(value, name)
  else if (Array.isArray(value)) for (const entry of value) referencesIn(entry, found, name)
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) referencesIn(member, found, key)
  }
  return found
}

/** How long a claim lives: there is no saying when a file is deleted. */
const claimMs = 10 * 365 * 86_400_000

/** What an answer about the client's own things names is the client's, unless it was there already. */
async function claimed(
  { gateway, owner }: RequestContext,
  { holder }: ServedUpstream,
  value: JsonObject,
  known: ReadonlySet<string>,
): Promise<JsonObject> {
  const ids = [...Object.entries(value), ...Object.entries(isObject(value.file) ? { id: value.file.id } : {})]
    .filter(([name]) => name === 'id' || name.endsWith('_id'))
    .flatMap(([, id]) => (typeof id === 'string' && id !== '' ? [id] : []))
  const owners = await gateway.idOwners.ownersOf(holder, ids)
  const fresh = ids.filter(id => !owners.has(id) && !known.has(id))
  if (fresh.length > 0) await gateway.idOwners.claimIds(owner, holder, fresh, gateway.clock.date() + claimMs)
  return value
}

/** A list without what is not the client's. */
async function onlyOwn(
  { gateway, owner }: RequestContext,
  { holder, unknownIds }: ServedUpstream,
  value: JsonObject,
): Promise<JsonObject> {
  const { data } = value
  if (!Array.isArray(data)) return unknownIds === 'pass' ? value : { object: 'list', data: [] }
  const idOf = (entry: unknown): string => (isObject(entry) && typeof entry.id === 'string' ? entry.id : '')
  const owners = await gateway.idOwners.ownersOf(holder, data.map(idOf))
  const own = data.filter(entry => {
    const found = owners.get(idOf(entry))
    return found === owner || (found === undefined && unknownIds === 'pass')
  })
  const ends = { first_id: own.length === 0 ? null : idOf(own[0]), last_id: value.last_id }
  return { ...value, data: own, ...('first_id' in value && ends) }
}

export function shownPath({ request }: RequestContext): string {
  const [path = ''] = request.target.split('?', 1)
  return `${request.method} ${path}`.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, '?')
}

function sharedPath(context: RequestContext, { name }: ServedUpstream): GatewayError {
  return new GatewayError(
    'permission',
    `${shownPath(context)} would reach what all clients have at upstream "${name}", which knows one key. If they may see it, set the upstream's "unknownIds" to "pass".`,
    { code: 'shared_path', status: 403 },
  )
}

function notFound(id: string): GatewayError {
  return new GatewayError('not_found', `There is nothing with id '${id.slice(0, 100)}' here.`, {
    code: 'unknown_id',
  })
}

/**
 * The state of the Responses wire, for upstreams that have none: before a request is converted, what it refers to is put
 * in place of the references.
 */
import type { Diagnostic, WireDefinition } from '@toolwire/core'
import { append, isObject, omit } from '@toolwire/core/json'
import { isFinished } from '../../store/lifecycle.ts'
import type { Item, ResponseRecord } from '../../store/store.ts'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { FoundState } from '../workers/protocol.ts'
import { unknownReference } from './unknown-reference.ts'
import type { HistoryReader } from './weighed-store.ts'

/** The only wire whose requests may refer to earlier ones. */
const statefulWire = 'responses'

export function isStateful({ name }: WireDefinition): boolean {
  return name === statefulWire
}

export interface StatefulRequest extends Omit<FoundState, 'referred'> {
  /** The request with its references replaced by what they refer to. */
  readonly body: JsonObject
  /** What is new in this request. Where it is stored, each item has an id. */
  input(): readonly Item[]
  /** For each item of the body's input, its index in the client's own; `undefined` for items of the history. */
  readonly indices: readonly (number | undefined)[]
  /** Of a thread: what all its requests share, as JSON text. */
  readonly fixed?: string
  /** Of a thread: called when the answer has been stored. */
  onSaved?(): Promise<void>
}

export interface StateContext {
  readonly owner: string
  readonly store: HistoryReader | undefined
  /** The history of a response that the connection remembers. */
  readonly kept?: ((id: string) => Promise<readonly Item[] | undefined>) | undefined
}

/** `body` may lack its input; `referred` are the ids of the items that the input refers to. */
export async function findState(
  body: JsonObject,
  referred: readonly string[],
  context: StateContext,
): Promise<FoundState> {
  const previousId = reference('previous_response_id', body.previous_response_id)
  const conversationId = reference('conversation', conversationIdOf(body))
  if (previousId !== undefined && conversationId !== undefined) {
    throw new GatewayError(
      'invalid_request',
      'previous_response_id and conversation cannot be used together: each of them brings its own history.',
      { param: 'previous_response_id', code: 'mutually_exclusive_parameters' },
    )
  }
  if (!isInput(body.input)) {
    throw new GatewayError('invalid_request', '"input" must be a text or a list of items.', {
      param: 'input',
    })
  }
  const { owner, store, kept } = context
  const history = await historyOf(previousId, conversationId, context)
  const isStored = body.store !== false && store !== undefined
  return {
    history,
    referred: (referred.length === 0 ? undefined : await store?.getItems(owner, referred)) ?? new Map(),
    isStored,
    isKept: kept !== undefined && !isStored,
    previousId,
    conversationId,
  }
}

/** Fields that the gateway handles; an upstream must not see them. */
const ownFields = ['previous_response_id', 'conversation', 'background']

export function assembleState(
  body: JsonObject,
  found: FoundState,
  newId: (prefix: string) => string,
): StatefulRequest {
  const { history, referred, isStored, isKept, previousId, conversationId, heldId } = found
  const given = givenItems(body.input, isStored ? newId : undefined)
  const added = withoutReferences(given, history, referred)
  const rest = omit(body, isStored ? [...ownFields, 'store'] : ownFields)
  if (heldId !== undefined) rest.previous_response_id = heldId
  if (history.length > 0 || typeof body.input === 'object') {
    rest.input = [...history.map(parsed), ...added.map(({ value }) => value)]
  }
  const indices: (number | undefined)[] = history.map(() => undefined)
  for (const { index } of added) indices.push(index)
  const input = (): readonly Item[] => added.map(toItem)
  // Written out: a spread to which keys are added takes many times as long on Node 20.
  return { history, isStored, isKept, previousId, conversationId, heldId, body: rest, input, indices }
}

export function conversationIdOf({ conversation }: JsonObject): unknown {
  return typeof conversation === 'object' && conversation !== null && 'id' in conversation
    ? conversation.id
    : conversation
}

function reference(param: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value !== '') return value
  throw new GatewayError('invalid_request', `${param} must be the id of what it refers to, as a text.`, {
    param,
  })
}

async function historyOf(
  previousId: string | undefined,
  conversationId: string | undefined,
  { owner, store, kept }: StateContext,
): Promise<readonly Item[]> {
  if (previousId !== undefined) {
    const remembered = await kept?.(previousId)
    if (remembered !== undefined) return remembered
    // Read first: a response that has ended by now has all its output in the history that is read next.
    const previous = await store?.getResponse(owner, previousId)
    if (previous !== undefined) refuseUnlessComplete(previous)
    const history = previous && (await store?.context(owner, previousId))
    if (history !== undefined) return history
    throw unknownReference('response', previousId, 'previous_response_id')
  }
  if (conversationId === undefined) return []
  const items = store === undefined ? undefined : await allItems(store, owner, conversationId)
  if (items !== undefined) return items
  throw unknownReference('conversation', conversationId, 'conversation')
}

/** Of a response that never ended it is not known what the model was still going to write or call. */
function refuseUnlessComplete({ id, status, previousId, conversationId }: ResponseRecord): void {
  const param = 'previous_response_id'
  const name = `Response '${short(id)}'`
  if (!isFinished(status)) {
    throw new GatewayError(
      'invalid_request',
      `${name} cannot be continued yet: it is ${status}. Wait until GET /v1/responses/${short(id)} says that it has ended.`,
      { param, code: 'previous_response_unfinished', status: 400 },
    )
  }
  if (status !== 'failed' && status !== 'cancelled') return
  const before = conversationId ?? previousId
  const remedy =
    before === undefined
      ? 'Send its request again.'
      : `Send its request again, as the next after '${short(before)}'.`
  throw new GatewayError(
    'invalid_request',
    `${name} ${status === 'failed' ? 'failed' : 'was cancelled'} and cannot be continued. ${remedy}`,
    { param, code: 'previous_response_failed', status: 400 },
  )
}

async function allItems(
  store: HistoryReader,
  owner: string,
  id: string,
): Promise<readonly Item[] | undefined> {
  const all: Item[] = []
  for (let after: string | undefined; ; after = all.at(-1)?.id) {
    const page = await store.listItems(owner, id, {
      limit: 1000,
      order: 'asc',
      ...(after !== undefined && { after }),
    })
    if (page === undefined) return undefined
    append(all, page.items)
    if (!page.hasMore) return all
  }
}

const prefixes: ReadonlyMap<unknown, string> = new Map([
  ['message', 'msg_'],
  ['function_call', 'fc_'],
  ['function_call_output', 'fco_'],
  ['custom_tool_call', 'ctc_'],
  ['custom_tool_call_output', 'ctco_'],
  ['reasoning', 'rs_'],
])

interface GivenItem {
  readonly id: string
  readonly value: unknown
  /** The index of it, or of the reference to it, in the client's input. */
  readonly index: number
}

function isInput(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string' || Array.isArray(value)
}

/** The items, each with an id, since they can be listed and referred to later. */
export function itemsOf(input: unknown, newId: (prefix: string) => string): readonly Item[] {
  return givenItems(input, newId).map(toItem)
}

function toItem({ id, value }: GivenItem): Item {
  return { id, json: JSON.stringify(value) ?? 'null' }
}

function parsed({ json }: Item): unknown {
  return JSON.parse(json)
}

/** Without `newId`, items that have no id get none. */
export function givenItems(input: unknown, newId: ((prefix: string) => string) | undefined): GivenItem[] {
  if (input === undefined || input === null) return []
  const list = Array.isArray(input)
    ? (input as readonly unknown[])
    : [{ type: 'message', role: 'user', content: input }]
  return list.map((value, index) => {
    if (typeof value !== 'object' || value === null) return { id: newId?.('item_') ?? '', value, index }
    const { id, type = 'message' } = value as { id?: unknown; type?: unknown }
    if (typeof id === 'string' && id !== '') return { id, value, index }
    if (newId === undefined) return { id: '', value, index }
    const fresh = newId(prefixes.get(type) ?? 'item_')
    return { id: fresh, value: { ...value, id: fresh }, index }
  })
}

/** The ids of the items that an input refers to. */
export function referredIds(input: unknown): string[] {
  const ids: string[] = []
  if (Array.isArray(input)) for (const value of input) if (isReference(value)) ids.push(value.id)
  return ids
}

/** Replaces references by the stored items. Those that are already in the history are left out. */
function withoutReferences(
  items: readonly GivenItem[],
  history: readonly Item[],
  found: ReadonlyMap<string, Item> | undefined,
): readonly GivenItem[] {
  if (!items.some(({ value }) => isReference(value))) return items
  const inHistory = new Set(history.map(({ id }) => id))
  return items.flatMap(item => {
    if (!isReference(item.value)) return [item]
    const { id, index } = item
    if (inHistory.has(id)) return []
    if (found === undefined) return [item]
    const stored = found.get(id)
    if (stored !== undefined) return [{ id, value: parsed(stored), index }]
    throw unknownReference('item', id, `input[${index}].id`)
  })
}

function isReference(value: unknown): value is { readonly id: string } {
  return isObject(value) && value.type === 'item_reference' && typeof value.id === 'string' && value.id !== ''
}

function short(id: string): string {
  return id.slice(0, 100)
}

/** Paths as in the request that the client sent, which has no history before its input, and no ids that the store gave. */
export function toClientPaths(
  diagnostics: readonly Diagnostic[],
  { indices, previousId, fixed }: StatefulRequest,
  { input }: JsonObject,
): Diagnostic[] {
  const list = fixed === undefined ? 'input' : 'messages'
  const ofHistory = previousId === undefined ? 'conversation' : 'previous_response_id'
  return diagnostics.flatMap(diagnostic => {
    const [field, at, ...rest] = diagnostic.path
    if (field !== list || typeof at !== 'number' || at >= indices.length) return [diagnostic]
    const index = indices[at]
    if (diagnostic.code === 'hint_dropped' && rest.length === 1 && rest[0] === 'id' && !hasId(input, index))
      return []
    if (index === undefined) return [{ ...diagnostic, path: [fixed === undefined ? ofHistory : 'thread'] }]
    return [{ ...diagnostic, path: typeof input === 'string' ? [list] : [list, index, ...rest] }]
  })
}

function hasId(input: unknown, index: number | undefined): boolean {
  const item: unknown = Array.isArray(input) && index !== undefined ? input[index] : undefined
  return isObject(item) && item.id !== undefined
}

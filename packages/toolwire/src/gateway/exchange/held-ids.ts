/**
 * Whose each id is that an upstream holds. The upstream knows one key, the gateway's, and would return anything of
 * anybody's; so where there are several clients, the ids in answers are recorded and those in requests checked.
 */
import type { Path, WireDefinition } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import type { HeldIds } from '@toolwire/core/wires'
import type { RequestContext } from '../context.ts'
import { recordSaveFailure } from '../errors.ts'
import { asBuffer } from '../http/bytes.ts'
import type { JsonObject } from '../http/json-body.ts'
import { isStateful } from '../responses-api/state.ts'
import { unknownReference } from '../responses-api/unknown-reference.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import { pathText } from './loss-report.ts'
import type { ExchangeRun } from './run.ts'

/** `undefined` where nothing has to be checked: one owner, or a client whose wire has no place for the upstream's ids. */
export function heldIdsFor(
  { gateway }: RequestContext,
  wire: WireDefinition,
  upstream: ServedUpstream,
): HeldIds | undefined {
  return gateway.guard.hasSeveralOwners && upstream.wire === wire ? wire.service.http.heldIds : undefined
}

/** Whether a request has to be read to know. An escape may spell any letter of a name. */
export function mayRefer(bytes: Uint8Array, { marks }: HeldIds): boolean {
  const body = asBuffer(bytes)
  return body.includes('\\u') || marks.some(mark => body.includes(mark))
}

/** The request, without ids of others that it does not need. Throws if it refers to what is not the client's. */
export async function checkReferences(
  body: JsonObject,
  heldIds: HeldIds,
  { gateway, owner }: RequestContext,
  upstream: ServedUpstream,
): Promise<JsonObject> {
  const references = heldIds.references(body)
  if (references.length === 0) return body
  const owners = await gateway.idOwners.ownersOf(
    upstream.holder,
    references.map(({ id }) => id),
  )
  const isUnknownPassed = upstream.unknownIds === 'pass' || isResolvedHere(upstream)
  let checked = body
  for (const { id, kind, path, isOptional = false } of references) {
    const found = owners.get(id)
    if (found === owner || (found === undefined && (isUnknownPassed || isOptional))) continue
    if (!isOptional) throw unknownReference(kind, id, pathText(path))
    checked = without(checked, path) as JsonObject
  }
  return checked
}

/** The gateway itself looks up most of what a request refers to, and in its store everything has an owner. */
function isResolvedHere({ wire, needsState }: ServedUpstream): boolean {
  return isStateful(wire) && needsState
}

/** A copy of the value that lacks what is at the path. */
function without(value: unknown, [step, ...rest]: Path): unknown {
  if (Array.isArray(value))
    return value.map((entry, index) => (index === step ? without(entry, rest) : entry))
  if (!isObject(value) || typeof step !== 'string') return value
  const { [step]: inner, ...others } = value
  return rest.length === 0 ? others : { ...value, [step]: without(inner, rest) }
}

/** Before the client gets the answer, or its end. A failure means that the client cannot refer to it, and no more. */
export async function claimIds(
  { context, upstream, heldIds, stopwatch }: ExchangeRun,
  answer: unknown,
): Promise<void> {
  if (heldIds === undefined || !isObject(answer)) return
  const ids = heldIds.idsIn(answer)
  if (ids.length === 0) return
  const { gateway, owner, observation } = context
  const expiresAt = gateway.clock.date() + gateway.ttlMs
  await stopwatch
    .wait(gateway.idOwners.claimIds(owner, upstream.holder, ids, expiresAt))
    .catch(error => recordSaveFailure(observation.facts, error))
}

/** The same for an answer that passes unread. */
export async function claimUnreadIds(run: ExchangeRun, bytes: Buffer): Promise<void> {
  if (run.heldIds === undefined) return
  try {
    await claimIds(run, JSON.parse(bytes.toString('utf8')))
  } catch {
    // What is not JSON names no ids.
  }
}

/**
 * Whose each id is that an upstream holds. The upstream knows one key, the gateway's, and would return anything of
 * anybody's; so where there are several clients, the ids in answers are recorded and those in requests checked.
 */
import type { Path, WireDefinition } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import type { HeldIds, HeldKind, HeldReference } from '@toolwire/core/wires'
import type { RequestContext } from '../context.ts'
import { recordSaveFailure } from '../errors.ts'
import type { JsonObject } from '../http/json-body.ts'
import { isStateful } from '../responses-api/state.ts'
import { unknownReference } from '../responses-api/unknown-reference.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import { loopLimits } from '../workers/loop-limits.ts'
import { pathText } from './loss-report.ts'
import { parseOnLoop } from './parse-answer.ts'
import type { ExchangeRun } from './run.ts'
import { withoutPaths } from './without-paths.ts'

/** `undefined` where nothing has to be checked: one owner, or a client whose wire has no place for the upstream's ids. */
export function heldIdsFor(
  { gateway }: RequestContext,
  wire: WireDefinition,
  upstream: ServedUpstream,
): HeldIds | undefined {
  return gateway.guard.hasSeveralOwners && upstream.wire === wire ? wire.service.http.heldIds : undefined
}

/** What is made apart from answers: an operator may have made it where the upstream has its pages. */
const madeApart: ReadonlySet<HeldKind> = new Set([
  'file',
  'vector store',
  'prompt',
  'skill',
  'voice',
  'tunnel',
])

/** References that a request may have, whatever its upstream speaks: a file has a form on several wires. */
export function referencesFor(
  { gateway }: RequestContext,
  wire: WireDefinition,
  upstream: ServedUpstream,
): ((named: readonly HeldReference[]) => readonly HeldReference[]) | undefined {
  if (!gateway.guard.hasSeveralOwners || wire.service.http.heldIds === undefined) return undefined
  return upstream.wire === wire ? named => named : named => named.filter(({ kind }) => kind === 'file')
}

/** The request, without ids of others that it does not need. Throws if it refers to what is not the client's. */
export function checkReferences(
  body: JsonObject,
  wire: WireDefinition,
  context: RequestContext,
  upstream: ServedUpstream,
): JsonObject | Promise<JsonObject> {
  const relevant = referencesFor(context, wire, upstream)
  if (relevant === undefined) return body
  const named = relevant(wire.service.http.heldIds?.references(body) ?? [])
  return foreignPaths(named, context, upstream).then(paths => withoutPaths(body, paths))
}

/** Where a request has ids of others that it does not need. Throws if it refers to what is not the client's. */
export async function foreignPaths(
  named: readonly HeldReference[],
  { gateway, owner, request }: RequestContext,
  upstream: ServedUpstream,
): Promise<readonly Path[]> {
  // What the connection remembers is the client's.
  const { kept } = request
  const references = kept === undefined ? named : named.filter(({ id }) => !kept.has(id))
  if (references.length === 0) return []
  const owners = await gateway.idOwners.ownersOf(
    upstream.holder,
    references.map(({ id }) => id),
  )
  const { unknownIds } = upstream
  const isPassed = (kind: HeldKind): boolean =>
    madeApart.has(kind) ? unknownIds !== 'refuse' : unknownIds === 'pass' || isResolvedHere(upstream)
  const foreign: Path[] = []
  for (const { id, kind, path, isOptional = false } of references) {
    const found = owners.get(id)
    if (found === owner || (found === undefined && (isPassed(kind) || isOptional))) continue
    if (!isOptional) throw unknownReference(kind, id, pathText(path))
    foreign.push(path)
  }
  return foreign
}

/** The gateway itself looks up most of what a request refers to, and in its store everything has an owner. */
function isResolvedHere({ wire, needsState }: ServedUpstream): boolean {
  return isStateful(wire) && needsState
}

/** Before the client gets the answer, or its end. A failure means that the client cannot refer to it, and no more. */
export async function claimIds(run: ExchangeRun, answer: unknown): Promise<void> {
  const { heldIds } = run
  if (heldIds !== undefined && isObject(answer)) await claim(run, heldIds.idsIn(answer))
}

export async function claim(
  { context, upstream, stopwatch, isLookup }: ExchangeRun,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const { gateway, owner, observation } = context
  const { holder } = upstream
  const expiresAt = gateway.clock.date() + gateway.ttlMs
  const claimAll = async (): Promise<void> => {
    // An upstream that gives an id again has made it anew; one that only repeats what it was asked for has not.
    const owners = isLookup ? await gateway.idOwners.ownersOf(holder, ids) : undefined
    const own = ids.filter(id => (owners?.get(id) ?? owner) === owner)
    if (own.length > 0) await gateway.idOwners.claimIds(owner, holder, own, expiresAt)
  }
  await stopwatch.wait(claimAll()).catch(error => recordSaveFailure(observation.facts, error))
}

/** The same for an answer that passes unread. */
export async function claimUnreadIds(run: ExchangeRun, bytes: Buffer): Promise<void> {
  if (run.heldIds === undefined) return
  try {
    await claimIds(
      run,
      parseOnLoop(bytes, run.upstream.name, loopLimits(run.context.gateway), run.context.memory),
    )
  } catch {
    // What is not JSON, or too much of it, names no ids.
  }
}

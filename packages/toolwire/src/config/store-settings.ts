/** Which store is meant, and where it is. */
import type { Problem } from './check-shape.ts'
import type { StoreConfig, StoreKind, StoreSettings } from './config.ts'
import type { Layer } from './layers.ts'
import { defaultOrigin, originOf } from './layers.ts'
import { defaultStorePath, type Machine } from './machine.ts'

/** Where the address of a server is looked for. Neither chooses a store by itself: other programs use them too. */
const variables: { readonly [kind in StoreKind]?: string } = { redis: 'REDIS_URL', postgres: 'DATABASE_URL' }

/** The kind of store at an address; `undefined` when it is not the address of one. */
export function storeKindOf(url: string): 'redis' | 'postgres' | undefined {
  if (/^(?:redis|valkey)s?:\/\//.test(url)) return 'redis'
  return /^postgres(?:ql)?:\/\//.test(url) ? 'postgres' : undefined
}

export function storeOf(
  store: StoreConfig,
  layers: readonly Layer[],
  machine: Machine,
  problems: Problem[],
): StoreSettings {
  const { path, ttlDays = 30, maxBytes, maxRecords, durability = 'normal' } = store
  const kindFrom = originOf(layers, ['store', 'kind'])
  const isKindChosen = kindFrom?.origin !== defaultOrigin
  const named = store.url === undefined ? undefined : storeKindOf(store.url)
  const kind = (isKindChosen ? store.kind : named) ?? store.kind ?? 'sqlite'
  const variable = variables[kind]
  const url = store.url ?? (variable === undefined ? undefined : machine.env[variable]?.trim()) ?? ''
  if (variable !== undefined) problems.push(...checkAddress(kind, url, variable))
  // A flag may choose another store than the file; whoever says both at once means one of them.
  else if (named !== undefined && originOf(layers, ['store', 'url']) === kindFrom) {
    const message = `The store is "${kind}", which has no address.`
    problems.push({ path: ['store', 'url'], message, remedy: `Leave it out, or set "kind" to "${named}".` })
  }
  return {
    kind,
    path: path ?? defaultStorePath(machine),
    url: variable === undefined ? '' : url,
    ttlMs: Math.round(ttlDays * 24 * 3_600_000),
    durability,
    isChosen: isKindChosen || path !== undefined || named !== undefined,
    ...(maxBytes !== undefined && { maxBytes }),
    ...(maxRecords !== undefined && { maxRecords }),
  }
}

/** The address itself may hold a password, so no message shows it. */
function checkAddress(kind: StoreKind, url: string, variable: string): Problem[] {
  if (storeKindOf(url) === kind && URL.canParse(url)) return []
  const message =
    url === ''
      ? `The store is "${kind}", and neither "store.url" nor ${variable} says where it is.`
      : `The address of the store is not one of "${kind}".`
  const example = kind === 'redis' ? 'redis://host:6379' : 'postgres://user:password@host:5432/database'
  return [{ path: ['store', 'url'], message, remedy: `Set it, such as ${example}.` }]
}

/** `toolwire usage`: requests, tokens and cost by model, client or key, of a running gateway or of its store. */

import { isObject, type JsonObject } from '@toolwire/core/json'
import { prices } from '@toolwire/core/presets'
import type { StoreSettings } from '../../config/config.ts'
import { defaultStorePath } from '../../config/machine.ts'
import { readSettings } from '../../config/read-settings.ts'
import { builtInWireSet, type WireSet } from '../../config/wires.ts'
import { ownerNames } from '../../gateway/tenants/tenants.ts'
import { hourMs, sumRows, type UsageRow } from '../../platform/usage-row.ts'
import { openSqliteStore } from '../../store/open-sqlite-store.ts'
import { plainAddress } from '../../store/shared/plain-address.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { ReachError, UsageError } from '../../terminal/errors.ts'
import { type Io, widthOf } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { modelPrice } from '../model-price.ts'
import { orConfigFailure } from '../print-error.ts'
import { findGateway } from '../reach/find-gateway.ts'
import { createGatewayClient, stranger } from '../reach/gateway-client.ts'
import { listRunningGateways } from '../reach/running-gateways.ts'
import { machineOf, processEnvironment } from '../serve/environment.ts'
import { openStore } from '../serve/open-store.ts'
import type { World } from '../trace/trace.ts'
import { type PricedRow, priceTable, type UsageSum, usageTable } from './view.ts'

export function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  const machine = machineOf(io, processEnvironment)
  const world: UsageWorld = {
    fetch: (url, init) => fetch(url, init),
    sleep: async () => {},
    running: () => listRunningGateways(machine),
    now: () => Date.now(),
    readStore,
  }
  return orConfigFailure(io, () => runUsage(args, io, world, wires))
}

export interface UsageWorld extends World {
  now(): number
  /** What a store has since an hour, or `undefined` when there is no such file. */
  readStore(path: string, sinceHour: number): Promise<readonly UsageRow[] | undefined>
}

interface Found {
  readonly rows: readonly PricedRow[]
  /** Where they are from, for people. */
  readonly source: string
}

const groupings = { model: 'model', client: 'client', key: 'owner' } as const

export async function runUsage(
  args: Arguments,
  io: Io,
  world: UsageWorld,
  wires: WireSet = builtInWireSet,
): Promise<number> {
  if (args.positionals.length > 0) {
    throw new UsageError(`"usage" takes no "${printable(args.positionals[0] ?? '')}".`)
  }
  if (args.flag('prices')) return await writePrices(args, io, wires)
  const by = (args.value('by') ?? 'model') as keyof typeof groupings
  const since = readSince(args.value('since'), world.now())
  const { rows, source } = await readRows(args, io, world, wires, since)
  const grouped = group(rows, by)
  if (args.flag('json')) {
    io.stdout.write(
      `${JSON.stringify({ by, since: sinceText(since), rows: grouped.map(row => plainRow(row, by)) }, null, 2)}\n`,
    )
    return exitCodes.ok
  }
  const colors = colorsFor(io.stdout, io.env)
  const view = { by, rows: grouped, source: printable(source), since: sinceText(since) }
  io.stdout.write(usageTable(view, colors, widthOf(io.stdout)))
  return exitCodes.ok
}

/** The most expensive first, then those with most tokens. */
function group(rows: readonly PricedRow[], by: keyof typeof groupings): UsageSum[] {
  const key = groupings[by]
  const priceOfRow = new Map(rows.map(row => [row[key], row.price]))
  const unreported = new Map<string, number>()
  for (const row of rows) unreported.set(row[key], (unreported.get(row[key]) ?? 0) + unreportedIn(row))
  return sumRows(rows, [key])
    .map(row => ({ ...row, price: priceOfRow.get(row[key]), unreported: unreported.get(row[key]) ?? 0 }))
    .sort((a, b) => b.cost - a.cost || b.input + b.output - (a.input + a.output) || b.requests - a.requests)
}

/** Where no request had a price, those with tokens are the unpriced ones. Where some had, a row cannot tell. */
function unreportedIn({ requests, failures, input, output, cost, unpriced }: UsageRow): number {
  const hasPriced = cost > 0 || (unpriced === 0 && input + output > 0)
  return hasPriced ? 0 : Math.max(0, requests - failures - unpriced)
}

function plainRow(
  { requests, failures, input, output, cacheRead, cost, unpriced, unreported, price, ...names }: UsageSum,
  by: keyof typeof groupings,
): object {
  return {
    [by]: names[groupings[by]],
    requests,
    failures,
    input_tokens: input,
    cached_tokens: cacheRead,
    output_tokens: output,
    cost_usd: cost === 0 && unpriced > 0 ? null : cost / 1e6,
    unpriced_requests: unpriced,
    unreported_requests: cost > 0 ? null : unreported,
    ...(by === 'model' && { price: price ?? null }),
  }
}

/** Those of the gateway; where none listens, those of its store. */
async function readRows(
  args: Arguments,
  io: Io,
  world: UsageWorld,
  wires: WireSet,
  since: number,
): Promise<Found> {
  const gateway = await findGateway(args, io, wires, world.running)
  try {
    const value = await createGatewayClient(gateway, world).get(`/toolwire/usage?since=${since}`)
    if (!isObject(value) || !Array.isArray(value.data)) throw stranger(printable(gateway.url))
    return { rows: value.data.filter(isObject).map(readRow), source: gateway.url }
  } catch (error) {
    const kept = args.value('url') === undefined ? await readKept(args, io, world, wires, since) : undefined
    if (kept === undefined) throw error
    if (!(error instanceof ReachError) || !error.reason.startsWith('nothing listens')) throw error
    return kept
  }
}

async function readKept(
  args: Arguments,
  io: Io,
  world: UsageWorld,
  wires: WireSet,
  since: number,
): Promise<Found | undefined> {
  const file = args.value('config')
  const machine = machineOf(io, processEnvironment)
  const { settings } = await readSettings({ ...(file !== undefined && { file }), wires }, io, machine)
  const { kind, url } = settings.store
  const isServer = kind === 'redis' || kind === 'postgres'
  const path = kind === 'sqlite' ? settings.store.path : defaultStorePath(machine)
  const sinceHour = Math.floor(since / hourMs)
  const rows = await (isServer ? readServer(settings.store, sinceHour) : world.readStore(path, sinceHour))
  if (rows === undefined) return undefined
  const nameOf = ownerNames(settings.tenants)
  const priced = rows.map(row => ({
    ...row,
    owner: nameOf(row.owner),
    price: row.cost === 0 ? undefined : modelPrice(row.model, settings.prices),
  }))
  return { rows: priced, source: `${isServer ? plainAddress(url) : path} (no gateway runs)` }
}

async function readServer(
  settings: StoreSettings,
  sinceHour: number,
): Promise<readonly UsageRow[] | undefined> {
  const { store } = await openStore(settings)
  try {
    return await store?.readUsage?.(sinceHour)
  } finally {
    await store?.close()
  }
}

async function readStore(path: string, sinceHour: number): Promise<readonly UsageRow[] | undefined> {
  const { existsSync } = await import('node:fs')
  if (!existsSync(path)) return undefined
  const store = await openSqliteStore({ path, thread: false })
  try {
    return await store.readUsage?.(sinceHour)
  } finally {
    await store.close()
  }
}

/** The gateway may be another version. */
function readRow(value: JsonObject): PricedRow {
  const number = (name: string): number => {
    const found = value[name]
    return typeof found === 'number' && Number.isFinite(found) ? found : 0
  }
  const text = (holder: JsonObject, name: string): string => {
    const found = holder[name]
    return typeof found === 'string' ? found : ''
  }
  const { price } = value
  return {
    hour: 0,
    model: text(value, 'model'),
    upstream: text(value, 'upstream'),
    client: text(value, 'client'),
    owner: text(value, 'owner'),
    requests: number('requests'),
    failures: number('failures'),
    input: number('input'),
    output: number('output'),
    cacheRead: number('cacheRead'),
    cost: number('cost'),
    unpriced: number('unpriced'),
    price: isObject(price)
      ? { model: text(price, 'model'), source: text(price, 'source'), date: text(price, 'date') }
      : undefined,
  }
}

const units: { readonly [unit: string]: number } = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs }

/** In milliseconds since 1970. */
function readSince(text: string | undefined, now: number): number {
  if (text === undefined) return 0
  if (text === 'today') return new Date(now).setHours(0, 0, 0, 0)
  const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (units[unit] ?? 0)
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(date)) return date
  throw new UsageError(`--since must be such as 24h, 7d, 4w, today or 2026-11-01; got "${printable(text)}".`)
}

function sinceText(since: number): string | undefined {
  return since === 0 ? undefined : new Date(Math.floor(since / hourMs) * hourMs).toISOString()
}

async function writePrices(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  const file = args.value('config')
  const machine = machineOf(io, processEnvironment)
  const { settings } = await readSettings({ ...(file !== undefined && { file }), wires }, io, machine)
  const all = [...settings.prices, ...prices]
  if (args.flag('json')) io.stdout.write(`${JSON.stringify({ prices: all }, null, 2)}\n`)
  else io.stdout.write(priceTable(all, colorsFor(io.stdout, io.env), widthOf(io.stdout)))
  return exitCodes.ok
}

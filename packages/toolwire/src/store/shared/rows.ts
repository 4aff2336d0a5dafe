/** Rows of procedures as values, and the checksums by which a reader finds what was not written so. */
import { crc32 } from 'node:zlib'
import { type UsageRow, usageKeys } from '../../platform/usage-row.ts'
import type { Item, ResponseRecord } from '../store.ts'
import { damaged } from '../store-error.ts'
import type { Row } from './procedures.ts'

const sumOf = (text: string, ...names: readonly unknown[]): string =>
  String(crc32(text, crc32(JSON.stringify(names))))

const itemSum = (owner: string, { id, json }: Item): string => sumOf(json, owner, id)

export const conversationSum = (owner: string, id: string, metadata: string): string =>
  sumOf(metadata, owner, id)

export const claimSum = (holder: string, id: string, owner: string, expiresAt: number): string =>
  sumOf(owner, holder, id, expiresAt)

export const secretSum = (name: string, value: string): string => sumOf(value, name)

type SummedRecord = Omit<ResponseRecord, 'createdAt' | 'expiresAt'>

/** With the number of its items, each of which has a checksum of its own. */
export function recordSum(record: SummedRecord): string {
  const { owner, id, status, previousId = null, conversationId = null, input, output, response } = record
  return sumOf(response, owner, id, status, previousId, conversationId, input.length, output.length)
}

/** The three lists by which items are given to a procedure. */
export function itemLists(owner: string, items: readonly Item[]): readonly (readonly string[])[] {
  return [items.map(({ id }) => id), items.map(({ json }) => json), items.map(item => itemSum(owner, item))]
}

/** Of a row of part, id, text and checksum. */
export function itemFrom(owner: string, [, id, json, sum]: Row): Item {
  const item = { id: id ?? '', json: json ?? '' }
  if (itemSum(owner, item) !== sum) throw damaged('item', item.id)
  return item
}

export interface FoundResponse {
  readonly record: ResponseRecord
  /** Who works on it, if it is unfinished. */
  readonly writer: string | undefined
  readonly isWriterAlive: boolean
}

export function responseFrom(owner: string, id: string, rows: readonly Row[]): FoundResponse | undefined {
  const [head, ...items] = rows
  if (head === undefined) return undefined
  const [expiresAt, createdAt, previousId, conversationId, status, response, sum, , writer, isAlive] = head
  const of = (part: string): Item[] => items.filter(row => row[0] === part).map(row => itemFrom(owner, row))
  const record: ResponseRecord = {
    owner,
    id,
    createdAt: Number(createdAt),
    expiresAt: Number(expiresAt),
    ...(typeof previousId === 'string' && { previousId }),
    ...(typeof conversationId === 'string' && { conversationId }),
    status: status ?? '',
    response: response ?? '',
    input: of('input'),
    output: of('output'),
  }
  if (recordSum(record) !== sum) throw damaged('response', id)
  return { record, writer: writer ?? undefined, isWriterAlive: isAlive === '1' }
}

/** The items of several records, each of which begins with a row that says how many it has. */
export function itemsFrom(owner: string, rows: readonly Row[]): Item[] {
  const items: Item[] = []
  let wanted = 0
  for (const row of rows) {
    if (row[0] === 'record') {
      if (items.length !== wanted) throw damaged('response', 'context')
      wanted += Number(row[2])
    } else items.push(itemFrom(owner, row))
  }
  if (items.length !== wanted) throw damaged('response', 'context')
  return items
}

const sums = ['requests', 'failures', 'input', 'output', 'cacheRead', 'cost', 'unpriced'] as const
const [, ...names] = usageKeys

export function usageLists(rows: readonly UsageRow[]): readonly (readonly string[])[] {
  return [
    rows.map(({ hour }) => String(hour)),
    rows.map(row => JSON.stringify(names.map(name => row[name]))),
    rows.flatMap(row => sums.map(name => String(row[name]))),
  ]
}

/** One after the other, because there may be very many. */
export function* usageIn(rows: readonly Row[]): Iterable<UsageRow> {
  for (const row of rows) yield usageFrom(row)
}

function usageFrom([hour, key, ...values]: Row): UsageRow {
  const found = JSON.parse(key ?? '[]') as readonly string[]
  const row = {
    hour: Number(hour),
    ...Object.fromEntries(names.map((name, at) => [name, found[at] ?? ''])),
    ...Object.fromEntries(sums.map((name, at) => [name, Number(values[at] ?? 0)])),
  }
  // All of its names are in the two lists.
  return row as UsageRow
}

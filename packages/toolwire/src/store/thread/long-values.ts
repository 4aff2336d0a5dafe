/** The texts of what an operation of a store is given or returns, apart from the rest, so that they can cross in slices. */
import type { NamedText } from '../../platform/text-slices.ts'
import type { Item, ItemPage, NewEvents, ResponseRecord, Store } from '../store.ts'

export type StoreOperation = Exclude<keyof Store, 'kind'>

/** What is left when the texts are taken out, and the texts. */
export interface Unloaded {
  readonly rest: unknown
  readonly texts: readonly Item[]
}

type RecordRest = Omit<ResponseRecord, 'response' | 'responsePieces' | 'input' | 'output'> & {
  readonly inputs: number
  readonly outputs: number
}

function unloadRecord({ response, responsePieces, input, output, ...rest }: ResponseRecord): Unloaded {
  const first = { id: '', json: response, ...(responsePieces !== undefined && { pieces: responsePieces }) }
  const texts: readonly NamedText[] = [first, ...input, ...output]
  return { rest: { ...rest, inputs: input.length, outputs: output.length } satisfies RecordRest, texts }
}

function loadRecord(
  { inputs, outputs, ...rest }: RecordRest,
  [response, ...items]: readonly Item[],
): ResponseRecord {
  const { json = '', pieces } = response ?? {}
  return {
    ...rest,
    response: json,
    ...(pieces !== undefined && { responsePieces: pieces }),
    input: items.slice(0, inputs),
    output: items.slice(inputs, inputs + outputs),
  }
}

interface SaveRest {
  readonly record: RecordRest
  readonly last?: Omit<NewEvents, 'events'>
}

function unloadSave(given: ResponseRecord, lastEvents: NewEvents | undefined): Unloaded {
  const record = unloadRecord(given)
  if (lastEvents === undefined) return { ...record, rest: { record: record.rest } }
  const { events, ...last } = lastEvents
  const frames = events.map(json => ({ id: '', json }))
  return { rest: { record: record.rest, last }, texts: [...record.texts, ...frames] }
}

function loadSave({ record, last }: SaveRest, texts: readonly Item[]): readonly unknown[] {
  const loaded = loadRecord(record, texts)
  const frames = texts.slice(1 + record.inputs + record.outputs)
  return last === undefined ? [loaded] : [loaded, { ...last, events: frames.map(({ json }) => json) }]
}

/** `undefined` where an operation returns no texts, or this one returned nothing. */
export function unloadResult(operation: StoreOperation, value: unknown): Unloaded | undefined {
  if (value === undefined) return undefined
  switch (operation) {
    case 'getResponse':
      return unloadRecord(value as ResponseRecord)
    case 'context':
      return { rest: undefined, texts: value as readonly Item[] }
    case 'getItems':
      return { rest: undefined, texts: [...(value as ReadonlyMap<string, Item>).values()] }
    case 'listItems':
      return { rest: (value as ItemPage).hasMore, texts: (value as ItemPage).items }
    case 'getItem':
      return { rest: undefined, texts: [value as Item] }
    default:
      return undefined
  }
}

export function loadResult(operation: StoreOperation, { rest, texts }: Unloaded): unknown {
  switch (operation) {
    case 'getResponse':
      return loadRecord(rest as RecordRest, texts)
    case 'getItems':
      return new Map(texts.map(item => [item.id, item]))
    case 'listItems':
      return { items: texts, hasMore: rest as boolean } satisfies ItemPage
    case 'getItem':
      return texts[0]
    default:
      return texts
  }
}

/** The same for what an operation is given. */
export function unloadGiven(operation: StoreOperation, given: readonly unknown[]): Unloaded | undefined {
  switch (operation) {
    case 'saveResponse':
      return unloadSave(given[0] as ResponseRecord, given[1] as NewEvents | undefined)
    case 'createConversation':
    case 'appendItems':
      return { rest: given.slice(0, -1), texts: given.at(-1) as readonly Item[] }
    default:
      return undefined
  }
}

export function loadGiven(operation: StoreOperation, { rest, texts }: Unloaded): readonly unknown[] {
  return operation === 'saveResponse'
    ? loadSave(rest as SaveRest, texts)
    : [...(rest as readonly unknown[]), texts]
}

/**
 * The store as a request reads it: what is loaded is weighed first and takes memory of the request's. A short request may
 * refer to a long history, so no route may load one in another way.
 */
import type { Item, ItemPage, ItemQuery, ResponseRecord, Store, WeighedRead } from '../../store/store.ts'
import type { RequestContext } from '../context.ts'
import { type Holding, workingBytes } from '../http/byte-budget.ts'

export type HistoryReader = Pick<Store, 'getResponse' | 'context' | 'getItems' | 'listItems' | 'getItem'>

/** `undefined` where the gateway runs without a store. */
export function historyOf({ gateway, memory }: RequestContext): HistoryReader | undefined {
  return gateway.store && new WeighedStore(gateway.store, memory)
}

class WeighedStore implements HistoryReader {
  readonly #store: Store
  readonly #memory: Holding

  constructor(store: Store, memory: Holding) {
    this.#store = store
    this.#memory = memory
  }

  async getResponse(owner: string, id: string): Promise<ResponseRecord | undefined> {
    await this.#weigh(owner, { response: id })
    return this.#store.getResponse(owner, id)
  }

  async context(owner: string, id: string): Promise<readonly Item[] | undefined> {
    await this.#weigh(owner, { context: id })
    return this.#taking(await this.#store.context(owner, id))
  }

  /** An item takes memory for each time that it is named, since it is put in place each time. */
  async getItems(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    await this.#weigh(owner, { items: ids })
    const found = await this.#store.getItems(owner, ids)
    this.#taking(ids.flatMap(id => found.get(id) ?? []))
    return found
  }

  async listItems(owner: string, conversation: string, query: ItemQuery): Promise<ItemPage | undefined> {
    await this.#weigh(owner, { conversation, query })
    const page = await this.#store.listItems(owner, conversation, query)
    this.#taking(page?.items)
    return page
  }

  async getItem(owner: string, conversation: string, id: string): Promise<Item | undefined> {
    await this.#weigh(owner, { items: [id] })
    const item = await this.#store.getItem(owner, conversation, id)
    this.#taking(item && [item])
    return item
  }

  async #weigh(owner: string, read: WeighedRead): Promise<void> {
    this.#memory.take(await this.#store.weigh(owner, read), 'history')
  }

  #taking<Items extends readonly Item[] | undefined>(items: Items): Items {
    if (items !== undefined) takeForItems(this.#memory, items)
    return items
  }
}

/** Takes the memory for items that are going to be parsed. */
export function takeForItems(memory: Holding, items: readonly Item[]): void {
  for (const { json } of items) memory.take(workingBytes(json), 'history')
}

/**
 * The store as a request reads it: what is loaded is weighed first and takes memory of the request's. A short request may
 * refer to a long history, so no route may load one in another way.
 */
import type { Item, ItemPage, ItemQuery, ResponseRecord, Store, WeighedRead } from '../../store/store.ts'
import type { RequestContext } from '../context.ts'
import { type Holding, nodeBytes, textBytes } from '../http/byte-budget.ts'
import { countInTurns } from '../http/count-nodes.ts'

/** Under which the store has an answer in a thread. Whoever asks for a response does not find it. */
export function threadId(messageId: string): string {
  return `${threadMark}${messageId}`
}

const threadMark = 'thread:'

export type HistoryReader = Pick<Store, 'getResponse' | 'context' | 'getItems' | 'listItems' | 'getItem'>

/** `undefined` where the gateway runs without a store. */
export function historyOf({ gateway, memory }: RequestContext): WeighedStore | undefined {
  return gateway.store && new WeighedStore(gateway.store, memory)
}

export class WeighedStore implements HistoryReader {
  readonly #store: Store
  readonly #memory: Holding

  constructor(store: Store, memory: Holding) {
    this.#store = store
    this.#memory = memory
  }

  /** Whoever parses texts of it takes the memory for that. */
  async getResponse(owner: string, id: string): Promise<ResponseRecord | undefined> {
    return id.startsWith(threadMark) ? undefined : this.getTurn(owner, id)
  }

  /** A response, or an answer in a thread. */
  async getTurn(owner: string, id: string): Promise<ResponseRecord | undefined> {
    this.#memory.take(await this.#store.weigh(owner, { response: id }), 'history')
    return this.#store.getResponse(owner, id)
  }

  async context(owner: string, id: string): Promise<readonly Item[] | undefined> {
    await this.#weighItems(owner, { context: id })
    const items = await this.#store.context(owner, id)
    await takeForValues(this.#memory, items ?? [])
    return items
  }

  /** An item takes memory for each time that it is named, since it is put in place each time. */
  async getItems(owner: string, ids: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    await this.#weighItems(owner, { items: ids })
    const found = await this.#store.getItems(owner, ids)
    await takeForValues(
      this.#memory,
      ids.flatMap(id => found.get(id) ?? []),
    )
    return found
  }

  async listItems(owner: string, conversation: string, query: ItemQuery): Promise<ItemPage | undefined> {
    await this.#weighItems(owner, { conversation, query })
    const page = await this.#store.listItems(owner, conversation, query)
    await takeForValues(this.#memory, page?.items ?? [])
    return page
  }

  async getItem(owner: string, conversation: string, id: string): Promise<Item | undefined> {
    await this.#weighItems(owner, { items: [id] })
    const item = await this.#store.getItem(owner, conversation, id)
    await takeForValues(this.#memory, item === undefined ? [] : [item])
    return item
  }

  /** For items that are loaded to be parsed. They are not loaded if there is no memory for the rest. */
  async #weighItems(owner: string, read: WeighedRead): Promise<void> {
    const bytes = await this.#store.weigh(owner, read)
    this.#memory.take(bytes + textBytes(bytes), 'history')
  }
}

function takeForValues(memory: Holding, items: readonly Item[]): Promise<void> {
  return countInTurns(items, nodes => memory.take(nodeBytes(nodes), 'history'))
}

/** Takes the memory for items that are loaded and are going to be parsed. */
export async function takeForItems(memory: Holding, items: readonly Item[]): Promise<void> {
  for (const { json } of items) memory.take(textBytes(json.length), 'history')
  await takeForValues(memory, items)
}

/** A store around another one: the one list of all operations that stand between a request and its data. */
import type { Store } from './store.ts'

/** `around` runs an operation on the store, sooner or later, or refuses it. */
export function wrapStore(
  kind: string,
  around: <T>(operation: (store: Store) => Promise<T>) => Promise<T>,
  upkeep: Pick<Store, 'sweep' | 'maintain' | 'close'>,
): Store {
  return {
    kind,
    saveResponse: (record, events) => around(store => store.saveResponse(record, events)),
    getResponse: (owner, id) => around(store => store.getResponse(owner, id)),
    deleteResponse: (owner, id) => around(store => store.deleteResponse(owner, id)),
    requestCancel: (owner, id) => around(store => store.requestCancel(owner, id)),
    responsesToStop: () => around(store => store.responsesToStop()),
    context: (owner, id) => around(store => store.context(owner, id)),
    getItems: (owner, ids) => around(store => store.getItems(owner, ids)),
    weigh: (owner, read) => around(store => store.weigh(owner, read)),
    createConversation: (conversation, items) =>
      around(store => store.createConversation(conversation, items)),
    getConversation: (owner, id) => around(store => store.getConversation(owner, id)),
    updateConversation: (owner, id, change) => around(store => store.updateConversation(owner, id, change)),
    deleteConversation: (owner, id) => around(store => store.deleteConversation(owner, id)),
    appendItems: (owner, id, items) => around(store => store.appendItems(owner, id, items)),
    listItems: (owner, id, query) => around(store => store.listItems(owner, id, query)),
    getItem: (owner, conversationId, id) => around(store => store.getItem(owner, conversationId, id)),
    deleteItem: (owner, conversationId, id) => around(store => store.deleteItem(owner, conversationId, id)),
    claimIds: (owner, holder, ids, expiresAt) =>
      around(store => store.claimIds(owner, holder, ids, expiresAt)),
    swapClaim: (holder, id, expected, owner, expiresAt) =>
      around(store => store.swapClaim(holder, id, expected, owner, expiresAt)),
    ownersOf: (holder, ids) => around(store => store.ownersOf(holder, ids)),
    secret: (name, candidate) => around(store => store.secret(name, candidate)),
    appendEvents: (owner, id, events) => around(async store => store.appendEvents?.(owner, id, events)),
    readEvents: (owner, id, from) => around(async store => store.readEvents?.(owner, id, from)),
    watchEvents(owner, id, wake) {
      let isOver = false
      let stop: (() => void) | undefined
      const begin = async (store: Store): Promise<void> => {
        stop = isOver ? undefined : store.watchEvents?.(owner, id, wake)
      }
      // A store in trouble wakes nobody.
      around(begin).catch(() => {})
      return () => {
        isOver = true
        stop?.()
      }
    },
    addUsage: rows => around(async store => store.addUsage?.(rows)),
    readUsage: (since, owner) => around(async store => (await store.readUsage?.(since, owner)) ?? []),
    addTraces: (traces, bounds) => around(async store => store.addTraces?.(traces, bounds)),
    listTraces: (limit, owner) => around(async store => (await store.listTraces?.(limit, owner)) ?? []),
    getTrace: (id, owner) => around(async store => store.getTrace?.(id, owner)),
    addCounts: (owner, changes) =>
      around(async store => (await store.addCounts?.(owner, changes)) ?? { isAdded: true, values: [] }),
    check: () => around(store => store.check()),
    sweep: now => upkeep.sweep(now),
    maintain: () => upkeep.maintain(),
    close: () => upkeep.close(),
  }
}

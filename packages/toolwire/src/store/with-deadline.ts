/** A store whose operations fail after a time limit: one that hangs must not make requests wait for ever. */
import type { Store } from './store.ts'
import { StoreError } from './store-error.ts'

/** Far more than a healthy store needs, and more than SQLite waits for another process. */
const limitMs = 10_000

interface Timer {
  /** Calls back once, unless the returned function is called before. */
  after(milliseconds: number, callback: () => void): () => void
}

export function withDeadline(store: Store, timer: Timer): Store {
  const within = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const cancel = timer.after(limitMs, () =>
        reject(new StoreError('busy', `It did not answer within ${limitMs} ms.`)),
      )
      work.then(resolve, reject).finally(cancel)
    })
  return {
    kind: store.kind,
    saveResponse: record => within(store.saveResponse(record)),
    getResponse: (owner, id) => within(store.getResponse(owner, id)),
    deleteResponse: (owner, id) => within(store.deleteResponse(owner, id)),
    context: (owner, id) => within(store.context(owner, id)),
    getItems: (owner, ids) => within(store.getItems(owner, ids)),
    createConversation: (conversation, items) => within(store.createConversation(conversation, items)),
    getConversation: (owner, id) => within(store.getConversation(owner, id)),
    updateConversation: (owner, id, change) => within(store.updateConversation(owner, id, change)),
    deleteConversation: (owner, id) => within(store.deleteConversation(owner, id)),
    appendItems: (owner, id, items) => within(store.appendItems(owner, id, items)),
    listItems: (owner, id, query) => within(store.listItems(owner, id, query)),
    getItem: (owner, conversationId, id) => within(store.getItem(owner, conversationId, id)),
    deleteItem: (owner, conversationId, id) => within(store.deleteItem(owner, conversationId, id)),
    claimIds: (owner, holder, ids, expiresAt) => within(store.claimIds(owner, holder, ids, expiresAt)),
    ownersOf: (holder, ids) => within(store.ownersOf(holder, ids)),
    check: () => within(store.check()),
    // No request waits for these two.
    sweep: now => store.sweep(now),
    close: () => store.close(),
  }
}

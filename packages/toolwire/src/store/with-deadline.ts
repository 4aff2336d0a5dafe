/** A store that answers in time or fails: one that falls silent must not make requests wait for ever. */

import type { Clock } from '../gateway/clock.ts'
import type { Store } from './store.ts'
import { StoreError } from './store-error.ts'

/** Far more than a store in good health takes, and more than one waits for another process. */
const patienceMs = 10_000

export function withDeadline(store: Store, clock: Clock): Store {
  const within = <T>(work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(patienceMs, () =>
        reject(new StoreError('busy', `It did not answer within ${patienceMs} ms.`)),
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
    check: () => within(store.check()),
    // Both take as long as they take, and no request waits for them.
    sweep: now => store.sweep(now),
    close: () => store.close(),
  }
}

/** Responses in SQLite: each method is what one operation does inside its transaction. */
import { walkChain } from './chain.ts'
import { weighItems, weighRecord } from './checks.ts'
import { isFinished, itemsForConversation, joinsConversation } from './lifecycle.ts'
import type { SqliteConversations } from './sqlite-conversations.ts'
import { type Head, plain, type SqliteRecords } from './sqlite-records.ts'
import type { Item, Limits, ResponseRecord } from './store.ts'
import { conversationNotFound, tooLarge } from './store-error.ts'

export class SqliteResponses {
  readonly #records: SqliteRecords
  readonly #conversations: SqliteConversations
  readonly #limits: Limits
  /** This process, to those who find a response of its unfinished. */
  readonly #writer: string

  constructor(records: SqliteRecords, conversations: SqliteConversations, limits: Limits, writer: string) {
    this.#records = records
    this.#conversations = conversations
    this.#limits = limits
    this.#writer = writer
  }

  save(record: ResponseRecord, now: number): void {
    const { owner, id, conversationId } = record
    const existing = this.#records.find('response', owner, id, now)
    if (conversationId === undefined) {
      this.#write(record, existing, null, null)
      return
    }
    const conversation = this.#conversations.find(owner, conversationId, now)
    if (conversation === undefined) throw conversationNotFound(conversationId)
    if (existing?.joined_to === conversation.number) {
      this.#write(record, existing, existing.joined_to, existing.joined_after)
      return
    }
    const items = itemsForConversation(record)
    this.#conversations.assertNew(conversation, owner, conversationId, items)
    if (!joinsConversation(record.status)) {
      this.#write(record, existing, null, null)
      return
    }
    this.#assertFits(id, weighRecord(record) + conversation.bytes + weighItems(items))
    this.#write(record, existing, conversation.number, this.#records.lastPlace())
    const expiresAt = Math.max(conversation.expires_at, record.expiresAt)
    this.#conversations.extend(conversation, owner, conversationId, items, expiresAt)
  }

  get(owner: string, id: string, now: number): ResponseRecord | undefined {
    const head = this.#records.find('response', owner, id, now)
    if (head === undefined) return undefined
    const items = this.#records.itemsOf(head.number)
    return {
      owner,
      id,
      createdAt: head.created_at,
      expiresAt: head.expires_at,
      ...(head.previous_id === null ? {} : { previousId: head.previous_id }),
      ...(head.conversation_id === null ? {} : { conversationId: head.conversation_id }),
      status: head.status ?? '',
      response: this.#records.body(head.number),
      input: items.filter(({ part }) => part === 'input').map(plain),
      output: items.filter(({ part }) => part === 'output').map(plain),
    }
  }

  context(owner: string, id: string, now: number): readonly Item[] | undefined {
    const chain = walkChain(id, link => {
      const head = this.#records.find('response', owner, link, now)
      return head && { id: link, previousId: head.previous_id ?? undefined, head }
    })
    const root = chain?.[0]?.head
    const before = root && this.#beforeJoining(owner, root, now)
    if (chain === undefined || before === undefined) return undefined
    return [...before, ...chain.flatMap(({ head }) => this.#records.itemsOf(head.number).map(plain))]
  }

  #write(
    record: ResponseRecord,
    existing: Head | undefined,
    joinedTo: number | null,
    joinedAfter: number | null,
  ): void {
    const { owner, id, createdAt, expiresAt, status } = record
    const bytes = weighRecord(record)
    this.#assertFits(id, bytes)
    const number = existing?.number ?? this.#records.create('response', owner, id, createdAt, expiresAt, '')
    const writer = isFinished(status) ? null : this.#writer
    this.#records.writeResponse(number, record, { bytes, writer, joinedTo, joinedAfter })
  }

  /** What the conversation held when the response became part of it. */
  #beforeJoining(owner: string, head: Head, now: number): readonly Item[] | undefined {
    if (head.conversation_id === null) return []
    const conversation = this.#conversations.find(owner, head.conversation_id, now)
    if (conversation === undefined || head.joined_to !== conversation.number) return undefined
    return this.#records.itemsUpTo(conversation.number, head.joined_after ?? 0).map(plain)
  }

  #assertFits(id: string, bytes: number): void {
    if (bytes > this.#limits.maxBytes) throw tooLarge(`Response ${id}`, bytes, this.#limits.maxBytes)
  }
}

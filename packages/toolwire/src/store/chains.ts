/** What a response goes on from. */
import type { RecordHead, Records } from './records.ts'
import type { Item } from './store.ts'

/** From the first response of the chain to this one; `undefined` when one is missing or the chain is circular. */
export function chainOf(
  records: Records,
  owner: string,
  id: string,
  now: number,
): readonly RecordHead[] | undefined {
  const chain: RecordHead[] = []
  const seen = new Set<string>()
  for (let next: string | null = id; next !== null; ) {
    const head: RecordHead | undefined = seen.has(next)
      ? undefined
      : records.find('response', owner, next, now)
    if (head === undefined) return undefined
    seen.add(next)
    chain.push(head)
    next = head.previousId
  }
  return chain.reverse()
}

/** What the conversation of a response contained before the response became part of it. */
export function itemsBefore(
  records: Records,
  response: RecordHead,
  owner: string,
  now: number,
): readonly Item[] | undefined {
  const { conversationId, joinedTo, joinedAfter } = response
  if (conversationId === null) return []
  const conversation = records.find('conversation', owner, conversationId, now)
  if (conversation === undefined || joinedTo !== conversation.number) return undefined
  return records.items(conversation.number, joinedAfter ?? 0)
}

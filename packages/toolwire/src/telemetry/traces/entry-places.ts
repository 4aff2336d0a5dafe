/** Where exchanges stand in their conversations, and the ids of their answers: found when somebody reads. */
import type { Steps } from '../../platform/steps.ts'
import { type Masker, maskedStart } from '../mask-secrets.ts'
import {
  answerIdIn,
  ConversationIndex,
  type ConversationPlace,
  conversationFacts,
} from './conversation-facts.ts'
import { type Entry, find, nobody, ownerOf, readSummary } from './trace-entry.ts'
import { beginningOf, hasView, partsOf } from './view-journal.ts'

/** The id of an answer stands in its beginning. */
const answerBeginning = 4096

export class EntryPlaces {
  readonly #conversations: ConversationIndex

  /** `entries`: how many exchanges are kept. */
  constructor(entries: number) {
    this.#conversations = new ConversationIndex(4 * entries)
  }

  /** In the order in which the exchanges began, whichever are read first. */
  *find(entries: readonly Entry[], masker: Masker): Steps<void> {
    const open = entries.filter(({ isPlaced }) => !isPlaced)
    for (const entry of open.sort((a, b) => a.order - b.order)) {
      // Somebody else may have read it, or it was dropped, while others had their turns.
      if (!entry.isPlaced && !entry.isDropped) yield this.#findPlace(entry, masker)
    }
  }

  /** Returns how many bytes were looked at: to find those of one view, all marks are. */
  #findPlace(entry: Entry, masker: Masker): number {
    const { id } = entry
    const scope = ownerOf(entry) ?? nobody
    if (entry.conversation === undefined) {
      const [part] = partsOf(entry.views, 'client-request')
      if (part === undefined) {
        entry.conversation = this.#placeOfBackground(entry)
        entry.isPlaced = entry.isEnded
        return entry.bytes
      }
      const { lane } = entry.known.more
      const { prompt, ...facts } = conversationFacts(part.head?.headers ?? {}, part.bytes.toString(), lane)
      const { continues, ...place } = this.#conversations.place(id, scope, facts)
      entry.conversation = {
        ...place,
        ...(continues !== undefined && { continues: maskedStart(continues, 200, masker) }),
      }
      entry.prompt = prompt && maskedStart(prompt.trim().replaceAll(/\s+/g, ' '), 160, masker)
    }
    entry.answerId ??= answerIdOf(entry, masker)
    const responseId = entry.answerId ?? readSummary(entry).response_id
    if (responseId !== undefined) this.#conversations.answered(id, scope, responseId, entry.conversation)
    entry.isPlaced = entry.isEnded
    return entry.bytes
  }

  /** What goes on in the background has no request of its own, but the answer of the one that began it. */
  #placeOfBackground(entry: Entry): ConversationPlace | undefined {
    const { response_id: responseId, route } = readSummary(entry)
    if (responseId === undefined || !route.startsWith('BACKGROUND ')) return undefined
    return this.#conversations.after(ownerOf(entry) ?? nobody, responseId)
  }
}

export function findAnswer(entries: readonly Entry[], id: string, masker: Masker): Entry | undefined {
  for (const entry of entries) entry.answerId ??= answerIdOf(entry, masker)
  return find(entries, id)
}

/** Whoever only asks for an answer again, sends no body. */
function answerIdOf({ views }: Entry, masker: Masker): string | undefined {
  if (!hasView(views, 'client-request')) return undefined
  const id = answerIdIn(beginningOf(views, 'client-answer', answerBeginning))
  return id && maskedStart(id, 200, masker)
}

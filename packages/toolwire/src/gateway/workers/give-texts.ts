/** Gives a worker the texts that a request continues or shows, and takes those that are to be stored: in slices. */
import { type NamedText, slicesOf, TextCollector } from '../../platform/text-slices.ts'
import type { Worker } from './pool.ts'
import type { CrossingState, FoundState, TextList } from './protocol.ts'

export async function giveTexts(worker: Worker, list: TextList, texts: Iterable<NamedText>): Promise<void> {
  for (const slice of slicesOf(texts)) await worker.run('give', { list, slice })
}

export async function takeTexts(worker: Worker): Promise<readonly NamedText[]> {
  const collector = new TextCollector()
  for (let isLast = false; !isLast; ) {
    const taken = await worker.run('takeTexts', undefined)
    collector.add(taken.slice)
    isLast = taken.isLast
  }
  return collector.texts
}

/** The jobs that follow get what is returned. */
export async function giveState(
  worker: Worker,
  found: FoundState | undefined,
): Promise<CrossingState | undefined> {
  if (found === undefined) return undefined
  const { history, referred, ...rest } = found
  if (history.length > 0) await giveTexts(worker, 'history', history)
  if (referred !== undefined && referred.size > 0) await giveTexts(worker, 'referred', referred.values())
  return { ...rest, isReferred: referred !== undefined }
}

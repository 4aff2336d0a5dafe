/** The texts that a worker has been given for the request in hand, and those that it has for the event loop. */
import { type NamedText, slicesOf, TextCollector, type TextPiece } from '../../platform/text-slices.ts'
import type { CrossingState, FoundState, Jobs, TextList } from './protocol.ts'

export class GivenTexts {
  readonly #lists = new Map<TextList, TextCollector>()
  #taken: Iterator<readonly TextPiece[]> = [][Symbol.iterator]()

  add({ list, slice }: Parameters<Jobs['give']>[0]): void {
    const collector = this.#lists.get(list) ?? new TextCollector()
    this.#lists.set(list, collector)
    collector.add(slice)
  }

  of(list: TextList): readonly NamedText[] {
    return this.#lists.get(list)?.texts ?? []
  }

  /** To be taken, a slice at a time. */
  offer(texts: readonly NamedText[]): void {
    this.#taken = slicesOf(texts)
  }

  take(): ReturnType<Jobs['takeTexts']> {
    const { value: slice = [], done = true } = this.#taken.next()
    return { slice, isLast: done }
  }

  state(crossed: CrossingState): FoundState {
    const { isReferred, ...rest } = crossed
    const referred = isReferred && { referred: new Map(this.of('referred').map(item => [item.id, item])) }
    return { ...rest, history: this.of('history'), ...referred }
  }
}

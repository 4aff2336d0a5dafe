/** One set of metrics for all worker processes, whose counters never go down. */
import { mergeMetrics } from '../../telemetry/merge-metrics.ts'
import { createCounter, createGauge } from '../../telemetry/metric-families.ts'
import type { Crew, Member } from './crew.ts'

export class CrewMetrics {
  readonly #crew: () => Pick<Crew, 'askAll' | 'ready' | 'restarts'>
  /** What each of them said last: one that is too busy to say more has still counted that. */
  readonly #last = new Map<Member, string>()
  /** What those had counted that have ended, by their place. */
  readonly #departed = new Map<Member, string>()

  constructor(crew: () => Pick<Crew, 'askAll' | 'ready' | 'restarts'>) {
    this.#crew = crew
  }

  async text(): Promise<string> {
    for (const [member, text] of await this.#crew().askAll('own-metrics'))
      this.#last.set(member, String(text))
    const departed = [...this.#departed.values()].map(text => ({ text, departed: true }))
    return mergeMetrics([
      ...[...this.#last.values()].map(text => ({ text })),
      ...departed,
      { text: this.#own() },
    ])
  }

  /** Of a worker that has ended. */
  keep(member: Member): void {
    const text = this.#last.get(member)
    if (text === undefined) return
    this.#departed.set(member, mergeMetrics([{ text: this.#departed.get(member) ?? '' }, { text }]))
    this.#last.delete(member)
  }

  #own(): string {
    const { ready, restarts } = this.#crew()
    const lines: string[] = []
    createGauge('toolwire_worker_processes', 'Worker processes that serve.', () => ready.length).write(lines)
    const again = createCounter('toolwire_worker_restarts_total', 'Worker processes started again.')
    again.add([], restarts)
    const requests = createCounter('toolwire_worker_requests_total', 'Requests that each answered.', [
      'worker',
    ])
    for (const texts of [this.#last, this.#departed]) {
      for (const [{ number }, text] of texts) requests.add([String(number)], requestsIn(text))
    }
    again.write(lines)
    requests.write(lines)
    return lines.join('\n')
  }
}

function requestsIn(text: string): number {
  let sum = 0
  for (const [, count] of text.matchAll(/^toolwire_requests_total\{.*\} (\d+)$/gm)) sum += Number(count)
  return sum
}

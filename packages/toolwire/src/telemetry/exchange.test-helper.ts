/** Exchanges for tests of observers. */
import { combineObservers } from './combine-observers.ts'
import type { ExchangeFacts, FactsObserver, Observation, Observer } from './observer.ts'

export const noon: number = Date.UTC(2026, 10, 15, 12)

export function factsOf(more: Partial<ExchangeFacts> = {}): ExchangeFacts {
  return { id: 'req_1', route: 'unknown', at: noon, startedAt: 1000, ...more }
}

/** An exchange with every fact. */
export const wholeExchange: Partial<ExchangeFacts> = {
  id: 'req_abcdefghijklmnop',
  route: 'POST /v1/responses',
  wire: 'responses',
  model: 'gpt-5',
  upstream: 'local',
  upstreamWire: 'chat',
  provider: 'openai',
  upstreamModel: 'qwen3',
  streamed: true,
  status: 200,
  firstByteMs: 212.25,
  totalMs: 1420,
  overheadMs: 3.1234567,
  usage: { input: 1200, output: 56, cacheRead: 1000, reasoning: 20 },
  finish: 'tool_calls',
  responseId: 'resp_1',
  clientCalls: ['read_file', 'apply_patch'],
  toolRuns: [
    { name: 'search', callId: 'call_1', status: 'ok', durationMs: 120 },
    { name: 'fetch', callId: 'call_2', status: 'timed_out', durationMs: 3000 },
  ],
  losses: [
    { code: 'field_dropped', severity: 'warning', path: ['tools', 0, 'defer'], message: 'Not there.' },
  ],
  retries: 1,
  rounds: 2,
}

/** Begins an exchange, sets its facts and ends it, as the gateway does. */
export function pass(
  observer: Observer | FactsObserver,
  facts: Partial<ExchangeFacts>,
  during: (observation: Observation) => void = () => {},
): void {
  const { id = 'req_1', at = noon, startedAt = 1000, ...rest } = facts
  const begun = { id, route: 'unknown', at, startedAt }
  const observation = 'begin' in observer ? observer.begin(begun) : combineObservers(observer).begin(begun)
  Object.assign(observation.facts, rest)
  during(observation)
  observation.end()
}

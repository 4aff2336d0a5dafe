import { expect, test } from 'vitest'
import { factsOf, wholeExchange } from './exchange.test-helper.ts'
import { readRecord, recordText } from './exchange-line.ts'
import { recordOf } from './exchange-record.ts'
import type { ExchangeFacts } from './observer.ts'

const changes: readonly Partial<ExchangeFacts>[] = [
  { status: 201 },
  { tenant: 'ann' },
  { wire: 'chat' },
  { upstream: 'another' },
  { upstreamWire: 'messages' },
  { model: 'another' },
  { upstreamModel: 'another' },
  { streamed: false },
  { route: 'POST /v1/messages' },
]

test.each(changes)(
  'The record of an exchange follows its own facts, not those of the one before: %j.',
  change => {
    for (const more of [{}, change, {}]) {
      const facts = factsOf({ ...wholeExchange, ...more })
      const expected: unknown = JSON.parse(JSON.stringify(recordOf(facts)))
      expect(readRecord(facts.at, recordText(facts))).toEqual(expected)
    }
  },
)

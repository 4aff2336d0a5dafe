/** The laws for complete answers, for all nine ordered pairs of wires. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { conversationFixtures, goldenText } from '../support/fixtures/fixtures.ts'
import { lostLeaves } from '../support/fixtures/leaves.ts'
import { wires } from '../support/wires.ts'

/**
 * Fields that a conversion computes anew: totals are sums of other counts, times belong to the envelope, and Responses
 * repeats the settings of the request, which the client knows.
 */
const restated: { readonly [W in Wire]: readonly string[] } = {
  chat: ['created', 'usage.prompt_tokens', 'usage.total_tokens'],
  responses: [
    'created_at',
    'completed_at',
    'usage.input_tokens',
    'usage.total_tokens',
    'metadata',
    'temperature',
    'top_p',
    'truncation',
    'presence_penalty',
    'frequency_penalty',
    'top_logprobs',
  ],
  messages: ['usage.input_tokens'],
}

const pinned = { newId: (prefix: string) => `${prefix}id`, now: () => 1_700_000_000 }

describe.each(conversationFixtures('answers'))(
  'the answer $wire/$story',
  ({ wire: to, story, body, golden }) => {
    test(`Identity: the ${to} answer ${story} is not changed by an exchange on its own wire.`, () => {
      const { value, diagnostics } = createExchange({ from: to, to, ...pinned }).response(body)
      expect(value).toEqual(body)
      expect(diagnostics).toEqual([])
    })

    test(`The summary of the ${to} answer ${story} is the same with and without passthrough.`, () => {
      const exchange = createExchange({ from: to, to, ...pinned })
      exchange.passthrough(() => ({}))
      const { finish, usage, calls, isCompacted } = exchange.response(body)
      expect(exchange.summary(body)).toEqual({ finish, usage, calls, isCompacted })
    })

    describe.each(wires)('for a client on %s', from => {
      test(`The ${to} answer ${story} converts to ${from} as its fixture records.`, async () => {
        await expect(goldenText(createExchange({ from, to, ...pinned }).response(body))).toMatchFileSnapshot(
          golden(from),
        )
      })

      test(`Accounting: every text and number of the ${to} answer ${story} is converted to ${from} or reported.`, () => {
        const lost = lostLeaves(body, marked => createExchange({ from, to, ...pinned }).response(marked))
        const isRestated = (path: string): boolean => restated[to].some(field => path.startsWith(`${field}.`))
        expect(lost.filter(path => !isRestated(`${path.join('.')}.`))).toEqual([])
      })

      test(`Idempotence: the ${to} answer ${story} is not changed again after its conversion to ${from}.`, () => {
        const once = createExchange({ from, to, ...pinned }).response(body).value
        expect(createExchange({ from, to: from, ...pinned }).response(once).value).toEqual(once)
      })
    })
  },
)

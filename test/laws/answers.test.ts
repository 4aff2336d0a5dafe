/** The laws over whole answers, for all nine ordered pairs of wires. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { conversationFixtures } from '../support/fixtures/conversations.ts'
import { wires } from '../support/fixtures/fixtures.ts'
import { isCovered, markLeaves } from '../support/fixtures/leaves.ts'

/**
 * What an answer says of itself in terms that are counted or worded anew: totals are sums of other counts, times are
 * the envelope's, and Responses repeats the settings of the request, which the client knows.
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
    'service_tier',
  ],
  messages: ['usage.input_tokens'],
}

const pinned = { newId: (prefix: string) => `${prefix}id`, now: () => 1_700_000_000 }

describe.each(conversationFixtures('answers'))('$wire/$story', ({ wire: to, body, golden }) => {
  test('identity: its own wire gets it back unchanged, with nothing to report', () => {
    const { value, diagnostics } = createExchange({ from: to, to, ...pinned }).response(body)
    expect(value).toEqual(body)
    expect(diagnostics).toEqual([])
  })

  test('of one that passes as it is, the summary is what reading it whole would tell', () => {
    const exchange = createExchange({ from: to, to, ...pinned })
    exchange.passthrough(() => ({}))
    const { finish, usage, calls } = exchange.response(body)
    expect(exchange.summary(body)).toEqual({ finish, usage, calls })
  })

  describe.each(wires)('for a client on %s', from => {
    test('gives what the fixture says', async () => {
      const { value, diagnostics } = createExchange({ from, to, ...pinned }).response(body)
      const told = diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`)
      await expect(`${JSON.stringify({ value, diagnostics: told }, null, 2)}\n`).toMatchFileSnapshot(
        golden(from),
      )
    })

    test('accounting: every text and number arrives or is spoken of', () => {
      const { value: marked, marks } = markLeaves(body)
      const { value, diagnostics } = createExchange({ from, to, ...pinned }).response(marked)
      const arrived = JSON.stringify(value)
      const lost = marks
        .filter(({ path }) => !restated[to].some(prefix => `${path.join('.')}.`.startsWith(`${prefix}.`)))
        .filter(({ path, mark }) => !arrived.includes(mark) && !isCovered(path, diagnostics))
      expect(lost).toEqual([])
    })

    test('idempotence: converting again changes nothing', () => {
      const once = createExchange({ from, to, ...pinned }).response(body).value
      expect(createExchange({ from, to: from, ...pinned }).response(once).value).toEqual(once)
    })
  })
})

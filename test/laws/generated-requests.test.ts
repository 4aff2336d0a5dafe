/** The laws over generated requests, for every ordered pair of wires. fast-check prints the seed when one breaks. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type fc from 'fast-check'
import { assert, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { request as chatRequest } from '../support/arbitraries/chat.ts'
import { request as messagesRequest } from '../support/arbitraries/messages.ts'
import { request as responsesRequest } from '../support/arbitraries/responses.ts'
import { wires } from '../support/fixtures/fixtures.ts'
import { isCovered, markLeaves } from '../support/fixtures/leaves.ts'

const requestOf: { readonly [W in Wire]: fc.Arbitrary<object> } = {
  chat: chatRequest,
  responses: responsesRequest,
  messages: messagesRequest,
}

const pairs = wires.flatMap(from => wires.filter(to => to !== from).map(to => ({ from, to })))

describe.each(pairs)('requests from $from to $to', ({ from, to }) => {
  test('accounting: every text and number arrives or is spoken of', () => {
    assert(
      property(requestOf[from], body => {
        const { value: marked, marks } = markLeaves(body)
        const { value, diagnostics } = createExchange({ from, to }).request(marked)
        const arrived = JSON.stringify(value)
        expect(
          marks.filter(({ path, mark }) => !arrived.includes(mark) && !isCovered(path, diagnostics)),
        ).toEqual([])
      }),
    )
  })

  test('idempotence: converting again changes nothing', () => {
    assert(
      property(requestOf[from], body => {
        const once = createExchange({ from, to, pairing: 'repair' }).request(body).value
        expect(createExchange({ from: to, to }).request(once).value).toEqual(once)
      }),
    )
  })
})

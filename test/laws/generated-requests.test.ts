/** The laws for generated requests, for every ordered pair of wires. fast-check prints the seed when one breaks. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type fc from 'fast-check'
import { assert, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { request as chatRequest } from '../support/arbitraries/chat.ts'
import { request as messagesRequest } from '../support/arbitraries/messages.ts'
import { request as responsesRequest } from '../support/arbitraries/responses.ts'
import { lostLeaves } from '../support/fixtures/leaves.ts'
import { pairs } from '../support/wires.ts'

const requestOf: { readonly [W in Wire]: fc.Arbitrary<object> } = {
  chat: chatRequest,
  responses: responsesRequest,
  messages: messagesRequest,
}

const otherPairs = pairs.filter(([from, to]) => from !== to)

describe.each(otherPairs)('requests from %s to %s', (from, to) => {
  test(`Accounting: every text and number of a ${from} request is converted to ${to} or reported.`, () => {
    assert(
      property(requestOf[from], body => {
        expect(lostLeaves(body, marked => createExchange({ from, to }).request(marked))).toEqual([])
      }),
    )
  })

  test(`Idempotence: a ${from} request is not changed again after its conversion to ${to}.`, () => {
    assert(
      property(requestOf[from], body => {
        const once = createExchange({ from, to, pairing: 'repair' }).request(body).value
        expect(createExchange({ from: to, to }).request(once).value).toEqual(once)
      }),
    )
  })
})

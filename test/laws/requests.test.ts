/** The laws for complete requests, for all nine ordered pairs of wires. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { conversationFixtures, goldenText } from '../support/fixtures/fixtures.ts'
import { lostLeaves } from '../support/fixtures/leaves.ts'
import { wires } from '../support/wires.ts'

describe.each(conversationFixtures('requests'))(
  'the request $wire/$story',
  ({ wire: from, story, body, golden }) => {
    test(`Identity: the ${from} request ${story} is not changed by an exchange on its own wire.`, () => {
      const { value, diagnostics } = createExchange({ from, to: from }).request(body)
      expect(value).toEqual(body)
      expect(diagnostics).toEqual([])
    })

    describe.each(wires)('to %s', to => {
      test(`The ${from} request ${story} converts to ${to} as its fixture records.`, async () => {
        await expect(goldenText(createExchange({ from, to }).request(body))).toMatchFileSnapshot(golden(to))
      })

      test(`Accounting: every text and number of the ${from} request ${story} is converted to ${to} or reported.`, () => {
        expect(lostLeaves(body, marked => createExchange({ from, to }).request(marked))).toEqual([])
      })

      test(`Idempotence: the ${from} request ${story} is not changed again after its conversion to ${to}.`, () => {
        const once = createExchange({ from, to }).request(body).value
        expect(createExchange({ from: to, to }).request(once).value).toEqual(once)
      })

      test(`Converting the ${from} request ${story} to ${to} does not change the input.`, () => {
        const before = structuredClone(body)
        createExchange({ from, to, strict: 'strictify', pairing: 'repair' }).request(body)
        expect(body).toEqual(before)
      })
    })
  },
)

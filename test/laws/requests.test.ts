/** The laws over whole requests, for all nine ordered pairs of wires. */
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { conversationFixtures } from '../support/fixtures/conversations.ts'
import { wires } from '../support/fixtures/fixtures.ts'
import { isCovered, markLeaves } from '../support/fixtures/leaves.ts'

describe.each(conversationFixtures('requests'))('$wire/$story', ({ wire: from, body, golden }) => {
  test('identity: its own wire gets it back unchanged, with nothing to report', () => {
    const { value, diagnostics } = createExchange({ from, to: from }).request(body)
    expect(value).toEqual(body)
    expect(diagnostics).toEqual([])
  })

  describe.each(wires)('to %s', to => {
    test('gives what the fixture says', async () => {
      const { value, diagnostics } = createExchange({ from, to }).request(body)
      const told = diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`)
      await expect(`${JSON.stringify({ value, diagnostics: told }, null, 2)}\n`).toMatchFileSnapshot(
        golden(to),
      )
    })

    test('accounting: every text and number arrives or is spoken of', () => {
      const { value: marked, marks } = markLeaves(body)
      const { value, diagnostics } = createExchange({ from, to }).request(marked)
      const arrived = JSON.stringify(value)
      expect(
        marks.filter(({ path, mark }) => !arrived.includes(mark) && !isCovered(path, diagnostics)),
      ).toEqual([])
    })

    test('idempotence: converting again changes nothing', () => {
      const once = createExchange({ from, to }).request(body).value
      expect(createExchange({ from: to, to }).request(once).value).toEqual(once)
    })

    test('the input is not changed', () => {
      const before = structuredClone(body)
      createExchange({ from, to, strict: 'strictify', pairing: 'repair' }).request(body)
      expect(body).toEqual(before)
    })
  })
})

/** The laws for generated requests, for every ordered pair of wires. fast-check prints the seed when one breaks. */
import { isDeepStrictEqual } from 'node:util'
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type fc from 'fast-check'
import { assert, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { request as chatRequest } from '../support/arbitraries/chat.ts'
import { request as messagesRequest } from '../support/arbitraries/messages.ts'
import { request as responsesRequest } from '../support/arbitraries/responses.ts'
import { conversationFixtures } from '../support/fixtures/fixtures.ts'
import { lostLeaves } from '../support/fixtures/leaves.ts'
import { pairs, wires } from '../support/wires.ts'

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

/** The body once for each `type`, `role`, `id`, `name`, `status` or `strict` in it, without that one or with `null` there. */
function withGaps(body: object): object[] {
  const gaps: object[] = []
  const visit = (node: unknown, path: readonly string[]): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (!Array.isArray(node) && /^(type|role|id|name|status|strict)$/.test(key)) {
        gaps.push(changed(body, path, holder => delete holder[key]))
        gaps.push(changed(body, path, holder => (holder[key] = null)))
      }
      visit(value, [...path, key])
    }
  }
  visit(body, [])
  return gaps
}

function changed(
  body: object,
  path: readonly string[],
  change: (holder: Record<string, unknown>) => void,
): object {
  const copy: object = structuredClone(body)
  let holder = copy as Record<string, unknown>
  for (const key of path) holder = holder[key] as Record<string, unknown>
  change(holder)
  return copy
}

describe.each(wires)('sloppy requests on %s', wire => {
  /** Not `toStrictEqual`, which reads a key "constructor" as the type of its object. */
  const expectSame = (body: object): void => {
    const { value } = createExchange({ from: wire, to: wire }).request(body)
    if (!isDeepStrictEqual(value, body)) expect(value).toEqual(body)
    expect(isDeepStrictEqual(value, body)).toBe(true)
  }

  test(`Identity: a request of a fixture on ${wire} that lacks a word comes out deep-equal on its own wire.`, () => {
    const bodies = conversationFixtures('requests').filter(fixture => fixture.wire === wire)
    expect(bodies.length).toBeGreaterThan(0)
    for (const { body } of bodies) for (const gap of withGaps(body as object)) expectSame(gap)
  })

  test(`Identity: a generated request on ${wire} that lacks a word comes out deep-equal on its own wire.`, () => {
    assert(
      property(requestOf[wire], body => {
        for (const gap of withGaps(body)) expectSame(gap)
      }),
      { numRuns: 30 },
    )
  })
})

/**
 * The law of the prefix: if a history is another with something appended, so is its conversion, byte for byte. Providers
 * cache by prefix, so a conversion that changes what was sent before makes every request of a loop pay for all of it.
 */
import type { Profile } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { assert, property, readConfigureGlobal } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Conversation } from '../support/arbitraries/conversations.ts'
import { conversationOf } from '../support/arbitraries/conversations.ts'
import { conversationFixtures } from '../support/fixtures/fixtures.ts'
import type { Prompt } from '../support/fixtures/prompt.ts'
import { promptOf } from '../support/fixtures/prompt.ts'
import { pairs } from '../support/wires.ts'

type Json = { readonly [key: string]: unknown }

/** The body of every request of a conversation, in order. */
function requestsOf({ head, field, added }: Conversation): Json[] {
  return added.map((_, at) => ({ ...head, [field]: added.slice(0, at + 1).flat() }))
}

function expectPrefix(before: Prompt, after: Prompt): void {
  expect(after.pieces.slice(0, before.pieces.length)).toEqual(before.pieces)
  expect(after.settings).toEqual(before.settings)
}

/** A server that takes less than any wire, so that a request is adapted on its own wire too. */
const narrow: Partial<Profile> = {
  nameMaxLength: 24,
  callIdMaxLength: 24,
  resultMedia: false,
  imageSources: ['url'],
  itemIds: false,
  callReasoning: 'required',
  identifierMaxLength: 32,
  cacheBreakpoints: 2,
}

const servers: readonly (readonly [string, Partial<Profile>])[] = [
  ['a usual server', {}],
  ['a server that takes less', narrow],
]

/** A conversation is as much work as many requests. */
const runs = (): number => Math.ceil((readConfigureGlobal()?.numRuns ?? 100) / 4)

describe.each(pairs)('from %s to %s', (from, to) => {
  test.each(servers)(
    `A conversation on ${from} that goes on keeps on ${to} what it had, byte for byte. (%s)`,
    (_, profile) => {
      assert(
        property(conversationOf(from), conversation => {
          // Each request is converted by an exchange of its own, as after a restart.
          const prompts = requestsOf(conversation).map(body =>
            promptOf(createExchange({ from, to, profile }).request(body).value),
          )
          prompts.slice(1).forEach((after, at) => {
            expectPrefix(prompts[at] as Prompt, after)
          })
        }),
        { numRuns: runs() },
      )
    },
  )

  test(`Cache breakpoints on ${from} stand on ${to} behind what they stood behind, the last two.`, () => {
    assert(
      property(conversationOf(from), conversation => {
        for (const body of requestsOf(conversation)) {
          const { value } = createExchange({ from, to, profile: { cacheBreakpoints: 2 } }).request(body)
          const marked = markedTexts(body)
          const isOwn = from === to
          if (marked.length > 0) expect(markedTexts(value)).toEqual(isOwn ? marked : marked.slice(-2))
        }
      }),
      { numRuns: runs() },
    )
  })
})

/** The texts that a cache breakpoint stands behind, in order. */
function markedTexts(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(markedTexts)
  const { cache_control, prompt_cache_breakpoint, text } = value as Json
  const own = cache_control === undefined && prompt_cache_breakpoint === undefined ? [] : [text]
  return [...own, ...Object.values(value).flatMap(markedTexts)]
}

/** The recorded requests whose history is a list, except one that asks for something of it to be taken back. */
const recorded = conversationFixtures('requests').filter(
  ({ story, body }) => historyField(body) !== undefined && story !== 'cleared',
)

/** These change tools and settings in the middle, and most wires have those beside the conversation. */
const changesSettings: ReadonlySet<string> = new Set(['directives'])

function historyField(body: Json): 'input' | 'messages' | undefined {
  return (['input', 'messages'] as const).find(field => Array.isArray(body[field]))
}

describe.each(recorded)('the request $wire/$story', ({ wire: from, story, body }) => {
  test.each(pairs.filter(pair => pair[0] === from).map(pair => pair[1]))(
    `Every beginning of the ${from} request ${story} that a client could have sent is a beginning on %s.`,
    to => {
      const field = historyField(body) ?? 'messages'
      const items = (body as Json)[field] as readonly Json[]
      const cuts = items.flatMap((_, at) => (canEnd(items.slice(0, at + 1)) ? [at + 1] : []))
      const prompts = cuts.map(cut =>
        promptOf(createExchange({ from, to }).request({ ...body, [field]: items.slice(0, cut) }).value),
      )
      expect(prompts.length).toBeGreaterThan(0)
      prompts.slice(1).forEach((after, at) => {
        const before = prompts[at] as Prompt
        expectPrefix(before, changesSettings.has(story) ? { ...after, settings: before.settings } : after)
      })
    },
  )
})

/** A request ends with the user's words or with results, when every call has its result. */
function canEnd(items: readonly Json[]): boolean {
  const open = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      value.forEach(visit)
      return
    }
    const { type, id, call_id, tool_call_id, tool_use_id, tool_calls, content, role } = value as Json
    if (type === 'tool_use' || type === 'function' || type === 'custom') open.add(id)
    if (/_call$/.test(String(type)) && call_id !== undefined) open.add(call_id)
    if (/_call_output$|^tool_search_output$/.test(String(type))) open.delete(call_id)
    if (type === 'tool_result') open.delete(tool_use_id)
    if (role === 'tool') open.delete(tool_call_id)
    visit(tool_calls)
    visit(content)
  }
  items.forEach(visit)
  const last = items.at(-1)
  const isAsked = last?.role === 'user' || last?.role === 'tool' || /_output$/.test(String(last?.type))
  return isAsked && open.size === 0
}

describe.each(pairs.filter(pair => pair[0] === 'chat'))('calls without ids, from %s to %s', (from, to) => {
  test(`A conversation with the deprecated functions of Chat keeps on ${to} what it had.`, () => {
    const messages = [0, 1, 2].flatMap(number => [
      { role: 'user', content: `Look ${number}.` },
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{"at":"sky"}' } },
      { role: 'function', name: 'look', content: 'Blue.' },
    ])
    const functions = [{ name: 'look', parameters: { type: 'object', properties: {} } }]
    const prompts = [3, 6, 9].map(end =>
      promptOf(
        createExchange({ from, to }).request({ model: 'm', functions, messages: messages.slice(0, end) })
          .value,
      ),
    )
    expectPrefix(prompts[0] as Prompt, prompts[1] as Prompt)
    expectPrefix(prompts[1] as Prompt, prompts[2] as Prompt)
  })
})

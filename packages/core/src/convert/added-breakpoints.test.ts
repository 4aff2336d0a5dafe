/** A server that caches only what is marked gets marks, four at most, where a client sets none. */
import { describe, expect, test } from 'vitest'
import { createExchange } from '../create-exchange.ts'
import type { JsonObject } from '../json/object.ts'
import type { Profile } from '../wires/profile.ts'

type Json = JsonObject & { readonly [key: string]: unknown }

const mark = { type: 'ephemeral' }
const tool = (name: string): Json => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
})
const system = { role: 'system', content: 'Be brief.' }
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
const loop = {
  model: 'claude-opus-5',
  tools: [tool('look'), tool('find')],
  messages: [
    system,
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Blue.' },
  ],
}

function sent(body: object, profile: Partial<Profile> = {}): Json {
  return createExchange({ from: 'chat', to: 'messages', profile }).request(body).value as Json
}

/** The places of all marks. */
function marksIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'cache_control' ? [path] : marksIn(inner, path === '' ? key : `${path}.${key}`),
  )
}

describe('requests without marks', () => {
  test('The ends of the tools, the instructions and the last two turns of the user are marked.', () => {
    const value = sent(loop)
    expect(marksIn(value).sort()).toEqual([
      'messages.0.content.0',
      'messages.2.content.0',
      'system.0',
      'tools.1',
    ])
    expect(value.system).toEqual([{ type: 'text', text: 'Be brief.', cache_control: mark }])
  })

  test('A longer conversation has no more than four.', () => {
    const more = [
      { role: 'assistant', content: 'It is blue.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Sure?' },
          { type: 'text', text: ' ' },
        ],
      },
    ]
    const messages = [...loop.messages, ...more, ...more]
    const marks = marksIn(sent({ ...loop, messages }))
    expect(marks).toHaveLength(4)
    expect(marks).toContain('messages.6.content.0')
    expect(marks).toContain('messages.4.content.0')
  })

  test('The upstream’s profile says how many, or none.', () => {
    expect(marksIn(sent(loop, { cacheBreakpoints: 2 }))).toEqual([
      'messages.0.content.0',
      'messages.2.content.0',
    ])
    expect(marksIn(sent(loop, { cachesOnRequest: false }))).toEqual([])
    expect(marksIn(sent(loop, { cacheBreakpoints: 0 }))).toEqual([])
  })

  test('A request that stands alone, and one whose client says how to cache, get none.', () => {
    const alone = { model: 'm', messages: [system, { role: 'user', content: 'Hi.' }] }
    expect(marksIn(sent(alone))).toEqual([])
    const messages = loop.messages.with(1, {
      role: 'user',
      content: [{ type: 'text', text: 'Look.', prompt_cache_breakpoint: { mode: 'explicit' } }],
    } as never)
    expect(marksIn(sent({ ...loop, messages }))).toEqual(['messages.0.content.0'])
    expect(marksIn(sent({ ...loop, prompt_cache_options: { mode: 'explicit' } }))).toEqual([])
  })

  test('On other wires and on its own wire nothing is marked.', () => {
    for (const to of ['chat', 'responses'] as const) {
      expect(JSON.stringify(createExchange({ from: 'chat', to }).request(loop).value)).not.toContain('cache')
    }
    const own = sent(loop, { cachesOnRequest: false })
    expect(createExchange({ from: 'messages', to: 'messages' }).request(own).value).toEqual(own)
  })
})

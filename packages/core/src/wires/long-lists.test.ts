/** A list as long as a hostile body may hold costs no stack: nothing is spread into the arguments of a call. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json/object.ts'
import { builtInConversations, wireNames as wires } from './registry.ts'

const count = 150_000

const many = (item: JsonObject): JsonObject[] => Array.from({ length: count }, () => ({ ...item }))

const speech: { readonly [W in keyof typeof builtInConversations]: JsonObject } = {
  chat: {
    messages: [
      {
        role: 'assistant',
        content: many({ type: 'text', text: 'a' }),
        tool_calls: many({ id: 'c', type: 'function', function: { name: 'n', arguments: '{}' } }),
      },
    ],
  },
  responses: {
    input: [
      {
        role: 'assistant',
        content: many({ type: 'output_text', text: 'a', annotations: many({ type: 'x' }) }).slice(0, 1),
      },
      ...many({ type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' }),
    ],
  },
  messages: {
    system: many({ type: 'text', text: 'a' }),
    messages: [{ role: 'assistant', content: many({ type: 'tool_use', id: 'c', name: 'n', input: {} }) }],
  },
}

describe.each(wires)('a request of %s with very long lists', wire => {
  const request = builtInConversations[wire].decodeRequest(speech[wire], () => {})

  it.each(wires)('is read, and written for %s', to => {
    const written = JSON.stringify(builtInConversations[to].encodeRequest(request, () => {}))
    expect(written.match(/"name":"n"/g)).toHaveLength(count)
  })
})

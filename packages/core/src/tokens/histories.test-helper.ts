/** Random conversations with calls and results, as each wire says them. */
import fc from 'fast-check'
import type { BuiltInWire as Wire } from '../wires/registry.ts'

type Step =
  | { readonly kind: 'user' | 'assistant' | 'system'; readonly text: string }
  | {
      readonly kind: 'round'
      readonly calls: number
      readonly says: boolean
      readonly thinks: boolean
      readonly text: string
    }

const text = fc
  .integer({ min: 1, max: 60 })
  .map(words => Array.from({ length: words }, (_, i) => `word${i}`).join(' '))

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('user' as const, 'assistant' as const, 'system' as const), text }),
  fc.record({
    kind: fc.constant('round' as const),
    calls: fc.integer({ min: 1, max: 3 }),
    says: fc.boolean(),
    thinks: fc.boolean(),
    text,
  }),
)

const writers: { readonly [W in Wire]: (step: Step, ids: readonly string[]) => object[] } = {
  chat(step, ids) {
    if (step.kind !== 'round') return [{ role: step.kind, content: step.text }]
    const tool_calls = ids.map(id => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }))
    return [
      { role: 'assistant', content: step.says ? 'So:' : null, tool_calls },
      ...ids.map(tool_call_id => ({ role: 'tool', tool_call_id, content: step.text })),
    ]
  },
  responses(step, ids) {
    if (step.kind !== 'round') return [{ role: step.kind, content: step.text }]
    return [
      ...(step.thinks
        ? [{ type: 'reasoning', id: `rs_${ids[0]}`, summary: [{ type: 'summary_text', text: 'hm' }] }]
        : []),
      ...(step.says ? [{ role: 'assistant', content: 'So:' }] : []),
      ...ids.map(call_id => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' })),
      ...ids.map(call_id => ({ type: 'function_call_output', call_id, output: step.text })),
    ]
  },
  messages(step, ids) {
    if (step.kind === 'system') return []
    if (step.kind !== 'round') return [{ role: step.kind, content: step.text }]
    return [
      {
        role: 'assistant',
        content: [
          ...(step.thinks ? [{ type: 'thinking', thinking: 'hm', signature: 's' }] : []),
          ...(step.says ? [{ type: 'text', text: 'So:' }] : []),
          ...ids.map(id => ({ type: 'tool_use', id, name: 'f', input: {} })),
        ],
      },
      {
        role: 'user',
        content: ids.map(tool_use_id => ({ type: 'tool_result', tool_use_id, content: step.text })),
      },
    ]
  },
}

export const listFields: { readonly [W in Wire]: string } = {
  chat: 'messages',
  responses: 'input',
  messages: 'messages',
}

/** Ids are used again now and then, as some servers do. */
export function historyOf(wire: Wire): fc.Arbitrary<Record<string, unknown>> {
  return fc.tuple(fc.array(step, { minLength: 1, maxLength: 12 }), fc.boolean()).map(([steps, reuse]) => {
    const list = steps.flatMap((one, at) => {
      const calls = one.kind === 'round' ? one.calls : 0
      const ids = Array.from({ length: calls }, (_, i) => (reuse ? `c${i}` : `c${at}_${i}`))
      return writers[wire](one, ids)
    })
    return { model: 'm', [listFields[wire]]: list }
  })
}

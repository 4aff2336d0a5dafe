/** The codec of Relay passes the cases that the built-in wires pass. */
import fc from 'fast-check'
import { describeWire } from '../../packages/core/src/wires/common.cases.test-helper.ts'
import { relay } from './wire/index.ts'

const text = fc.string({ minLength: 1, maxLength: 8 })
const call = fc.record({ key: text, tool: text, with: fc.dictionary(text, fc.jsonValue({ maxDepth: 1 })) })
const takes = fc.constant({ type: 'object', properties: { city: { type: 'string' } } })
const tools = fc.array(fc.record({ called: fc.stringMatching(/^[a-z]{1,8}$/), about: text, takes }), {
  maxLength: 3,
})
const message = fc.oneof(
  fc.record({ by: fc.constant('human'), say: text }),
  fc.record({ by: fc.constant('machine'), say: text, use: fc.array(call, { minLength: 1, maxLength: 2 }) }),
)

describeWire(relay, {
  requests: fc.record(
    {
      model: text,
      rules: text,
      talk: fc.array(message, { maxLength: 3 }),
      toolbox: tools,
      warmth: fc.nat(),
      cap: fc.nat(),
    },
    { requiredKeys: ['talk'] },
  ),
  answers: fc.record(
    {
      reply: text,
      model: text,
      say: text,
      use: fc.array(call, { minLength: 1, maxLength: 2 }),
      ended: fc.constantFrom('done', 'use', 'cap', 'blocked'),
      tokens: fc.record({ in: fc.nat(), out: fc.nat() }),
    },
    { requiredKeys: ['reply', 'model', 'say', 'ended'] },
  ),
  errors: fc.record({ problem: fc.record({ kind: fc.constant('busy'), text }) }),
  tools,
  toolsField: 'toolbox',
  wordKeys: ['by', 'ended', 'kind', 'type'],
  finishes: { refusal: 'filter', pause: 'stop', cancelled: 'stop' },
  missing: ['refusal', 'reasoning', 'custom call', 'cut call', 'overlap', 'usage shares'],
  joinsTexts: true,
  tidiesMalformed: true,
})

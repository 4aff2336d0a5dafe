/**
 * A model calls three tools at once. One fails, one never comes back; the model hears about both, and the third call
 * is none the worse for it. Run it with `npm run build && node examples/parallel-tools/index.mjs`.
 */
import assert from 'node:assert/strict'
import { defineTool, runToolCalls, ToolRegistry } from '@toolwire/core'

const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

const tools = new ToolRegistry([
  defineTool({
    name: 'weather',
    parameters: city,
    handler: ({ city }) => ({ city, sky: 'clear', degrees: 21 }),
  }),
  defineTool({
    name: 'flights',
    parameters: city,
    handler: ({ city }) => {
      throw new Error(`The airport of ${city} does not answer.`)
    },
  }),
  // It ignores its signal and never ends, and is left behind when its time is up.
  defineTool({ name: 'hotels', parameters: city, timeoutMs: 50, handler: () => new Promise(() => {}) }),
])

const outcomes = await runToolCalls(
  [
    { id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { id: 'call_2', name: 'flights', arguments: '{"city":"Oslo"}' },
    { id: 'call_3', name: 'hotels', arguments: '{"city":"Oslo"}' },
    { id: 'call_4', name: 'weather', arguments: '{"town":"Oslo"}' },
  ],
  { tools },
)

for (const { call, status, content } of outcomes) {
  const [first] = content
  console.log(
    `${call.id}  ${call.name.padEnd(8)} ${status.padEnd(10)} ${first?.kind === 'text' ? first.text : ''}`,
  )
}

assert.deepEqual(
  outcomes.map(({ call, status }) => `${call.id} ${status}`),
  ['call_1 ok', 'call_2 failed', 'call_3 timed_out', 'call_4 failed'],
)
assert.deepEqual(outcomes[0]?.value, { city: 'Oslo', sky: 'clear', degrees: 21 })
assert.match(JSON.stringify(outcomes[1]?.content), /does not answer/)
assert.match(JSON.stringify(outcomes[3]?.content), /city/, 'The model is told which argument is missing.')

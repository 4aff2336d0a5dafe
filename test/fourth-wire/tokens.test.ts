/** Counting, planning and trimming on a wire that core does not know. */
import { countRequest, countTools, estimateCounter, planTokens, trimHistory } from '@toolwire/core/tokens'
import { expect, test } from 'vitest'
import { relay } from './wire/index.ts'

const options = { wire: relay, counter: estimateCounter }
const body = {
  model: 'm',
  rules: 'Be brief.',
  talk: [
    { by: 'human', say: `First ${'word '.repeat(200)}` },
    { by: 'model', use: [{ id: 'use_1', tool: 'get_weather', args: '{"city":"Oslo"}' }] },
    { by: 'tool', for: 'use_1', out: 'Rain' },
    { by: 'human', say: 'And now?' },
  ],
  toolbox: [{ called: 'get_weather', about: 'Tells the weather.', takes: { type: 'object' } }],
}

test('The parts of a Relay request are counted where they stand.', () => {
  const { parts, total } = countRequest(body, options)
  expect(parts.map(({ path }) => path.join('.'))).toEqual(
    expect.arrayContaining(['rules', 'talk.0', 'talk.3', 'toolbox.0']),
  )
  expect(total).toBe(parts.reduce((sum, { tokens }) => sum + tokens, 0))
  expect(total).toBeGreaterThan(200)
})

test('A list of Relay tools is counted without a body around it.', () => {
  const { parts, diagnostics } = countTools(body.toolbox, options)
  expect(parts[0]).toMatchObject({ kind: 'tool', label: 'get_weather' })
  expect(diagnostics).toEqual([])
})

test('The cap of an answer is planned in the field of the wire.', () => {
  expect(planTokens({ ...body, cap: 100 }, { wire: relay, policy: { floor: 500 } })).toMatchObject({
    field: 'cap',
    maxOutputTokens: 500,
    value: { cap: 500 },
  })
})

test('A Relay history is cut at the beginning.', () => {
  const { value, fits } = trimHistory(body, { ...options, maxTokens: 120 })
  expect(fits).toBe(true)
  expect(value).toMatchObject({ talk: [{ by: 'human', say: 'And now?' }] })
})

import { expect, test } from 'vitest'
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { flatRows, groupedRows, mergeSummaries, previousOf, titleOf } from './grouping.ts'

const exchange = (id: string, more: Partial<TraceSummary> = {}): TraceSummary => ({
  time: `2026-11-17T12:00:0${id.at(-1)}.000Z`,
  id,
  route: 'POST /v1/responses',
  client_calls: 0,
  tool_runs: 0,
  tool_failures: 0,
  losses: 0,
  retries: 0,
  abandoned: false,
  state: 'ended',
  ...more,
})

const list = [
  exchange('req_4', { conversation: 'a', turn: 2, losses: 2, input_tokens: 30, cost_usd: 0.5 }),
  exchange('req_3', { conversation: 'b', turn: 1 }),
  exchange('req_2', { conversation: 'a', turn: 1, losses: 1, input_tokens: 20 }),
  exchange('req_1', { conversation: 'a', turn: 1, status: 500, input_tokens: 10 }),
]

test('A conversation stands where its newest exchange does, with its sums, turns and steps.', () => {
  const rows = groupedRows(list, new Set())
  expect(rows.map(({ key }) => key)).toEqual(['group a', 'req_4', 'req_2', 'req_1', 'req_3'])
  expect(rows[0]).toMatchObject({
    group: { turns: 2, input: 60, losses: 3, failures: 1, cost: 0.5 },
    isOpen: true,
  })
  expect(
    rows.flatMap(row => (row.kind === 'exchange' && row.place ? [[row.place.turn, row.place.step]] : [])),
  ).toEqual([
    [2, 1],
    [1, 2],
    [1, 1],
  ])
})

test('A closed conversation shows its sums only, and a flat list knows no conversations.', () => {
  expect(groupedRows(list, new Set(['a'])).map(({ key }) => key)).toEqual(['group a', 'req_3'])
  expect(flatRows(list).map(({ key }) => key)).toEqual(['req_4', 'req_3', 'req_2', 'req_1'])
})

test('Of several histories in one conversation each counts its own steps, and goes on from its own exchange.', () => {
  const step = (id: string, more: Partial<TraceSummary>) =>
    exchange(id, { conversation: 'a', model: 'large', ...more })
  const all = [
    step('req_6', { turn: 2, follows: 'req_4' }),
    step('req_5', { turn: 1, follows: 'req_3' }),
    step('req_4', { turn: 1, follows: 'req_2' }),
    step('req_3', { turn: 1 }),
    step('req_2', { turn: 1, prompt: 'Build it' }),
    step('req_1', { turn: 1, model: 'small', prompt: 'Write a title' }),
  ]
  const rows = groupedRows(all, new Set())
  expect(rows[0]).toMatchObject({ group: { title: 'Build it' } })
  const places = rows.flatMap(row =>
    row.kind === 'exchange' && row.place
      ? [`${row.key} ${row.place.branch ?? ''}${row.place.turn}.${row.place.step}`]
      : [],
  )
  expect(places).toEqual(['req_6 2.1', 'req_5 c1.2', 'req_4 1.2', 'req_3 c1.1', 'req_2 1.1', 'req_1 b1.1'])
  const [shown] = groupedRows(all.slice(2, 4), new Set(), all).slice(1)
  expect(shown).toMatchObject({ key: 'req_4', place: { turn: 1, step: 2 } })
  expect(all.map(each => previousOf(each, all)?.id)).toEqual([
    'req_4',
    'req_3',
    'req_2',
    'req_2',
    undefined,
    undefined,
  ])
})

test('News replace what they are about, new exchanges come first, and the oldest are dropped.', () => {
  const merged = mergeSummaries(list, [exchange('req_5'), exchange('req_3', { status: 200 })], 4)
  expect(merged.map(({ id }) => id)).toEqual(['req_5', 'req_4', 'req_3', 'req_2'])
  expect(merged[2]?.status).toBe(200)
  expect(mergeSummaries(list, [], 4)).toBe(list)
})

test('An exchange is called by its prompt, else by the tools whose results it brings, else by its route.', () => {
  const asked = exchange('req_1', {
    conversation: 'a',
    prompt: 'Weather?',
    client_calls: 1,
    tools: ['get_weather'],
  })
  const brought = exchange('req_2', { conversation: 'a' })
  const after = exchange('req_3', { conversation: 'a' })
  const all = [after, brought, asked]
  // A history that is sent in full repeats the words of the user with the results.
  const repeated = { ...brought, prompt: 'Weather?', follows: 'req_1' }
  expect(titleOf(repeated, [repeated, asked])).toBe('result of get_weather')
  const asking = { ...asked, client_calls: 0 }
  const background = exchange('req_2', { conversation: 'a', route: 'BACKGROUND /v1/x', follows: 'req_1' })
  expect(titleOf(background, [background, asking])).toBe('Weather?')
  const replayed = { ...brought, prompt: 'Weather?' }
  expect(titleOf(replayed, [replayed, asked])).toBe('Weather?')
  expect(all.map(each => titleOf(each, all))).toEqual([
    'POST /v1/responses',
    'result of get_weather',
    'Weather?',
  ])
})

test('To name many exchanges, the list is gone through once.', () => {
  let reads = 0
  const all = Array.from({ length: 1000 }, (_, i) => {
    const summary = exchange('req_1', { id: `req_${i}`, time: new Date(1e12 - i).toISOString() })
    return Object.defineProperty({ ...summary }, 'conversation', {
      get() {
        reads++
        return 'a'
      },
    }) as TraceSummary
  })
  for (const each of all) titleOf(each, all)
  expect(reads).toBeLessThanOrEqual(all.length)
})

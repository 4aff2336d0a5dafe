import { expect, test } from 'vitest'
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { joinChains } from './chains.ts'

const exchange = (id: string, more: Partial<TraceSummary> = {}) =>
  ({
    id,
    time: `2026-11-17T12:00:0${id.at(-1)}.000Z`,
    conversation: id,
    turn: 1,
    prompt: 'Go on',
    response_id: `resp_${id.at(-1)}`,
    ...more,
  }) as TraceSummary

test('A chain over several processes is one conversation with its turns, and others stay as they are.', () => {
  const list = [
    exchange('req_5', { continues: 'resp_gone' }),
    exchange('req_4', { conversation: 'req_3', turn: 2, follows: 'req_3' }),
    exchange('req_3', { continues: 'resp_2' }),
    exchange('req_2', { continues: 'resp_1', prompt: '' }),
    exchange('req_1', { conversation: 'session', turn: 3 }),
  ]
  const joined = joinChains(list)
  expect(joined.map(({ conversation, turn, follows }) => [conversation, turn, follows])).toEqual([
    ['req_5', 1, undefined],
    ['session', 5, 'req_3'],
    ['session', 4, 'req_2'],
    ['session', 3, 'req_1'],
    ['session', 3, undefined],
  ])
  expect([joined[0], joined[4]]).toEqual([list[0], list[4]])
})

test('A session that the client names remains, and whoever continues nothing costs nothing.', () => {
  const named = exchange('req_2', { continues: 'resp_1', conversation: 'mine' })
  expect(joinChains([named, exchange('req_1')])[0]).toMatchObject({
    conversation: 'mine',
    follows: 'req_1',
    turn: 2,
  })
  const plain = [exchange('req_1')]
  expect(joinChains(plain)).toBe(plain)
})

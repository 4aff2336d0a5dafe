import { describe, expect, test } from 'vitest'
import type { Said } from '../../../toolwire/src/reading/said.ts'
import {
  blocksOf,
  clientTimes,
  earlierBlocks,
  endingOf,
  inOrder,
  prettyArguments,
  toldBefore,
} from './cards.ts'

const call = (callId: string): Said => ({ who: 'call', title: 'read', text: '{}', callId })
const result = (callId: string, text = 'done'): Said => ({ who: 'result', text, callId })
const user: Said = { who: 'user', text: 'go' }

test('A call stands with its result, wherever that came, and takes as long as the gateway or the client did.', () => {
  const slow = call('c')
  const blocks = blocksOf(
    [user, call('a'), result('a'), call('b'), slow, result('c'), result('b')],
    [{ call_id: 'b', duration_ms: 7 }],
    new Map([[slow, 99]]),
  )
  expect(
    blocks.map(block =>
      block.kind === 'call' ? [block.call.callId, block.result?.callId, block.ms] : block.said.who,
    ),
  ).toEqual(['user', ['a', 'a', undefined], ['b', 'b', 7], ['c', 'c', 99]])
})

describe('how long a client took for its calls', () => {
  const at = (seconds: number, client_calls: number, tool_runs = 0) => ({
    time: new Date(1e12 + 1000 * seconds).toISOString(),
    total_ms: 100,
    client_calls,
    tool_runs,
  })
  const history = ['a', 'b', 'c'].flatMap(id => [call(id), result(id)])
  const times = (...args: Parameters<typeof clientTimes>) =>
    [...clientTimes(...args)].map(([{ callId }, ms]) => `${callId} ${ms}`).sort()

  test('Each call of a history took from the end of its answer to the next request, two of one answer the same.', () => {
    expect(times(history, [], [at(9, 1), at(5, 2), at(2, 1)])).toEqual(['a 2900', 'b 3900', 'c 3900'])
  })

  test('What was called before the first exchange that is known, and what the gateway ran, has no such time.', () => {
    expect(times(history, [], [at(9, 0), at(5, 1)])).toEqual(['c 3900'])
    expect(times(history, [], [at(9, 0), at(5, 1), at(2, 1, 1)])).toEqual(['c 3900'])
    expect(times(history, [{ call_id: 'c', duration_ms: 1 }], [at(9, 0), at(5, 1)])).toEqual(['b 3900'])
  })
})

describe('what is new with a request', () => {
  const said = (who: Said['who'], text: string): Said => ({ who, text })
  const previous = [said('system', 'On Monday'), user, said('thinking', 'Hm'), call('a')]

  test('A history that goes on is new from the first result or word that was not said before.', () => {
    const history = [
      said('system', 'On Tuesday'),
      user,
      { ...call('a'), text: '{ }' },
      result('a'),
      said('user', 'More'),
    ]
    const told = toldBefore(history, previous)
    expect([...told].map(({ who }) => who)).toEqual(['system', 'user', 'call'])
    // The result is part of the card of its call.
    expect(earlierBlocks(blocksOf(history, []), told)).toBe(2)
  })

  test('Of another history all is new but its instructions.', () => {
    const history = [said('system', 'On Monday'), said('user', 'Something else')]
    expect(earlierBlocks(blocksOf(history, []), toldBefore(history, previous))).toBe(1)
  })
})

test('Of a first request nothing was said before, also where it brings reasoning of an earlier session.', () => {
  expect(toldBefore([{ who: 'thinking', text: 'Hm' }, user], []).size).toBe(0)
})

test('An answer says how it ended where its words do not tell.', () => {
  const ended = { state: 'ended' } as const
  const refusal: Said = { who: 'refusal', text: 'No' }
  expect(endingOf({ ...ended, finish: 'refusal' }, [])).toContain('refused')
  expect(endingOf({ ...ended, finish: 'refusal' }, [refusal])).toBeUndefined()
  expect(endingOf({ ...ended, finish: 'length' }, [{ who: 'assistant', text: 'On' }])).toContain('limit')
  expect(endingOf({ ...ended, finish: 'stop' }, [])).toContain('empty')
  expect(endingOf({ ...ended, finish: 'stop' }, undefined)).toBeUndefined()
  expect(endingOf({ state: 'running', finish: 'length' }, [])).toBeUndefined()
})

test('A result without its call is shown alone, and a call without a result waits.', () => {
  const blocks = blocksOf([result('x'), call('y')], [])
  expect(blocks).toMatchObject([{ kind: 'said' }, { kind: 'call', result: undefined }])
})

test('Arguments that are no JSON stay as the model wrote them.', () => {
  expect(prettyArguments('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(prettyArguments('*** Begin Patch')).toBe('*** Begin Patch')
})

test('What one speaker says in one message is one block, and the next message another.', () => {
  const part = (who: Said['who'], ...path: (string | number)[]): Said => ({ who, text: path.join('.'), path })
  const said = [
    part('user', 'messages', 0, 'content', 0),
    part('user', 'messages', 0, 'content', 1),
    part('user', 'messages', 1, 'content', 0),
    part('thinking', 'messages', 2, 'content', 0),
    part('thinking', 'messages', 2, 'content', 1),
  ]
  const sizes = blocksOf(said, []).map(block => (block.kind === 'said' ? 1 + block.more.length : 0))
  expect(sizes).toEqual([2, 1, 1, 1])
})

test('The instructions of a request stand before what it continues.', () => {
  const [system, before, after] = ['system', 'user', 'user'].map(who => ({ who, text: who }) as Said)
  if (system === undefined || before === undefined || after === undefined) return
  expect(inOrder([before], [system, after])).toEqual([system, before, after])
  expect(inOrder([before], [system])).toEqual([system, before])
})

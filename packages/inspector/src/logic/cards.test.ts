import { expect, test } from 'vitest'
import type { Said } from '../../../toolwire/src/reading/said.ts'
import { blocksOf, prettyArguments } from './cards.ts'

const call = (callId: string): Said => ({ who: 'call', title: 'read', text: '{}', callId })
const result = (callId: string, text = 'done'): Said => ({ who: 'result', text, callId })
const user: Said = { who: 'user', text: 'go' }

test('A call stands with its result, wherever that came, and takes as long as the gateway or the client did.', () => {
  const blocks = blocksOf(
    [user, call('a'), result('a'), call('b'), call('c'), result('c'), result('b')],
    [{ call_id: 'b', duration_ms: 7 }],
    99,
  )
  expect(
    blocks.map(block =>
      block.kind === 'call' ? [block.call.callId, block.result?.callId, block.ms] : block.said.who,
    ),
  ).toEqual(['user', ['a', 'a', 99], ['b', 'b', 7], ['c', 'c', 99]])
})

test('A result without its call is shown alone, and a call without a result waits.', () => {
  const blocks = blocksOf([result('x'), call('y')], [])
  expect(blocks).toMatchObject([{ kind: 'said' }, { kind: 'call', result: undefined }])
})

test('Arguments that are no JSON stay as the model wrote them.', () => {
  expect(prettyArguments('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(prettyArguments('*** Begin Patch')).toBe('*** Begin Patch')
})

import type { Diagnostic } from '@toolwire/core'
import { expect, test } from 'vitest'
import { assembleState, toClientPaths } from './state.ts'

const dropped = (...path: (string | number)[]): Diagnostic => ({
  code: 'hint_dropped',
  severity: 'info',
  path,
  message: 'Left out.',
})
const found = {
  history: [{ id: 'msg_old', json: '{"type":"message","role":"user","content":"Hi","id":"msg_old"}' }],
  referred: new Map(),
  isStored: true,
  isKept: false,
  previousId: 'resp_1',
  conversationId: undefined,
}
const body = {
  input: [
    { role: 'user', content: 'without an id' },
    { role: 'user', content: 'with one', id: 'msg_own' },
  ],
}

test('Of an id that the store gave to an item, the client is told nothing.', () => {
  const state = assembleState(body, found, prefix => `${prefix}new`)
  expect(state.body.input).toHaveLength(3)
  const reported = [0, 1, 2].map(at => dropped('input', at, 'id'))
  expect(toClientPaths(reported, state, body)).toEqual([dropped('input', 1, 'id')])
})

test('Paths point into what the client sent, and what is about the history at the reference to it.', () => {
  const state = assembleState(body, found, prefix => `${prefix}new`)
  const reported = [dropped('input', 0, 'phase'), dropped('input', 2, 'phase'), dropped('model')]
  expect(toClientPaths(reported, state, body).map(({ path }) => path)).toEqual([
    ['previous_response_id'],
    ['input', 1, 'phase'],
    ['model'],
  ])
})

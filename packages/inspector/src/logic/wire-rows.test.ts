import type { Diagnostic } from '@toolwire/core'
import { expect, test } from 'vitest'
import type { Reading } from '../../../toolwire/src/reading/reading.ts'
import type { Trace } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { pairRows, splitDiagnostics } from './wire-rows.ts'

const loss = (...path: (string | number)[]): Diagnostic => ({
  code: 'field_dropped',
  severity: 'warning',
  path,
  message: '',
})

const request: Reading['request'] = {
  client: { instructions: 'Be brief.', tools: [{ name: 'a' }, { name: 'b' }], truncation: 'auto' },
  upstream: { messages: [{ role: 'system', content: 'Be brief.' }], tools: [{ name: 'a' }] },
  pairs: [
    { kind: 'other', label: 'truncation', client: [['truncation']], upstream: [] },
    { kind: 'tool', label: 'a', client: [['tools', 0]], upstream: [['tools', 0]] },
    { kind: 'tool', label: 'b', client: [['tools', 1]], upstream: [] },
    { kind: 'message', label: 'instructions', client: [['instructions']], upstream: [['messages', 0]] },
  ],
}

test('Each loss stands at the row of its path, and one about a whole list at its first row.', () => {
  const { rows, unplaced } = pairRows(
    request,
    [loss('tools', 1, 'name'), loss('truncation'), loss('tools'), loss()],
    'request',
  )
  expect(rows.map(({ pair, client, state }) => [pair.label, client.length, state])).toEqual([
    ['instructions', 0, 'rewritten'],
    ['a', 1, 'same'],
    ['b', 1, 'left-out'],
    ['truncation', 1, 'left-out'],
  ])
  expect(unplaced).toHaveLength(1)
})

test('What only the client has of an answer was added by the gateway, and what only the upstream has left out.', () => {
  const answer: Reading['answer'] = {
    client: { background: false },
    upstream: { system_fingerprint: 'fp' },
    pairs: [
      { kind: 'other', label: 'background', client: [['background']], upstream: [] },
      { kind: 'other', label: 'system_fingerprint', client: [], upstream: [['system_fingerprint']] },
    ],
  }
  const states = (direction: 'request' | 'answer') =>
    pairRows(answer, [], direction).rows.map(({ state }) => state)
  expect(states('answer')).toEqual(['added', 'left-out'])
  expect(states('request')).toEqual(['left-out', 'added'])
})

test('A loss of the answer is told from one of the request by where its path leads.', () => {
  const trace = {
    losses: [loss('truncation'), loss('choices', 0, 'logprobs')],
    notes: [],
  } as unknown as Trace
  const reading = {
    request,
    answer: { upstream: { choices: [{ logprobs: {} }] }, pairs: [] },
  } as unknown as Reading
  const split = splitDiagnostics(trace, reading)
  expect([split.request.length, split.answer.length]).toEqual([1, 1])
  expect(split.answer[0]?.path[0]).toBe('choices')
})

import { describe, expect, test } from 'vitest'
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { completions, endWord, parseFilter } from './filter.ts'

const base: TraceSummary = {
  time: '2026-11-17T12:00:00.000Z',
  id: 'req_1',
  route: 'POST /v1/responses',
  status: 200,
  wire: 'responses',
  upstream_wire: 'chat',
  model: 'gpt-5',
  upstream_model: 'qwen3:8b',
  client: 'codex_cli_rs',
  client_calls: 1,
  tool_runs: 0,
  tool_failures: 0,
  losses: 2,
  retries: 0,
  input_tokens: 12_000,
  abandoned: false,
  state: 'ended',
  tools: ['exec_command'],
  prompt: 'Fix the failing test',
}

const fits = (text: string, more: Partial<TraceSummary> = {}): boolean =>
  parseFilter(text).matches({ ...base, ...more })

describe('the filter language', () => {
  test.each([
    ['model:qwen*', true],
    ['model:*8b', true],
    ['model:q*b', true],
    ['model:q*x*b', false],
    ['model:gpt-5', true],
    ['model:claude', false],
    ['wire:chat', true],
    ['status:>=400', false],
    ['status:200', true],
    ['losses:>0', true],
    ['in:>10k', true],
    ['in:<=12000', true],
    ['tool:exec_command', true],
    ['-tool:exec_command', false],
    ['failure:*', false],
    ['failing', true],
    ['"fix the"', true],
    ['-failing', false],
    ['model:qwen* status:>=400', false],
    ['model:qwen* losses:>0 wire:responses fix', true],
    ['', true],
    ['model:', true],
    ['http://nowhere', false],
  ])('%s is %s.', (text, expected) => {
    expect(fits(text)).toBe(expected)
  })

  test.each(['stat', '-stat', 'status', 'model:gpt-5 Stat'])(
    '%s filters nothing more until its word ends.',
    text => {
      expect(fits(text)).toBe(true)
      expect(fits(endWord(text))).toBe(text === '-stat')
    },
  )

  test('Only a word that may become a field waits for its end.', () => {
    expect(['stat ', 'nowhere', 'status:', '"some stat', ''].map(endWord)).toEqual([
      'stat ',
      'nowhere',
      'status:',
      '"some stat',
      '',
    ])
    expect(fits('nowhere')).toBe(false)
  })

  test('What is not known of an exchange fits no value.', () => {
    expect(fits('cost:<1')).toBe(false)
    expect(fits('cached:0')).toBe(false)
  })

  test('A field that does not exist is a problem, and filters nothing.', () => {
    const filter = parseFilter('colour:red model:gpt*')
    expect(filter.problems).toEqual(['There is no "colour:".'])
    expect(filter.matches(base)).toBe(true)
  })

  test('No text makes it throw.', () => {
    for (const text of [
      '"',
      ':',
      '-',
      '- -',
      'a:"',
      '*:*',
      'model:***',
      '\\',
      'constructor:x',
      '__proto__:x',
    ])
      expect(() => fits(text)).not.toThrow()
  })
})

describe('completion', () => {
  test('Names of fields are offered first, then the values that were seen.', () => {
    expect(completions('mo', [base])[0]).toEqual({
      text: 'model:',
      label: 'model:',
      about: 'asked for or used',
    })
    expect(completions('status:200 tool:', [base, base])).toEqual([
      { text: 'status:200 tool:exec_command ', label: 'exec_command', about: '2×' },
    ])
    expect(completions('-wire:c', [base]).map(({ text }) => text)).toEqual(['-wire:chat '])
  })

  test('Nothing is offered for words and unknown fields.', () => {
    expect(completions('some text ', [base])).toEqual([])
    expect(completions('nothing:x', [base])).toEqual([])
  })
})

test('A number is asked for where only a number fits.', () => {
  expect(parseFilter('status:abc losses:>0 in:>10k model:abc').problems).toEqual([
    '"status:" takes a number.',
  ])
})

test('A value that an exchange has twice is offered with how many exchanges have it.', () => {
  const seen = [{ model: 'qwen', upstream_model: 'qwen' }, { model: 'qwen' }] as TraceSummary[]
  expect(completions('model:', seen).map(({ label, about }) => [label, about])).toEqual([['qwen', '2×']])
})

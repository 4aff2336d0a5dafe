import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json/object.ts'
import type { Turn } from '../model/conversation.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import { builtInConversations } from '../wires/registry.ts'
import { countRequest } from './count-request.ts'
import { estimateCounter } from './estimate.ts'
import { historyOf, listFields } from './histories.test-helper.ts'
import { type TrimmedHistory, type TrimOptions, trimHistory } from './trim-history.ts'

const counter = estimateCounter
const trim = (wire: Wire, body: unknown, maxTokens: number, keep?: TrimOptions['keep']): TrimmedHistory =>
  trimHistory(body, { wire, counter, maxTokens, ...(keep && { keep }) })
const listOf = (wire: Wire, body: unknown): unknown[] =>
  (body as Record<string, unknown[]>)[listFields[wire]] ?? []
const turnsOf = (wire: Wire, body: unknown): readonly Turn[] =>
  builtInConversations[wire].decodeRequest(body as JsonObject, () => undefined).turns

/** Calls that wait for a result at the end, and results that no call waits for. */
function unpaired(turns: readonly Turn[]): string[] {
  const open = new Set<string>()
  const wrong: string[] = []
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.kind === 'call') open.add(part.id ?? '')
      if (part.kind === 'result' && !open.delete(part.callId ?? '')) wrong.push(`result ${part.callId}`)
    }
  }
  return [...wrong, ...[...open].map(id => `call ${id}`)]
}

const isSystem = ({ role }: Turn): boolean => role === 'system'
const roles = (turns: readonly Turn[]): string[] =>
  turns.filter(turn => !isSystem(turn)).map(({ role }) => role)

describe.each(['chat', 'responses', 'messages'] as const)('[field G13] trimming on %s', wire => {
  const budgets = fc.integer({ min: 0, max: 700 })

  test('Trimming keeps pairs, the order, the newest turn and all system messages, and the result fits or is reported.', () => {
    fc.assert(
      fc.property(historyOf(wire), budgets, (body, maxTokens) => {
        const before = listOf(wire, body)
        const { value, removed, tokens, fits, reason, diagnostics } = trim(wire, body, maxTokens)
        const after = listOf(wire, value)
        const gone = new Set(removed.map(([, index]) => index))
        expect(after).toEqual(before.filter((_, i) => !gone.has(i)))
        expect(after.at(-1)).toBe(before.at(-1))
        expect(unpaired(turnsOf(wire, value))).toEqual([])
        expect(turnsOf(wire, value).filter(isSystem)).toHaveLength(
          turnsOf(wire, body).filter(isSystem).length,
        )
        expect(tokens).toBe(countRequest(value, { wire, counter }).total)
        expect(fits).toBe(tokens <= maxTokens)
        expect(reason === undefined).toBe(fits && removed.length === 0)
        expect(diagnostics).toEqual([])
      }),
    )
  })

  test('A trimmed history never begins with an assistant or a result where the conversation began with a user.', () => {
    fc.assert(
      fc.property(historyOf(wire), budgets, (body, maxTokens) => {
        const first = roles(turnsOf(wire, trim(wire, body, maxTokens).value))[0]
        fc.pre(roles(turnsOf(wire, body))[0] === 'user' && first !== undefined)
        expect(first).toBe('user')
      }),
    )
  })

  test('Trimming keeps at least as much when there is more room, and does not touch what fits.', () => {
    fc.assert(
      fc.property(historyOf(wire), budgets, budgets, (body, a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map(max => trim(wire, body, max)) as [
          TrimmedHistory,
          TrimmedHistory,
        ]
        if (less.fits) expect(more.tokens).toBeGreaterThanOrEqual(less.tokens)
        const { total } = countRequest(body, { wire, counter })
        expect(trim(wire, body, total).value).toBe(body)
      }),
    )
  })

  test('When nothing fits, only what must stay is left.', () => {
    fc.assert(
      fc.property(historyOf(wire), budgets, (body, maxTokens) => {
        const result = trim(wire, body, maxTokens)
        fc.pre(!result.fits)
        expect(result.value).toEqual(trim(wire, body, 0).value)
        expect(result.reason).toContain(`${maxTokens} are allowed`)
      }),
    )
  })

  test('Trimming never changes its input.', () => {
    fc.assert(
      fc.property(historyOf(wire), budgets, (body, maxTokens) => {
        const copy = structuredClone(body)
        trim(wire, body, maxTokens)
        expect(body).toEqual(copy)
      }),
    )
  })
})

const long = 'word '.repeat(200)
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })
const output = (id: string, text = 'ok') => ({ type: 'function_call_output', call_id: id, output: text })
const user = (content: string) => ({ role: 'user', content })

describe('[field G13] trimming', () => {
  test('Reasoning is removed with the call it led to, also where the call alone would fit.', () => {
    const thought = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: long }] }
    const input = [user('Do it.'), thought, call('a'), output('a'), user('next')]
    const { value, removed } = trim('responses', { input }, 100)
    expect(listOf('responses', value)).toEqual([user('next')])
    expect(removed).toEqual([0, 1, 2, 3].map(i => ['input', i]))
  })

  test('In a long loop of tools the question stays, and the oldest rounds are removed.', () => {
    const rounds = ['a', 'b', 'c'].flatMap(id => [call(id), output(id, long)])
    const input = [{ role: 'developer', content: 'Be good.' }, user('Do it.'), ...rounds]
    const { value, fits } = trim('responses', { input }, 300)
    expect(fits).toBe(true)
    expect(listOf('responses', value)).toEqual([input[0], input[1], call('c'), output('c', long)])
  })

  test('A result whose call is missing is removed, and that is reported.', () => {
    const messages = [
      user(long),
      { role: 'tool', tool_call_id: 'lost', content: 'x' },
      { role: 'assistant', content: 'Hm.' },
      user('and now?'),
    ]
    const { value, removed, diagnostics } = trim(
      'chat',
      { messages },
      countRequest({ messages }, { wire: 'chat', counter }).total - 1,
    )
    expect(removed).toEqual([['messages', 1]])
    expect(listOf('chat', value)).toHaveLength(3)
    expect(diagnostics).toMatchObject([{ code: 'orphan_result', path: ['messages', 1] }])
  })

  test('Inside a message only the orphan is removed.', () => {
    const orphan = { type: 'tool_result', tool_use_id: 'lost', content: long }
    const said = { type: 'text', text: 'Go on.' }
    const messages = [{ role: 'user', content: [orphan, said] }]
    const { value, removed, fits } = trim('messages', { messages }, 50)
    expect([value, removed, fits]).toEqual([
      { messages: [{ role: 'user', content: [said] }] },
      [['messages', 0, 'content', 0]],
      true,
    ])
  })

  test('A result whose call the server holds is not an orphan.', () => {
    const body = { previous_response_id: 'resp_1', input: [user(long), output('kept')] }
    expect(listOf('responses', trim('responses', body, 40).value)).toContainEqual(output('kept'))
  })

  test('Entries that the caller wants are kept, with the calls and results that belong to them.', () => {
    const rounds = ['a', 'b', 'c', 'd'].flatMap(id => [call(id), output(id, long)])
    const input = [user('Do it.'), ...rounds]
    const keep: TrimOptions['keep'] = ({ value }) => JSON.stringify(value).includes('"b"')
    const { value } = trim('responses', { input }, 500, keep)
    expect(listOf('responses', value)).toEqual([user('Do it.'), ...rounds.slice(2, 4), ...rounds.slice(6)])
  })

  test('Items that declare tools stay, and hosted calls stay with their outputs.', () => {
    const declared = { type: 'additional_tools', tools: [] }
    const shell = {
      type: 'local_shell_call',
      id: 'ls',
      call_id: 'c1',
      status: 'completed',
      action: { command: ['ls'] },
    }
    const shown = { type: 'local_shell_call_output', id: 'c1', output: long }
    const input = [declared, user('hi'), shell, shown, user('thanks')]
    expect(listOf('responses', trim('responses', { input }, 60).value)).toEqual([declared, user('thanks')])
    expect(listOf('responses', trim('responses', { input: input.slice(0, 4) }, 60).value)).toEqual(
      input.slice(0, 4),
    )
  })

  test('Without a list there is nothing to shorten, and that is reported.', () => {
    const { value, fits, reason } = trim('responses', { input: long }, 10)
    expect([value, fits]).toEqual([{ input: long }, false])
    expect(reason).toContain('"input" is not a list')
  })

  test.each([Number.NaN, -1, '9' as never])('A maximum of %j is refused.', maxTokens => {
    expect(() => trim('chat', {}, maxTokens)).toThrow('"maxTokens" must be a number of 0 or more')
  })

  test('Trimming reads each text a fixed number of times, for a history of any length.', () => {
    const readsFor = (rounds: number): number => {
      let read = 0
      const counting = {
        ...counter,
        count: (text: string) => {
          read++
          return counter.count(text)
        },
      }
      const messages = Array.from({ length: rounds }, (_, i) => user(`word ${i}`))
      trimHistory({ messages }, { wire: 'chat', counter: counting, maxTokens: 100 })
      return read
    }
    expect(readsFor(4000) / readsFor(1000)).toBeLessThan(4.5)
  })
})

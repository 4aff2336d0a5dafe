import { describe, expect, it } from 'vitest'
import { conversationFixtures } from '../../../../../test/support/fixtures/conversations.ts'
import { exchangeLaws } from '../index.ts'
import { checkTexts } from './exchange-laws.ts'

describe('the laws hold for', () => {
  const requests = conversationFixtures('requests').map(({ wire, story, body }) => ({
    wire,
    name: story,
    request: body,
  }))
  const answers = conversationFixtures('answers').map(({ wire, story, body }) => ({
    wire,
    name: story,
    answer: body,
  }))
  it.each([...requests, ...answers])('$name on $wire', async exchanged => {
    const laws = exchangeLaws(exchanged)
    expect(laws).toHaveLength(7)
    for (const { check } of laws) await check()
  })
})

describe('the laws find', () => {
  const broken = (laws: ReturnType<typeof exchangeLaws>): string[] =>
    laws.flatMap(({ name, check }) => {
      try {
        check()
        return []
      } catch (error) {
        return [`${name}: ${String(error)}`]
      }
    })

  it('a body that is not of its wire', () => {
    const request = {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
    }
    expect(broken(exchangeLaws({ wire: 'chat', request }, { wires: ['chat'] }))).toEqual([
      'identity: the request on chat stays as it is on its own wire: LawError: On chat the fields messages changed.',
    ])
  })

  it('a text that is gone, unless a diagnostic speaks of it', () => {
    const body = { messages: [{ role: 'user', content: 'Hello' }], note: '{"inner":["kept","lost"]}' }
    const value = { input: 'Hello, kept' }
    const way = { from: 'chat', to: 'responses', isAnswer: false } as const
    expect(() => checkTexts(body, { value, diagnostics: [] }, way)).toThrow(
      'From chat to responses the text "lost" at note.inner.1 was lost and nothing was reported.',
    )
    const told = { code: 'field_dropped', severity: 'warning', path: ['note'], message: 'gone' } as const
    const whole = { ...told, path: [] }
    expect(() => checkTexts(body, { value, diagnostics: [{ ...told, path: ['note'] }] }, way)).not.toThrow()
    expect(() => checkTexts(body, { value, diagnostics: [whole] }, way)).toThrow('was lost')
  })
})

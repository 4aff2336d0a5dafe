/** The laws of this codec over generated requests and answers, as the official types allow them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answer, errorBody, request } from '../../../../../../test/support/arbitraries/responses.ts'
import type { JsonObject } from '../../../json/object.ts'
import type { Diagnostic } from '../../../model/diagnostic.ts'
import { createReport } from '../../../model/diagnostic.ts'
import { echoedFields } from '../answer/envelope.ts'
import { responsesConversation } from '../conversation.ts'

const context = { newId: (prefix: string) => `${prefix}new`, now: () => 0 }

interface Converted {
  readonly value: JsonObject
  readonly diagnostics: Diagnostic[]
}

function throughRequest(body: JsonObject): Converted {
  const { report, diagnostics } = createReport()
  return {
    value: responsesConversation.encodeRequest(responsesConversation.decodeRequest(body, report), report),
    diagnostics,
  }
}

function throughAnswer(body: JsonObject): Converted {
  const { report, diagnostics } = createReport()
  const answer = responsesConversation.decodeAnswer(body, report)
  return { value: responsesConversation.encodeAnswer(answer, context, report), diagnostics }
}

/** An object with the required fields, any of the optional ones, and now and then one nobody has heard of. */
function markTexts(value: unknown, marks: string[], key = ''): unknown {
  if (Array.isArray(value)) return value.map(item => markTexts(item, marks, key))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, markTexts(item, marks, name)]),
    )
  }
  if (typeof value !== 'string' || structural.has(key)) return value
  marks.push(`mark${marks.length}x`)
  return marks.at(-1)
}

const structural: ReadonlySet<string> = new Set([
  'type',
  'role',
  'status',
  'reason',
  'object',
  'include',
  'tool_choice',
])

/** The texts that the model neither says nor would report on another wire. */
function silent(model: unknown, marks: readonly string[]): string[] {
  const text = JSON.stringify(model, (key, value) => (key === 'quiet' ? undefined : value))
  return marks.filter(mark => !text.includes(mark))
}

describe('requests', () => {
  test('accounting: every text is in the model, or is left over where another wire will report it', () => {
    fc.assert(
      fc.property(request, body => {
        const marks: string[] = []
        const marked = markTexts(body, marks) as JsonObject
        expect(silent(responsesConversation.decodeRequest(marked, createReport().report), marks)).toEqual([])
      }),
    )
  })

  test('identity: a valid request comes back unchanged, with nothing to report', () => {
    fc.assert(
      fc.property(request, body => {
        const { value, diagnostics } = throughRequest(body)
        expect(value).toStrictEqual(body)
        expect(diagnostics).toEqual([])
      }),
    )
  })
})

describe('answers', () => {
  test('accounting: the same, except for what only repeats the request', () => {
    fc.assert(
      fc.property(answer, body => {
        const marks: string[] = []
        const kept = Object.fromEntries(Object.entries(body).filter(([key]) => !echoedFields.has(key)))
        const marked = markTexts(kept, marks) as JsonObject
        expect(silent(responsesConversation.decodeAnswer(marked, createReport().report), marks)).toEqual([])
      }),
    )
  })

  test('identity: a valid answer or error comes back unchanged, with nothing to report', () => {
    fc.assert(
      fc.property(fc.oneof(answer, errorBody), body => {
        const { value, diagnostics } = throughAnswer(body)
        expect(value).toStrictEqual(body)
        expect(diagnostics).toEqual([])
      }),
    )
  })

  test('identity also holds without the fields a valid answer must have', () => {
    for (const body of [
      {},
      { output: null },
      { output: [], error: {}, usage: {} },
      {
        output: [
          { role: 'assistant', content: 'x' },
          { type: 'reasoning' },
          { type: 'function_call', name: 'w' },
        ],
      },
      { id: 1, created_at: 'x', status: 7, usage: { input_tokens: 'x' }, error: [] },
      { error: 'bad' },
      { error: '' },
      { error: {} },
      { error: { message: '' } },
    ]) {
      expect(throughAnswer(body)).toStrictEqual({ value: body, diagnostics: [] })
    }
  })
})

/**
 * The cases that every wire passes, written once. `describeWire` runs them over the definition of a wire and samples of
 * its bodies; a wire of somebody else's can be tested with it too.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json/object.ts'
import type { Answer, ApiError, ErrorKind, FinishReason, Usage } from '../model/answer.ts'
import type { CallPart, Part, ResultPart } from '../model/conversation.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { Tool } from '../model/tool.ts'
import type { OddBody, RoundTrip } from './common.bodies.test-helper.ts'
import { canonical, describeBodies, oddJson, parsed, replaceValue } from './common.bodies.test-helper.ts'
import { describeStreams } from './common.streams.test-helper.ts'
import type { AnswerContext, WireDefinition } from './define-wire.ts'
import { defineWire } from './define-wire.ts'

type Missing = 'refusal' | 'reasoning' | 'custom call' | 'cut call' | 'overlap' | 'usage shares'

export interface WireSamples {
  /** Valid bodies. The better they cover the fields of the wire, the more the cases prove. */
  readonly requests: fc.Arbitrary<JsonObject>
  readonly answers: fc.Arbitrary<JsonObject>
  readonly errors: fc.Arbitrary<JsonObject>
  /** Lists of valid tools. */
  readonly tools: fc.Arbitrary<readonly unknown[]>
  /** The field of a request that holds them; "tools" if left out. */
  readonly toolsField?: string
  readonly oddRequests?: readonly OddBody[]
  readonly oddAnswers?: readonly OddBody[]
  /** Keys whose strings are words of the wire and not texts of a client or an LLM. */
  readonly wordKeys: readonly string[]
  /** Fields of an answer that repeat the request, so that other wires lose nothing without them. */
  readonly echoedFields?: ReadonlySet<string>
  /** The reasons that the wire has no word for, and how each is read again once it has been written. */
  readonly finishes: Partial<Record<FinishReason, FinishReason>>
  /** What the wire has no form for. "overlap": a stream whose parts do not come one after the other. */
  readonly missing?: readonly Missing[]
  /** All texts of an answer are one on this wire, and so are its refusals and its reasoning. */
  readonly joinsTexts?: boolean
  /** Bodies that are not valid come back in the wire's own form, without a report. */
  readonly tidiesMalformed?: boolean
  /** A request whose answer is streamed with its usage. */
  readonly streamRequest?: JsonObject
}

export const contextOf = (request: JsonObject = { model: 'asked' }): AnswerContext => {
  let ids = 0
  return { newId: prefix => `${prefix}${++ids}`, now: () => 99, request }
}

export function describeWire(wire: WireDefinition, samples: WireSamples): void {
  const { conversation, tools } = wire
  const throughRequest: RoundTrip = body => {
    const { report, diagnostics } = createReport()
    return {
      value: conversation.encodeRequest(conversation.decodeRequest(body, report), report),
      diagnostics,
    }
  }
  const throughAnswer: RoundTrip = body => {
    const { report, diagnostics } = createReport()
    const answer = conversation.decodeAnswer(body, report)
    return { value: conversation.encodeAnswer(answer, contextOf(), report), diagnostics }
  }
  const answers = fc.oneof({ weight: 4, arbitrary: samples.answers }, samples.errors)

  describe(wire.title, () => {
    test('A definition of the wire is accepted.', () => {
      expect(defineWire(wire)).toBe(wire)
      expect([tools.wire, conversation.wire]).toEqual([wire.name, wire.name])
    })
    describeBodies('request', samples.requests, samples.oddRequests, throughRequest, samples.tidiesMalformed)
    describeBodies('answer', answers, samples.oddAnswers, throughAnswer, samples.tidiesMalformed)
    describeAccounting(wire, samples)
    describeAnswers(wire, samples)
    describeCalls(wire)
    describeTools(wire, samples)
    describeStreams(wire, samples)
  })
}

function describeAccounting({ conversation }: WireDefinition, samples: WireSamples): void {
  /** Every text that is no word of the wire, each made different from all others. */
  const marked = (body: JsonObject): [body: JsonObject, marks: string[]] => {
    const marks: string[] = []
    const replaced = JSON.parse(JSON.stringify(body), function (this: unknown, key, value: unknown) {
      const isWord = samples.wordKeys.includes(Array.isArray(this) ? '' : key)
      if (typeof value !== 'string' || isWord) return value
      marks.push(`mark${marks.length}x`)
      return marks.at(-1)
    }) as JsonObject
    return [replaced, marks]
  }
  /** Defaults of a residue are not reported, so that what they hold must stand in the model as well. */
  const missingFrom = (model: unknown, marks: readonly string[]): string[] => {
    const text = JSON.stringify(model, (key, value: unknown) => (key === 'defaults' ? undefined : value))
    return marks.filter(mark => !text.includes(mark))
  }

  test('Every text of a request is in the model, or in the residue that other wires report.', () => {
    fc.assert(
      fc.property(samples.requests.map(parsed), body => {
        const [request, marks] = marked(body)
        expect(
          missingFrom(
            conversation.decodeRequest(request, () => {}),
            marks,
          ),
        ).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('Every text of an answer is in the model, or in the residue that other wires report.', () => {
    fc.assert(
      fc.property(fc.oneof(samples.answers, samples.errors).map(parsed), body => {
        const kept = Object.entries(body).filter(([key]) => !samples.echoedFields?.has(key))
        const [answer, marks] = marked(Object.fromEntries(kept))
        expect(
          missingFrom(
            conversation.decodeAnswer(answer, () => {}),
            marks,
          ),
        ).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
}

const path = ['elsewhere', 0]
const text: Part = { kind: 'text', text: 'hi', path }
const call: CallPart = { kind: 'call', form: 'function', id: 'call_1', name: 'f', input: '{"a":1}', path }

export const answerOf = (reason: FinishReason, ...parts: readonly Part[]): Answer => ({
  id: 'id1',
  model: 'm',
  turns: [{ role: 'assistant', parts, root: path }],
  finish: { reason },
})

const reasons: readonly FinishReason[] = [
  'stop',
  'calls',
  'length',
  'filter',
  'refusal',
  'pause',
  'failed',
  'cancelled',
  'unfinished',
]

export const errorKinds: readonly ErrorKind[] = [
  'invalid_request',
  'authentication',
  'billing',
  'permission',
  'not_found',
  'conflict',
  'too_large',
  'rate_limit',
  'timeout',
  'overloaded',
  'server',
]

/** An answer from elsewhere, written on the wire and read again. */
function describeAnswers({ conversation }: WireDefinition, { finishes, missing = [] }: WireSamples): void {
  const through = (answer: Answer): Answer =>
    conversation.decodeAnswer(parsed(conversation.encodeAnswer(answer, contextOf(), () => {})), () => {})

  test.each(reasons)(
    'An answer that ended by "%s" is read again as one that did, or as the nearest.',
    reason => {
      const parts = reason === 'calls' ? [text, call] : [text]
      expect(through(answerOf(reason, ...parts)).finish.reason).toBe(finishes[reason] ?? reason)
    },
  )

  test.skipIf(missing.includes('cut call'))(
    'An answer that was cut short has no complete call at its end.',
    () => {
      const read = through(answerOf('length', text, call, { ...call, id: 'call_2', status: 'incomplete' }))
      const calls = read.turns.flatMap(({ parts }) => parts).filter(part => part.kind === 'call')
      expect(calls.map(({ status }) => status === 'incomplete')).toEqual([false, true])
      expect(read.finish.reason).toBe('length')
    },
  )

  test.each(errorKinds)('An error of the kind "%s" is read again as one.', kind => {
    const error: ApiError = { kind, message: 'It failed.' }
    const read = through({ turns: [], finish: { reason: 'failed' }, error })
    expect(read).toMatchObject({ turns: [], finish: { reason: 'failed' }, error })
  })

  test('A token count is read again as it was, with the shares of it.', () => {
    const shares = missing.includes('usage shares') ? {} : { cacheRead: 40, cacheWrite: 10, reasoning: 3 }
    const usage: Usage = { input: 100, output: 7, ...shares }
    expect(through({ ...answerOf('stop', text), usage }).usage).toMatchObject(usage)
  })

  test('An answer without id and model gets an id, and the model that was asked for.', () => {
    const { turns, finish } = answerOf('stop', text)
    expect(through({ turns, finish })).toMatchObject({ id: expect.stringMatching(/./), model: 'asked' })
  })

  test('An answer of the wire is recognised as one.', () => {
    const body = conversation.encodeAnswer(answerOf('stop', text), contextOf(), () => {})
    expect(conversation.recognise.answer(body)).toBeGreaterThan(0)
  })
}

function describeCalls({ conversation }: WireDefinition): void {
  const through = (request: Request): Part[] =>
    conversation
      .decodeRequest(
        conversation.encodeRequest(request, () => {}),
        () => {},
      )
      .turns.flatMap(({ parts }) => parts)
  const result = (callId: string, value: string, isError?: true): ResultPart => ({
    kind: 'result',
    form: 'function',
    callId,
    content: [{ kind: 'text', text: value, path }],
    plain: true,
    path,
    ...(isError && { isError }),
  })
  const requestOf = (...turns: Request['turns']): Request => ({ model: 'm', turns, tools: {}, settings: {} })

  test('Calls and their results are read again in their order, each result with the id of its call.', () => {
    const second: CallPart = { ...call, id: 'call_2', name: 'g', input: '{}' }
    const parts = through(
      requestOf(
        { role: 'user', parts: [text], root: path },
        { role: 'assistant', parts: [text, call, second], root: path },
        { role: 'tool', parts: [result('call_1', 'one'), result('call_2', 'two', true)], root: path },
        { role: 'user', parts: [text], root: path },
      ),
    )
    const read = parts.flatMap(part => {
      if (part.kind === 'call') return [[part.id, part.name, JSON.parse(part.input)]]
      if (part.kind !== 'result') return []
      const [only] = part.content
      return [[part.callId, only?.kind === 'text' && only.text, part.isError === true]]
    })
    expect(read).toEqual([
      ['call_1', 'f', { a: 1 }],
      ['call_2', 'g', {}],
      ['call_1', 'one', false],
      ['call_2', 'two', true],
    ])
  })

  test('Lists as long as a hostile body may hold are read and written without running out of stack.', () => {
    const count = 150_000
    const many = <T>(item: T): T[] => Array.from({ length: count }, () => ({ ...item }))
    const citations = many({ url: 'u', path })
    const parts = through(
      requestOf(
        { role: 'system', parts: many(text), root: path, instructions: true },
        { role: 'user', parts: many(text), root: path },
        { role: 'assistant', parts: [{ ...text, citations } as Part, ...many(call)], root: path },
        { role: 'tool', parts: many(result('call_1', 'r')), root: path },
      ),
    )
    expect(parts.filter(({ kind }) => kind === 'call')).toHaveLength(count)
    expect(parts.filter(({ kind }) => kind === 'result')).toHaveLength(count)
    const texts = parts.map(part => (part.kind === 'text' ? part.text : '')).join('')
    expect(texts.length).toBeGreaterThan(count)
  })
}

function describeTools({ tools }: WireDefinition, samples: WireSamples): void {
  const { toolsField = 'tools' } = samples

  test('Valid tools come back as they were, and nothing is reported.', () => {
    fc.assert(
      fc.property(samples.tools.map(parsed), list => {
        const { report, diagnostics } = createReport()
        const body = { [toolsField]: list }
        expect(tools.encodeToolParams(tools.decodeToolParams(body, report), report)).toEqual(body)
        const each = list.map((tool, i) => tools.encodeTool(tools.decodeTool(tool, [i], report), report))
        expect(each).toEqual(list)
        // A type that the wire does not know yet is passed on, and reported.
        expect(diagnostics.filter(({ code }) => code !== 'unknown_type')).toEqual([])
      }),
    )
  })

  test('Any JSON in the place of tools comes back as it was, or is reported.', () => {
    fc.assert(
      fc.property(samples.tools.map(parsed), fc.nat(), oddJson, (list, n, value) => {
        const body = { [toolsField]: list }
        replaceValue(body, n, parsed(value))
        const before = canonical(body)
        const { report, diagnostics } = createReport()
        const written = tools.encodeToolParams(tools.decodeToolParams(body, report), report)
        expect(canonical(body)).toBe(before)
        if (diagnostics.length === 0) expect(canonical(written)).toBe(before)
      }),
      { numRuns: 300 },
    )
  })

  test('A function from elsewhere is read again with its name, description and schema.', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    const tool: Tool = {
      kind: 'function',
      root: path,
      path,
      name: 'f',
      description: 'Does it.',
      parameters,
      parametersPath: path,
    }
    const read = tools.decodeTool(
      tools.encodeTool(tool, () => {}),
      [],
      () => {},
    )
    expect(read).toMatchObject({ kind: 'function', name: 'f', description: 'Does it.', parameters })
  })
}

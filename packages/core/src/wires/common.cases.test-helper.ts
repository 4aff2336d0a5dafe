/**
 * The cases that every wire passes, written once. `describeWire` runs them over the definition of a wire and samples of
 * its bodies; a wire of somebody else's can be tested with it too.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import type { Answer, ApiError, ErrorKind, FinishReason, Usage } from '../model/answer.ts'
import type { CallPart, Part, ResultPart } from '../model/conversation.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import type { Tool } from '../model/tool.ts'
import { describeStreams } from './common.streams.test-helper.ts'
import type { AnswerContext, WireDefinition } from './define-wire.ts'
import { defineWire } from './define-wire.ts'

/** A body that is not valid on the wire, or not usual, and that still comes back as it was. */
export type OddBody = readonly [title: string, body: JsonObject]

export interface WireSamples {
  /** Valid bodies. The better they cover the fields of the wire, the more the cases prove. */
  readonly requests: fc.Arbitrary<JsonObject>
  readonly answers: fc.Arbitrary<JsonObject>
  readonly errors: fc.Arbitrary<JsonObject>
  /** Lists of valid tools. */
  readonly tools: fc.Arbitrary<readonly unknown[]>
  readonly oddRequests?: readonly OddBody[]
  readonly oddAnswers?: readonly OddBody[]
  /** Keys whose strings are words of the wire and not texts of a client or an LLM. */
  readonly wordKeys: readonly string[]
  /** Fields of an answer that repeat the request, so that other wires lose nothing without them. */
  readonly echoedFields?: ReadonlySet<string>
  /** The reasons that the wire has no word for, and how each is read again once it has been written. */
  readonly finishes: Partial<Record<FinishReason, FinishReason>>
  /** Kinds of parts that the wire's answers have no form for. */
  readonly missing?: readonly ('refusal' | 'reasoning' | 'custom call')[]
  /** All texts of an answer are one on this wire, and so are its refusals and its reasoning. */
  readonly joinsTexts?: boolean
  /** A request whose answer is streamed with its usage. */
  readonly streamRequest?: JsonObject
}

export interface Converted {
  readonly value: JsonObject
  readonly diagnostics: readonly Diagnostic[]
}

export const contextOf = (request: JsonObject = { model: 'asked' }): AnswerContext => {
  let ids = 0
  return { newId: prefix => `${prefix}${++ids}`, now: () => 99, request }
}

/** The value as a JSON parser returns it: plain objects, and no negative zero. */
export const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** The same text for the same value, whatever the order of its keys; also where a key is called `__proto__`. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : (inner ?? null),
  )

type RoundTrip = (body: JsonObject) => Converted

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
    describeBodies('request', samples.requests, samples.oddRequests, throughRequest)
    describeBodies('answer', answers, samples.oddAnswers, throughAnswer)
    describeAccounting(wire, samples)
    describeAnswers(wire, samples)
    describeCalls(wire)
    describeTools(wire, samples)
    describeStreams(wire, samples)
  })
}

function describeBodies(
  what: 'request' | 'answer',
  bodies: fc.Arbitrary<JsonObject>,
  odd: readonly OddBody[] = [],
  roundTrip: RoundTrip,
): void {
  const article = what === 'answer' ? 'An' : 'A'
  test(`A valid ${what} comes back as it was, and nothing is reported.`, () => {
    fc.assert(
      fc.property(bodies.map(parsed), body => {
        const before = canonical(body)
        const { value, diagnostics } = roundTrip(body)
        expect(canonical(value)).toBe(before)
        expect(canonical(body)).toBe(before)
        expect(diagnostics).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test(`A field of ${article.toLowerCase()} ${what} that the wire does not know comes back in its place.`, () => {
    const keys = fc.constantFrom('x_unknown', '__proto__', 'constructor', 'toString')
    fc.assert(
      fc.property(bodies.map(parsed), fc.nat(), keys, (body, n, key) => {
        const objects = objectsIn(body)
        addField(objects[n % objects.length] ?? body, key, { x: [1, 'a'] })
        const { value, diagnostics } = roundTrip(body)
        expect(canonical(value)).toBe(canonical(body))
        expect(diagnostics).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test.each(odd)(`${article} ${what} with %s comes back as it was.`, (_, body) => {
    expect(canonical(roundTrip(body).value)).toBe(canonical(body))
  })

  test(`${article} ${what} with any JSON in any place is read and written without an exception, and not changed.`, () => {
    fc.assert(
      fc.property(
        bodies.map(parsed),
        fc.array(fc.tuple(fc.nat(), oddJson), { maxLength: 3 }),
        (body, changes) => {
          for (const [n, value] of changes) replaceValue(body, n, value)
          const before = canonical(body)
          const once = roundTrip(body)
          expect(canonical(body)).toBe(before)
          // What is not as it was must have been reported.
          if (once.diagnostics.length === 0) expect(canonical(once.value)).toBe(before)
          roundTrip(once.value)
        },
      ),
      { numRuns: 300 },
    )
  })

  test(`${article} ${what} that is not an object of a known shape is read and written without an exception.`, () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), oddJson), body => void roundTrip(parsed(body))))
  })

  test(`${article} ${what} is read by its own keys only.`, () => {
    fc.assert(
      fc.property(bodies.map(parsed), body => {
        expect(roundTrip(Object.create(body) as JsonObject)).toEqual(roundTrip({}))
      }),
      { numRuns: 20 },
    )
  })

  test(`${article} ${what} with values nested deeper than can be written as JSON is read and written.`, () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown
    fc.assert(
      fc.property(bodies.map(parsed), fc.nat(), (body, n) => {
        replaceValue(body, n, { deep })
        roundTrip(body)
      }),
      { numRuns: 50 },
    )
  })
}

/** Values that a wire may meet in the place of others; the words are types that several wires know. */
const oddJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, '', 0, -1, [], {}, [null], ['a', ''], '__proto__', 'toString'),
  fc.record(
    {
      type: fc.constantFrom('text', 'input_text', 'tool_use', 'tool_result', 'image', 'function', 'x'),
      text: fc.jsonValue({ maxDepth: 1 }),
      content: fc.jsonValue({ maxDepth: 2 }),
      name: fc.constantFrom('n', '', null),
      input: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: ['type'] },
  ),
)

type Holder = JsonObject | unknown[]

function holdersIn(value: unknown, found: Holder[] = []): Holder[] {
  if (!Array.isArray(value) && !isObject(value)) return found
  found.push(value)
  for (const inner of Object.values(value)) holdersIn(inner, found)
  return found
}

const objectsIn = (value: unknown): JsonObject[] => holdersIn(value).filter(isObject)

/** Also for `__proto__`, as a JSON parser does it. */
function addField(target: Holder, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Puts the value in the place of one of those that the body holds, at whatever depth. */
function replaceValue(body: JsonObject, n: number, value: unknown): void {
  const places = holdersIn(body).flatMap(holder => Object.keys(holder).map(key => [holder, key] as const))
  const [holder, key] = places[n % places.length] ?? [body, 'x']
  addField(holder, key, value)
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
function describeAnswers({ conversation }: WireDefinition, { finishes }: WireSamples): void {
  const through = (answer: Answer): Answer =>
    conversation.decodeAnswer(parsed(conversation.encodeAnswer(answer, contextOf(), () => {})), () => {})

  test.each(reasons)(
    'An answer that ended by "%s" is read again as one that did, or as the nearest.',
    reason => {
      const parts = reason === 'calls' ? [text, call] : [text]
      expect(through(answerOf(reason, ...parts)).finish.reason).toBe(finishes[reason] ?? reason)
    },
  )

  test('An answer that was cut short has no complete call at its end.', () => {
    const read = through(answerOf('length', text, call, { ...call, id: 'call_2', status: 'incomplete' }))
    const calls = read.turns.flatMap(({ parts }) => parts).filter(part => part.kind === 'call')
    expect(calls.map(({ status }) => status === 'incomplete')).toEqual([false, true])
    expect(read.finish.reason).toBe('length')
  })

  test.each(errorKinds)('An error of the kind "%s" is read again as one.', kind => {
    const error: ApiError = { kind, message: 'It failed.' }
    const read = through({ turns: [], finish: { reason: 'failed' }, error })
    expect(read).toMatchObject({ turns: [], finish: { reason: 'failed' }, error })
  })

  test('A token count is read again as it was, with the shares of it.', () => {
    const usage: Usage = { input: 100, output: 7, cacheRead: 40, cacheWrite: 10, reasoning: 3 }
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
    expect(parts.filter(({ kind }) => kind === 'text').length).toBeGreaterThan(count)
  })
}

function describeTools({ tools }: WireDefinition, samples: WireSamples): void {
  test('Valid tools come back as they were, and nothing is reported.', () => {
    fc.assert(
      fc.property(samples.tools.map(parsed), list => {
        const { report, diagnostics } = createReport()
        const body = { tools: list }
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
        const body = { tools: list }
        replaceValue(body, n, value)
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

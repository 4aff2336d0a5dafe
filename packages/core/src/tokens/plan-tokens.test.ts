import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createExchange } from '../index.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import { outputLimitOf } from './model-limits.ts'
import { planTokens, type TokenBudgetPolicy, tokenPolicies } from './plan-tokens.ts'
import { calculateOptimalTokens, calculateToolTokens, type OptimalTokensRequest } from './seed-formulas.ts'

const list = (length: number): object[] => Array.from({ length }, () => ({ role: 'user', content: 'x' }))
const tools = (length: number): object[] =>
  Array.from({ length }, (_, i) => ({ type: 'function', function: { name: `f${i}`, parameters: {} } }))

describe('[S002.11] calculateToolTokens', () => {
  test.each([
    [0, 4000, 4000],
    [1, 100, 15000],
    [3, 4000, 15000],
    [3, 8000, 16000],
    [3, 20000, 40000],
    [20, 4000, 29000],
  ])('For %i tools and %i tokens calculateToolTokens returns %i.', (count, base, tokens) => {
    expect(calculateToolTokens(tools(count), base)).toBe(tokens)
  })

  test('Without a list there are no tools, and a base that is not a number counts as 0.', () => {
    expect([null, undefined, 'abc' as never].map(none => calculateToolTokens(none, 700))).toEqual([
      700, 700, 700,
    ])
    for (const base of [Number.NaN, -5, Number.POSITIVE_INFINITY, '9' as never]) {
      expect(calculateToolTokens([], base)).toBe(0)
      expect(calculateToolTokens(tools(12), base)).toBe(17000)
    }
  })
})

describe('[S002.16] calculateOptimalTokens', () => {
  test.each<[OptimalTokensRequest, number]>([
    [{ model: 'm', messages: list(1) }, 4000],
    [{ model: 'm', messages: list(1), max_tokens: 0 }, 4000],
    [{ model: 'm', messages: list(1), max_tokens: 100, tools: tools(4) }, 230],
    [{ model: 'm', messages: list(1), tools: tools(1) }, 6800],
    [{ model: 'm', messages: list(5) }, 4000],
    [{ model: 'm', messages: list(6) }, 5200],
    [{ model: 'o4-mini', messages: list(1) }, 20000],
    [{ model: 'o3-mini', messages: list(1) }, 15000],
    [{ model: 'o4-mini-o3', messages: list(6), max_tokens: 30000 }, 31200],
    [{ model: 'gpt-4o', messages: list(100), max_tokens: 16000, tools: tools(5) }, 16384],
    [{ messages: list(1) }, 4000],
    [{}, 4000],
    [{ max_tokens: -1 }, 4000],
    [{ max_tokens: Number.NaN, tools: 'x' as never, messages: 7 as never, model: 5 as never }, 4000],
    [null as never, 4000],
  ])('For %j calculateOptimalTokens returns %i.', (request, tokens) => {
    expect(calculateOptimalTokens(request)).toBe(tokens)
  })

  test('The largest output of a model can be given.', () => {
    const request = { model: 'house-model-2', max_tokens: 9000 }
    expect(calculateOptimalTokens(request)).toBe(9000)
    expect(calculateOptimalTokens(request, { models: { 'house-model': 5000 } })).toBe(5000)
    expect(
      calculateOptimalTokens({ model: 'gpt-4o', max_tokens: 90000 }, { models: { 'gpt-4o': 40000 } }),
    ).toBe(40000)
  })
})

test("The largest output is found by whole words of the model's name.", () => {
  expect(
    ['gpt-4-0613', 'gpt-4.1-mini', 'openai/o3', 'gpt-4.2', 'o33', '', 7, 'toString'].map(m =>
      outputLimitOf(m),
    ),
  ).toEqual([8192, 32768, 100000, undefined, undefined, undefined, undefined, undefined])
  expect(outputLimitOf('claude-opus-4-6')).toBe(128000)
  expect(outputLimitOf('claude-opus-4-9')).toBeUndefined()
})

describe('[C16] planTokens without a policy', () => {
  test.each([
    ['chat', { max_completion_tokens: 5 }, 5, 'max_completion_tokens'],
    ['chat', { max_tokens: 5, tools: tools(9) }, 5, 'max_tokens'],
    ['responses', { max_output_tokens: 5000, model: 'gpt-4', input: 'x' }, 5000, 'max_output_tokens'],
    ['messages', { max_tokens: 1 }, 1, 'max_tokens'],
    [
      'chat',
      { model: 'o3', max_tokens: 900_000, tools: tools(9), messages: list(12) },
      900_000,
      'max_tokens',
    ],
    ['chat', { model: 'o4-mini', max_tokens: 20, tools: tools(1), messages: list(12) }, 20, 'max_tokens'],
    ['messages', { model: 'claude-opus-4-6', max_tokens: 7, messages: list(12) }, 7, 'max_tokens'],
    ['chat', {}, undefined, 'max_completion_tokens'],
    ['chat', { max_completion_tokens: 'many' }, undefined, 'max_completion_tokens'],
    ['responses', { max_output_tokens: null }, undefined, 'max_output_tokens'],
    ['chat', { max_completion_tokens: Number.NaN }, undefined, 'max_completion_tokens'],
  ] as const)('On %s the body %j passes through without a policy.', (wire, body, cap, field) => {
    const plan = planTokens(body, { wire })
    expect(plan).toEqual({
      maxOutputTokens: cap,
      field,
      changed: false,
      reasons: [],
      diagnostics: [],
      value: body,
    })
    expect(plan.value).toBe(body)
  })

  test.each([
    ['responses', 'max_output_tokens', 3, 16],
    ['chat', 'max_tokens', -4, 1],
    ['messages', 'max_tokens', 0, 1],
  ] as const)('On %s a %s of %i is raised to the minimum of the API.', (wire, field, given, least) => {
    const plan = planTokens({ [field]: given, model: 'm' }, { wire })
    expect(plan).toMatchObject({
      maxOutputTokens: least,
      changed: true,
      value: { [field]: least, model: 'm' },
    })
    expect(plan.diagnostics).toMatchObject([{ code: 'output_limit_raised', path: [field] }])
  })

  test('A value that is not a body is reported.', () => {
    const plan = planTokens([], { wire: 'chat' })
    expect(plan).toMatchObject({ changed: false, diagnostics: [{ code: 'invalid_request' }] })
  })
})

describe('[C16] a request on its way to another wire', () => {
  const fields = {
    chat: 'max_completion_tokens',
    responses: 'max_output_tokens',
    messages: 'max_tokens',
  } as const
  const wires = ['chat', 'responses', 'messages'] as const
  const pairs = wires.flatMap(from => wires.map(to => ({ from, to })))
  const tool = { name: 'f', parameters: { type: 'object', properties: {} } }
  const turns = Array.from({ length: 12 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: 'x',
  }))
  const bodies = {
    chat: { messages: turns, tools: [{ type: 'function', function: tool }] },
    responses: { input: turns, tools: [{ type: 'function', ...tool }] },
    messages: { messages: turns, tools: [{ name: 'f', input_schema: tool.parameters }] },
  }
  const send = (from: Wire, to: Wire, more: object) => {
    const { value, diagnostics } = createExchange({ from, to }).request({ ...bodies[from], ...more })
    const caps = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'].flatMap(key => value[key] ?? [])
    const said = diagnostics.filter(({ code }) => code.startsWith('output_limit'))
    return { caps, said: said.map(({ code, path }) => [code, path]) }
  }

  test.each(pairs)('From $from to $to, a cap that the API takes arrives unchanged.', ({ from, to }) => {
    for (const model of ['o3', 'o4-mini', 'gpt-4', 'claude-opus-4-6', 'm']) {
      for (const cap of [16, 17, 100, 4000, 16_385, 200_000, 10_000_000]) {
        expect(send(from, to, { model, [fields[from]]: cap })).toEqual({ caps: [cap], said: [] })
      }
    }
  })

  test('A cap below the minimum of the API is raised to it, and that is reported.', () => {
    const raised = { caps: [16], said: [['output_limit_raised', ['max_completion_tokens']]] }
    expect(send('chat', 'responses', { model: 'm', max_completion_tokens: 3 })).toEqual(raised)
    expect(send('responses', 'chat', { model: 'm', max_output_tokens: 3 })).toEqual({ caps: [3], said: [] })
  })

  test('No cap stays no cap, except for an API that requires one.', () => {
    for (const { from, to } of pairs.filter(pair => pair.from !== 'messages')) {
      const { caps, said } = send(from, to, { model: 'o3' })
      const isDemanded = to === 'messages'
      expect(caps).toHaveLength(isDemanded ? 1 : 0)
      expect(said).toEqual(isDemanded ? [['output_limit_added', []]] : [])
    }
  })
})

describe('[C16] planTokens with a policy', () => {
  test('The seed formulas are two of the policies.', () => {
    const request = fc.record(
      {
        model: fc.constantFrom('o4-mini', 'o3', 'gpt-4o', 'unknown'),
        max_tokens: fc.integer({ min: 1, max: 1_000_000_000 }),
        messages: fc.nat(12).map(list),
        tools: fc.nat(130).map(tools),
      },
      { requiredKeys: ['messages'] },
    )
    fc.assert(
      fc.property(request, body => {
        const optimal = planTokens(body, { wire: 'chat', policy: tokenPolicies.optimalTokens })
        expect(optimal.maxOutputTokens).toBe(calculateOptimalTokens(body))
        const { max_tokens: given } = body
        if (given === undefined) return
        const forTools = planTokens(body, { wire: 'chat', policy: tokenPolicies.toolTokens })
        expect(forTools.maxOutputTokens).toBe(calculateToolTokens(body.tools, given))
      }),
    )
  })

  test("Each step of a policy has a reason, and the cap stays in the caller's field.", () => {
    const policy: TokenBudgetPolicy = {
      multiplier: 1.5,
      floor: 500,
      history: { above: 0, perItem: 10 },
      modelCap: true,
    }
    const body = { model: 'm', max_tokens: 100, messages: list(2) }
    const plan = planTokens(body, { wire: 'chat', policy, models: { m: 505 } })
    expect(plan.value).toEqual({ ...body, max_tokens: 505 })
    expect(plan.reasons).toEqual([
      'The cap is taken 1.5 times.',
      'At least 500.',
      'A history of 2.',
      'The model gives at most 505.',
    ])
  })

  test('No cap stays no cap unless the policy has a base.', () => {
    expect(planTokens({}, { wire: 'chat', policy: { floor: 900 } }).changed).toBe(false)
    const plan = planTokens({}, { wire: 'responses', policy: { base: 900 } })
    expect(plan).toMatchObject({ maxOutputTokens: 900, changed: true, value: { max_output_tokens: 900 } })
  })

  test.each([
    [{ floor: -1 }, '"policy.floor" must be a number of 0 or more; got -1.'],
    [
      { withTools: { perTool: 'x' as never } },
      '"policy.withTools.perTool" must be a number of 0 or more; got "x".',
    ],
    [{ modelFloors: [['o3', Number.NaN]] as const }, '"policy.modelFloors "o3"" must be'],
  ])('The policy %j is refused.', (policy, message) => {
    expect(() => planTokens({}, { wire: 'chat', policy })).toThrow(message)
  })
})

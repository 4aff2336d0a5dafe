/**
 * A search for slow inputs: families of hostile inputs, each at one size and at twice that, for every entry point of the
 * library and every route of the gateway. What is done for the second half may not be much more than for the first.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Gateway } from '../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Transport } from '../../packages/toolwire/src/gateway/http/contract.ts'
import type { RequestOptions } from '../support/faults/request.ts'
import { sendTo } from '../support/faults/request.ts'
import { paths } from '../support/faults/wires.ts'
import type { WorkCounter } from '../support/house/count-work.ts'
import { openWorkCounter } from '../support/house/count-work.ts'
import {
  answerFamilies,
  historyFamilies,
  schemaFamilies,
  toolFamilies,
  values,
} from '../support/house/hostile-inputs.ts'
import { callOf, stepModel } from '../support/step-model.ts'
import { wires } from '../support/wires.ts'

type Everything = typeof import('../support/house/work-entry.ts')

let counter: WorkCounter<Everything>

beforeAll(async () => {
  counter = await openWorkCounter<Everything>('test/support/house/work-entry.ts')
})
afterAll(() => counter.close())

const size = 100
/** Linear is 2, and n log n about 2.3; the square is 4. */
const mostGrowth = 2.7
/** Less work than this is as good as none. */
const leastWork = 20_000

/** Which inputs take more than linear work. */
async function slowInputs<T>(
  families: Readonly<Record<string, (n: number) => T>>,
  run: (input: T) => unknown,
): Promise<string[]> {
  const slow: string[] = []
  for (const [name, make] of Object.entries(families)) {
    const work = async (n: number): Promise<number> => {
      const input = make(n)
      return counter.count(() => run(input))
    }
    const none = await work(1)
    const growth = async (n: number): Promise<number> => {
      const [once, twice] = [await work(n), await work(2 * n)]
      return twice < leastWork ? 0 : (twice - none) / Math.max(1, once - none)
    }
    // At one size, a way that is only taken for large inputs may begin; at two, it is a way that grows.
    if ((await growth(size)) <= mostGrowth) continue
    const found = await growth(8 * size)
    if (found > mostGrowth) slow.push(`${name}: ${found.toFixed(1)} times the work for twice the input`)
  }
  return slow
}

test('The search finds what takes work in the square of its input.', async () => {
  const families = { square: (n: number) => new Array<number>(5 * n).fill(0), once: () => [0] }
  const slow = await slowInputs(families, list => list.map(() => list.includes(1)))
  expect(slow).toEqual([expect.stringContaining('square: 4.0 times')])
})

const pairs = wires.flatMap(from => wires.map(to => [from, to] as const))

describe.each(pairs)('from %s to %s', (from, to) => {
  test('Converting tools takes linear work.', { timeout: 300_000 }, async () => {
    const { convertToolParams } = counter.module.core
    const families = toolFamilies(from)
    expect(await slowInputs(families, tools => convertToolParams({ tools }, { from, to }))).toEqual([])
  })

  test('Converting a request takes linear work.', { timeout: 300_000 }, async () => {
    const { createExchange } = counter.module.core
    const request = (body: object): unknown => {
      const exchange = createExchange({ from, to })
      exchange.request({ model: 'm', ...body })
      return exchange.isPassthrough
    }
    expect(await slowInputs(historyFamilies(from), request)).toEqual([])
  })

  test('Converting an answer takes linear work.', { timeout: 300_000 }, async () => {
    const { createExchange } = counter.module.core
    const tools = toolFamilies(from).tools?.(1)
    const answer = (body: object): unknown => {
      const exchange = createExchange({ from, to })
      exchange.request({ model: 'm', tools })
      return exchange.response(body)
    }
    expect(await slowInputs(answerFamilies(to), answer)).toEqual([])
  })

  test('Converting a stream takes linear work, whatever its pieces.', { timeout: 300_000 }, async () => {
    const { createExchange } = counter.module.core
    const stream = (frames: readonly string[]): unknown => {
      const exchange = createExchange({ from, to })
      exchange.request({ model: 'm' })
      const output = exchange.stream()
      for (const frame of frames) output.push(frame)
      return output.end()
    }
    expect(await slowInputs(streamFamilies(to), stream)).toEqual([])
  })
})

/** Streams of the wire: the answers of an upstream as one event, odd events, and bytes that are no events. */
function streamFamilies(wire: Wire): Readonly<Record<string, (n: number) => string[]>> {
  const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
  const cut = (text: string): string[] =>
    Array.from({ length: Math.ceil(text.length / 7) }, (_, i) => text.slice(i * 7, i * 7 + 7))
  const families: Record<string, (n: number) => string[]> = {
    'empty events': n => Array.from({ length: n }, () => 'data: {}\n\n'),
    'events of one kind': n => Array.from({ length: n }, (_, i) => event({ type: `t${i}` })),
    'lines without an end': n => cut(`data: ${'a'.repeat(n * 20)}`),
    'lines of one event': n => cut('data: a\n'.repeat(n)),
    'line ends': n => cut('\r\n'.repeat(n * 5)),
    'fields that nobody knows': n => cut('x: y\n'.repeat(n)),
    comments: n => cut(': hello\n\n'.repeat(n)),
  }
  for (const [name, make] of Object.entries(answerFamilies(wire)))
    families[`event: ${name}`] = n => [event(make(n))]
  return families
}

describe.each(wires)('of %s', wire => {
  test('Linting tools takes linear work.', { timeout: 300_000 }, async () => {
    const { lintTools } = counter.module.lint
    expect(await slowInputs(toolFamilies(wire), tools => lintTools(tools as object[], { wire }))).toEqual([])
  })

  test('Counting tokens and trimming a history take linear work.', { timeout: 300_000 }, async () => {
    const { countRequest, estimateCounter: counted, trimHistory } = counter.module.tokens
    const families = historyFamilies(wire)
    expect(await slowInputs(families, body => countRequest(body, { wire, counter: counted }))).toEqual([])
    expect(
      await slowInputs(families, body => trimHistory(body, { wire, counter: counted, maxTokens: 50 })),
    ).toEqual([])
  })
})

test('Every pass over a schema takes linear work.', { timeout: 300_000 }, async () => {
  const { checkStrict, inlineRefs, minify, normalize, strictify, toChatDialect, toMessagesDialect } =
    counter.module.schema
  for (const pass of [
    checkStrict,
    inlineRefs,
    minify,
    normalize,
    strictify,
    toChatDialect,
    toMessagesDialect,
  ]) {
    expect(await slowInputs(schemaFamilies, schema => pass(schema)), pass.name).toEqual([])
  }
})

test('A validator takes linear work for its schema and for its values.', { timeout: 300_000 }, async () => {
  const { createValidator } = counter.module.schema
  expect(await slowInputs(schemaFamilies, schema => createValidator(schema).validate({ a: 'a' }))).toEqual([])
  const schema = {
    type: 'object',
    properties: { a: { type: 'array', uniqueItems: true, items: { type: ['integer', 'object'] } } },
    additionalProperties: { type: 'string', pattern: '^(a|b)*c$', format: 'email' },
    propertyNames: { pattern: '^[a-z0-9]+$' },
  }
  const validator = createValidator(schema)
  expect(await slowInputs(values, value => validator.validate({ a: value, b: value }))).toEqual([])
  expect(await slowInputs(values, value => validator.validate(value))).toEqual([])
})

test('Running calls with hostile arguments takes linear work.', { timeout: 300_000 }, async () => {
  const { defineTool, runToolCalls } = counter.module.core
  const parameters = { type: 'object', properties: { a: { type: 'string' } } } as const
  const tools = [defineTool({ name: 'f', description: 'd', parameters, handler: () => 'done' })]
  const run = (text: unknown): unknown =>
    runToolCalls(
      [{ id: 'c', name: 'f', arguments: typeof text === 'string' ? text : JSON.stringify(text) }],
      { tools },
    )
  expect(await slowInputs(values, run)).toEqual([])
})

test('A step takes linear work, whatever the model answers.', { timeout: 300_000 }, async () => {
  const { defineStep, runStep } = counter.module.steps
  const outputSchema = { type: 'object', properties: { a: { type: 'string' } } } as const
  const step = defineStep({ name: 'f', outputSchema, maxRetries: 1 })
  const run = (value: unknown): unknown => {
    const answer = callOf('f', typeof value === 'string' ? value : { a: value })
    return runStep(step, '', { model: stepModel(answer, answer) })
  }
  expect(await slowInputs(values, run)).toEqual([])
})

test('The functions under OpenAI’s names take linear work.', { timeout: 300_000 }, async () => {
  const { convertJsonSchemaToOpenAI } = counter.module.openai
  expect(await slowInputs(schemaFamilies, schema => convertJsonSchemaToOpenAI(schema as object))).toEqual([])
})

describe('a gateway', () => {
  /** An upstream that says what it is told to. */
  function open(wire: Wire, answer: () => unknown): Gateway {
    const transport: Transport = (_request, receiver) => {
      queueMicrotask(() => {
        receiver.head(200, { 'content-type': 'application/json' })
        receiver.data(Buffer.from(JSON.stringify(answer())))
        receiver.end()
      })
      return { pause: () => {}, resume: () => {}, abort: () => {} }
    }
    return counter.module.gateway.createGateway({
      upstreams: [{ name: 'u', wire, baseUrl: 'http://u.invalid/v1', transport }],
      store: counter.module.gateway.createMemoryStore(),
      keys: ['key-one', 'key-two'],
      losses: 'allow',
    })
  }

  const send = (gateway: Gateway, path: string, options: RequestOptions): Promise<void> =>
    sendTo(gateway, path, { ...options, headers: { authorization: 'Bearer key-one', ...options.headers } })
      .done

  test.each(wires)(
    'A request on the %s wire takes linear work, whatever is in it.',
    { timeout: 300_000 },
    async wire => {
      const other = wire === 'chat' ? 'messages' : 'chat'
      const gateway = open(other, () => answerFamilies(other).calls?.(1))
      const post = (body: object): Promise<void> =>
        send(gateway, paths[wire], { body: { model: 'm', store: false, ...body } })
      expect(await slowInputs(historyFamilies(wire), post)).toEqual([])
      expect(await slowInputs(values, model => post({ model }))).toEqual([])
    },
  )

  test.each(wires)(
    'An answer to the %s wire takes linear work, whatever is in it.',
    { timeout: 300_000 },
    async wire => {
      const other = wire === 'chat' ? 'messages' : 'chat'
      let answer: object = {}
      const gateway = open(other, () => answer)
      const ask = (given: object): Promise<void> => {
        answer = given
        return send(gateway, paths[wire], {
          body: { model: 'm', input: 'a', messages: [{ role: 'user', content: 'a' }] },
        })
      }
      expect(await slowInputs(answerFamilies(other), ask)).toEqual([])
    },
  )

  const routes = [
    'GET /v1/models',
    'GET /v1/responses/resp_1',
    'DELETE /v1/responses/resp_1',
    'GET /v1/responses/resp_1/input_items',
    'POST /v1/conversations',
    'POST /v1/conversations/conv_1',
    'POST /v1/conversations/conv_1/items',
    'GET /v1/conversations/conv_1/items',
    'POST /v1/messages/count_tokens',
    'GET /nothing/here',
  ]

  test.each(routes)(
    '%s takes linear work, whatever is in its body, path, query and headers.',
    { timeout: 300_000 },
    async route => {
      const gateway = open('chat', () => ({}))
      const [method = '', path = ''] = route.split(' ')
      const bodies = method === 'POST' ? { ...values, ...historyFamilies('messages') } : {}
      const post = (body: unknown): Promise<void> =>
        send(gateway, path, {
          method,
          body: { model: 'm', items: body, metadata: body, ...(body as object) },
        })
      expect(await slowInputs(bodies, post)).toEqual([])
      const texts = Object.fromEntries(
        ['a', '%', '%41', '&a=', '?', '/', ';', '"', '{', '..'].map(text => [
          text,
          (n: number) => text.repeat(n * 5),
        ]),
      )
      const options = method === 'POST' ? { method, body: {} } : { method }
      expect(
        await slowInputs(texts, text => send(gateway, `${path}/${text}?limit=${text}&${text}`, options)),
      ).toEqual([])
      expect(
        await slowInputs(texts, text =>
          send(gateway, path, {
            ...options,
            headers: { authorization: text, origin: text, cookie: text, 'x-toolwire-report': text },
          }),
        ),
      ).toEqual([])
      const many = (n: number): Record<string, string> =>
        Object.fromEntries(Array.from({ length: n }, (_, i) => [`x-${i}`, 'a']))
      expect(await slowInputs({ many }, headers => send(gateway, path, { ...options, headers }))).toEqual([])
    },
  )
})

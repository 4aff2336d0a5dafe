import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createTestHost } from '../../testing/test-host.ts'
import { defineTool } from '../tools/define-tool.ts'
import { ToolRegistry } from '../tools/registry.ts'
import type { CallOutcome, ToolCall } from './outcome.ts'
import { runCallsWith } from './run-calls.ts'
import type { CallEvent, RunCallsOptions } from './run-options.ts'

const call = (id: string, name: string, args: unknown = {}): ToolCall => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
})

async function run(calls: readonly ToolCall[], options: RunCallsOptions): Promise<CallOutcome[]> {
  const host = createTestHost()
  const running = runCallsWith(host, calls, options)
  await host.runAll()
  const outcomes = await running
  expect([host.timers, host.listeners]).toEqual([0, 0])
  return outcomes
}

const textOf = ({ content }: CallOutcome): string =>
  content.map(part => (part.kind === 'text' ? part.text : part.kind)).join('|')
const failureOf = (outcome: CallOutcome | undefined): unknown => JSON.parse(textOf(outcome as CallOutcome))

const echo = defineTool({
  name: 'echo',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ text }) => text,
})
const fails = defineTool({
  name: 'fails',
  handler: () => {
    throw Object.assign(new Error('The disk is full'), { code: 'ENOSPC' })
  },
})

describe('results', () => {
  test('A run starts all parallel calls at once and returns their results in the order of the calls. [S002.10] [S002.13]', async () => {
    const host = createTestHost()
    const log: string[] = []
    const slow = defineTool({
      name: 'slow',
      parameters: { type: 'object', properties: { ms: { type: 'number' } }, required: ['ms'] },
      handler: ({ ms }) => {
        log.push(`${ms} starts`)
        return new Promise<number>(resolve => void host.after(ms, () => resolve(ms))).finally(() =>
          log.push(`${ms} ends`),
        )
      },
    })
    const running = runCallsWith(
      host,
      [call('a', 'slow', { ms: 30 }), call('b', 'echo', { text: 'hi' }), call('c', 'slow', { ms: 10 })],
      { tools: new ToolRegistry([slow, echo]) },
    )
    await host.runAll()
    const outcomes = await running
    expect(log).toEqual(['30 starts', '10 starts', '10 ends', '30 ends'])
    expect(outcomes.map(({ call: { id }, status }) => [id, status])).toEqual([
      ['a', 'ok'],
      ['b', 'ok'],
      ['c', 'ok'],
    ])
    expect(outcomes.map(textOf)).toEqual(['30', 'hi', '10'])
    expect(outcomes[0]).toMatchObject({ value: 30, isError: false, fatal: false, attempts: 1, cut: false })
    expect([host.timers, host.listeners]).toEqual([0, 0])
  })

  test('The results of other calls stay when one throws. [S002.10] [field G07]', async () => {
    const outcomes = await run(
      [call('1', 'echo', { text: 'a' }), call('2', 'fails'), call('3', 'echo', { text: 'c' })],
      { tools: [echo, fails] },
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['ok', 'failed', 'ok'])
    expect(outcomes.map(({ call: { id } }) => id)).toEqual(['1', '2', '3'])
  })

  test('The model gets a failure as JSON with message and code, and never the stack. [S002.15]', async () => {
    const [outcome] = await run([call('1', 'fails')], { tools: [fails] })
    expect(failureOf(outcome)).toEqual({ error: true, message: 'The disk is full', code: 'ENOSPC' })
    expect(outcome?.isError).toBe(true)
    expect(outcome?.error?.cause).toBeInstanceOf(Error)
  })

  test.each([
    ['a text', 'broken', 'broken'],
    ['null', null, 'The tool failed without saying why.'],
    ['undefined', undefined, 'The tool failed without saying why.'],
    ['a frozen object', Object.freeze({ message: 'frozen' }), 'frozen'],
    ['an object', { reason: 1 }, '{"reason":1}'],
    ['a number', 7, '7'],
    ['an error without a message', new RangeError(), 'RangeError'],
    [
      'an object that throws when looked at',
      {
        get message(): string {
          throw new Error('no')
        },
        get code(): string {
          throw new Error('no')
        },
        toString(): string {
          throw new Error('no')
        },
      },
      'The tool failed without saying why.',
    ],
  ])('A handler may throw %s.', async (_, thrown, message) => {
    const both = [
      defineTool({
        name: 'now',
        handler: () => {
          throw thrown
        },
      }),
      defineTool({ name: 'later', handler: () => Promise.reject(thrown) }),
    ]
    for (const outcome of await run([call('1', 'now'), call('2', 'later')], { tools: both })) {
      expect(failureOf(outcome)).toEqual({ error: true, message, code: 'execution_error' })
    }
  })

  test('A handler may return a thenable, even one that settles twice or throws.', async () => {
    const twice = {
      // biome-ignore lint/suspicious/noThenProperty: a foreign promise is what is tested
      then(resolve: (value: string) => void, reject: (why: unknown) => void) {
        resolve('first')
        reject(new Error('second'))
        throw new Error('third')
      },
    }
    const bad = {
      // biome-ignore lint/suspicious/noThenProperty: a foreign promise is what is tested
      get then(): never {
        throw new Error('cannot be waited for')
      },
    }
    const tools = [
      defineTool({ name: 'twice', handler: () => twice }),
      defineTool({ name: 'bad', handler: () => bad }),
    ]
    const outcomes = await run([call('1', 'twice'), call('2', 'bad')], { tools })
    expect(outcomes.map(({ status }) => status)).toEqual(['ok', 'failed'])
    expect(textOf(outcomes[0] as CallOutcome)).toBe('first')
    expect(outcomes[1]?.error?.message).toBe('cannot be waited for')
  })

  test('A long error message is cut so that it stays valid JSON.', async () => {
    const loud = defineTool({
      name: 'loud',
      handler: () => {
        throw new Error('x'.repeat(5000))
      },
    })
    const [outcome] = await run([call('1', 'loud')], { tools: [loud], maxResultLength: 200 })
    expect(outcome?.cut).toBe(true)
    expect(failureOf(outcome)).toMatchObject({
      message: expect.stringMatching(/^x+\[… \d+ of 5000 characters left out …\]x+$/),
    })
  })
})

describe('calls that are not run', () => {
  test('The error for an unknown tool lists the tools there are. [S002.19]', async () => {
    const [outcome] = await run([call('1', 'ecko', {})], { tools: [echo, fails] })
    expect(outcome).toMatchObject({ status: 'failed', attempts: 0, error: { code: 'unknown_tool' } })
    expect(outcome?.error?.message).toBe(
      'There is no tool named "ecko". Did you mean "echo"? The tools are "echo", "fails".',
    )
    const [other] = await run([{ ...call('1', 'echo'), namespace: 'crm' }], { tools: [echo] })
    expect(other?.error?.message).toContain('"crm.echo"')
  })

  test('Names such as __proto__ are known only if they were declared.', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const [outcome] = await run([call('1', name)], { tools: [] })
      expect(outcome?.error?.code).toBe('unknown_tool')
    }
  })

  test('A truncated call is never run, even if its text parses. [field G11]', async () => {
    let ran = 0
    const write = defineTool({ name: 'write', handler: () => ++ran })
    const [outcome] = await run([{ ...call('1', 'write', { file_path: 'x' }), truncated: true }], {
      tools: [write],
      repairArguments: true,
    })
    expect(ran).toBe(0)
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'truncated_call' } })
    expect(outcome?.error?.message).toMatch(/cut off.*smaller/)
  })

  test('A call of a tool without a handler fails with a clear message.', async () => {
    const [outcome] = await run([call('1', 'bare')], { tools: [defineTool({ name: 'bare' })] })
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'no_handler' } })
  })

  test('Invalid arguments are never changed; the model gets every issue. [C28] [S002.19]', async () => {
    const seen: unknown[] = []
    const book = defineTool({
      name: 'book',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' }, nights: { type: 'integer' } },
        required: ['city'],
      },
      handler: args => void seen.push(args),
    })
    const outcomes = await run(
      [call('1', 'book', '{"city": "Oslo"'), call('2', 'book', { nights: 'two' }), call('3', 'book', '[]')],
      { tools: [book] },
    )
    expect(seen).toEqual([])
    expect(outcomes.map(({ error }) => error?.code)).toEqual([
      'invalid_json',
      'invalid_arguments',
      'invalid_arguments',
    ])
    expect(outcomes[1]?.error?.message).toContain('\n- missing required property "city"')
    expect(outcomes[1]?.error?.message).toContain('\n- /nights ')
  })

  test('The handler gets what the schema library returned, and its issues are listed with paths.', async () => {
    const seen: unknown[] = []
    const tool = defineTool({
      name: 'trip',
      parameters: z.object({ stops: z.array(z.object({ city: z.string() })), days: z.number().default(3) }),
      handler: args => void seen.push(args),
    })
    const outcomes = await run(
      [call('1', 'trip', { stops: [{ city: 'Oslo' }] }), call('2', 'trip', { stops: [{ city: 1 }] })],
      { tools: [tool] },
    )
    expect(seen).toEqual([{ stops: [{ city: 'Oslo' }], days: 3 }])
    expect(outcomes[1]?.error?.message).toContain('\n- /stops/0/city: ')
  })

  test('A call whose schema could not be checked is not run.', async () => {
    const tool = defineTool({
      name: 'odd',
      schema: {
        '~standard': {
          version: 1,
          vendor: 'own',
          validate: async () => Promise.reject(new Error('the rules are down')),
        },
      },
      parameters: { type: 'object' },
      handler: () => 'ran',
    })
    const [outcome] = await run([call('1', 'odd')], { tools: [tool] })
    expect(outcome).toMatchObject({ status: 'failed', attempts: 0, error: { code: 'invalid_arguments' } })
    expect(outcome?.error?.message).toContain('the rules are down')
  })

  test('Arguments are repaired only on request, and the outcome says so.', async () => {
    const calls = [call('1', 'echo', '{"text": "a",}')]
    expect((await run(calls, { tools: [echo] }))[0]).toMatchObject({ status: 'failed', repaired: false })
    const [repaired] = await run(calls, { tools: [echo], repairArguments: true })
    expect(repaired).toMatchObject({ status: 'ok', repaired: true, value: 'a' })
  })
})

describe('restored calls', () => {
  test('A restored call finds the tool by its original name, without the arguments that were added.', async () => {
    const undo: RunCallsOptions['undo'] = {
      restoreCall: call => ({
        kind: 'function',
        name: call.name.replace('__', '.'),
        arguments: call.arguments.replace(',"unit":null', ''),
      }),
    }
    const tool = defineTool({ name: 'demo.read', handler: args => args })
    const [outcome] = await run([call('1', 'demo__read', '{"a":1,"unit":null}')], { tools: [tool], undo })
    expect(outcome?.value).toEqual({ a: 1 })
    expect(outcome?.call.name).toBe('demo__read')
  })

  test('The free text of a custom call becomes the input.', async () => {
    const undo: RunCallsOptions['undo'] = {
      restoreCall: ({ name }) => ({ kind: 'custom', name, input: 'say "hi"' }),
    }
    const tool = defineTool({ name: 'shell', handler: args => args })
    const [outcome] = await run([call('1', 'shell', '')], { tools: [tool], undo })
    expect(outcome?.value).toEqual({ input: 'say "hi"' })
  })
})

describe('events', () => {
  test('Events report what happens, and a listener that throws changes nothing.', async () => {
    const events: CallEvent[] = []
    const tool = defineTool({
      name: 'steps',
      handler: (_, { progress }) => {
        progress(1)
        progress({ of: 2 })
        return 'done'
      },
    })
    const [outcome] = await run([call('1', 'steps'), call('2', 'gone')], {
      tools: [tool],
      onEvent(event) {
        events.push(event)
        throw new Error('listener')
      },
    })
    expect(outcome?.status).toBe('ok')
    expect(events.map(({ type, call: { id } }) => `${id} ${type}`)).toEqual([
      '2 call-finished',
      '1 call-started',
      '1 call-progress',
      '1 call-progress',
      '1 call-finished',
    ])
    const last = events.at(-1)
    expect(last?.type === 'call-finished' && last.outcome).toBe(outcome)
  })

  test('An asynchronous listener that fails is ignored.', async () => {
    const onEvent = async (): Promise<void> => Promise.reject(new Error('later'))
    expect((await run([call('1', 'echo', { text: 'a' })], { tools: [echo], onEvent }))[0]?.status).toBe('ok')
  })
})

describe('options', () => {
  test.each([
    [{ concurrency: 0 }, '"concurrency" must be a whole number of at least 1; got 0.'],
    [{ timeoutMs: -1 }, '"timeoutMs" must be'],
    [{ batchTimeoutMs: Number.NaN }, '"batchTimeoutMs" must be'],
    [{ retries: { attempts: 1.5 } }, '"retries.attempts" must be'],
    [{ maxResultLength: 0 }, '"maxResultLength" must be'],
    [{ tools: [echo, echo] }, 'Two tools are named "echo"'],
    [{ tools: [{ name: 'plain' } as never] }, 'made by defineTool'],
  ])('The options %j are refused.', async (wrong, message) => {
    await expect(runCallsWith(createTestHost(), [], { tools: [], ...wrong })).rejects.toThrow(message)
  })
})

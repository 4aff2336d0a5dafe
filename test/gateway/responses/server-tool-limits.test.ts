/** The bounds of tools that the gateway runs: how many, how long, which, and what happens when the upstream gives up. */
import { defineTool } from '@toolwire/core'
import type { ScriptedTurn } from '@toolwire/core/testing'
import { calls, createScriptedModel, fails, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { clients } from '../../support/open-responses/clients.ts'
import type { HarnessOptions, Json } from '../../support/open-responses/gateway.ts'
import { openHarness, transportTo } from '../../support/open-responses/gateway.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'

const upstreams = ['chat', 'messages'] as const
const ways = upstreams.flatMap(wire => [false, true].map(stream => ({ wire, stream })))

/** A tool that counts how often it was run. */
function createCounter(options: { readonly name?: string } = {}) {
  let runs = 0
  const tool = defineTool({ name: options.name ?? 'count', handler: () => `run ${++runs}` })
  return { tool, runs: () => runs }
}

const count = (n: number) =>
  calls(...Array.from({ length: n }, (_, i) => ({ name: 'count', arguments: {}, id: `c${i}` })))

async function respond(setting: ReturnType<typeof openHarness>, body: Json): Promise<Json> {
  const told = await setting.post('/v1/responses', { model: 'm', input: 'Go.', ...body })
  expect(told.status, told.text).toBe(200)
  if (body.stream !== true) return told.json()
  expect(checkStream(told.writes)).toEqual([])
  return eventsOf(told.text).at(-1)?.response as Json
}

const textOf = ({ output }: Json): string =>
  (output as { content?: { text: string }[] }[])
    .flatMap(({ content = [] }) => content.map(({ text }) => text))
    .join('')

describe.each(ways)('a Responses client, $wire upstream, stream: $stream', ({ wire, stream }) => {
  test('max_tool_calls limits the calls of all rounds together, and the model is informed.', async () => {
    const { tool, runs } = createCounter()
    const setting = openHarness(wire, [count(2), count(2), says('Done.')], { tools: [tool] })
    const response = await respond(setting, { stream, max_tool_calls: 3 })
    expect([textOf(response), response.max_tool_calls]).toEqual(['Done.', 3])
    expect(runs()).toBe(3)
    const results = setting.model.requests[2]?.results.map(({ text }) => text)
    expect(results?.slice(0, 3)).toEqual(['run 1', 'run 2', 'run 3'])
    expect(results?.[3]).toContain('max_tool_calls')
  })

  test('A tool that takes too long is aborted, and the model is informed.', async () => {
    const aborted: unknown[] = []
    const tool = defineTool({
      name: 'wait',
      handler: (_, context) =>
        new Promise((_resolve, reject) => {
          context?.signal.addEventListener('abort', () => {
            aborted.push(context.signal.reason)
            reject(context.signal.reason)
          })
        }),
    })
    const setting = openHarness(wire, [calls({ name: 'wait', arguments: {} }), says('Too slow.')], {
      tools: [tool],
      toolTimeoutMs: 5,
    })
    const response = await respond(setting, { stream })
    expect(textOf(response)).toBe('Too slow.')
    expect(aborted).toHaveLength(1)
    expect(setting.model.requests[1]?.results).toHaveLength(1)
    expect(setting.facts[0]?.toolRuns).toMatchObject([{ name: 'wait', status: 'timed_out' }])
  })

  test('With parallel_tool_calls: false one call of a round runs.', async () => {
    const { tool, runs } = createCounter()
    const setting = openHarness(wire, [count(3), says('Done.')], { tools: [tool] })
    const response = await respond(setting, { stream, parallel_tool_calls: false })
    expect(textOf(response)).toBe('Done.')
    expect(runs()).toBe(1)
    expect(setting.model.requests[1]?.calls).toHaveLength(1)
  })

  test('A call with invalid arguments does not run, and the model learns why.', async () => {
    const tool = defineTool({
      name: 'strictly',
      parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      handler: () => 'run',
    })
    const setting = openHarness(wire, [calls({ name: 'strictly', arguments: { n: 'x' } }), says('Ah.')], {
      tools: [tool],
    })
    expect(textOf(await respond(setting, { stream }))).toBe('Ah.')
    const [result] = setting.model.requests[1]?.results ?? []
    expect(result?.text).toMatch(/\bn\b/)
    expect(result?.text).not.toBe('run')
  })

  test('A tool of the client goes before one of the gateway with the same name.', async () => {
    const { tool, runs } = createCounter()
    const setting = openHarness(wire, [count(1)], { tools: [tool] })
    const response = await respond(setting, { stream, tools: [{ type: 'function', name: 'count' }] })
    expect(response.output).toMatchObject([{ type: 'function_call', name: 'count' }])
    expect(runs()).toBe(0)
    expect(setting.model.requests[0]?.toolNames).toEqual(['count'])
  })

  test('Tools of the gateway do not appear as tools of the client.', async () => {
    const { tool } = createCounter()
    const response = await respond(openHarness(wire, [says('Hi.')], { tools: [tool] }), { stream })
    expect(response.tools).toEqual([])
  })

  test('A call that tool_choice forbids does not run.', async () => {
    const { tool, runs } = createCounter()
    const setting = openHarness(wire, [count(1)], { tools: [tool] })
    await respond(setting, {
      stream,
      tools: [{ type: 'function', name: 'mine' }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'mine' }] },
    })
    expect(runs()).toBe(0)
  })

  test('Calls that the client did not see are restored in a chain as well. [field G01]', async () => {
    const { tool } = createCounter()
    const both = calls({ name: 'count', arguments: {}, id: 'c0' }, { name: 'mine', arguments: {}, id: 'm0' })
    const setting = openHarness(wire, [both, says('Done.')], { tools: [tool] })
    const tools = [{ type: 'function', name: 'mine' }]
    const first = await respond(setting, { stream, tools })
    expect(first.output).toMatchObject([{ type: 'function_call', name: 'mine', call_id: 'm0' }])
    await respond(setting, {
      stream,
      tools,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: 'm0', output: 'mine' }],
    })
    expect(setting.model.requests[1]?.results).toMatchObject([
      { callId: 'c0', text: 'run 1' },
      { callId: 'm0', text: 'mine' },
    ])
  })

  test('The answer fails when the upstream refuses the second round.', async () => {
    const { tool } = createCounter()
    const script = [{ ...count(1), text: 'Let me see.' }, fails(400, 'I am lost.')]
    const { post } = openHarness(wire, script, { tools: [tool] })
    const told = await post('/v1/responses', { model: 'm', input: 'Go.', stream })
    if (stream) {
      expect(checkStream(told.writes)).toEqual([])
      const last = eventsOf(told.text).at(-1)
      expect(last).toMatchObject({ type: 'response.failed', response: { error: { message: 'I am lost.' } } })
    } else expect([told.status, told.json().error]).toMatchObject([400, { message: 'I am lost.' }])
  })
})

describe('a client that leaves while a tool runs', () => {
  test.each(['chat', 'responses', 'messages'] as const)(
    'A client that leaves while a tool runs stops it, on %s.',
    async wire => {
      const leaving = new AbortController()
      let stopped = false
      const tool = defineTool({
        name: 'wait',
        handler: (_, context) =>
          new Promise((_resolve, reject) => {
            context?.signal.addEventListener('abort', () => {
              stopped = true
              reject(context.signal.reason)
            })
            leaving.abort()
          }),
      })
      const options: HarnessOptions = { tools: [tool] }
      const { gateway, model, facts } = openHarness('chat', [calls({ name: 'wait', arguments: {} })], options)
      const client = clients[wire]
      await gateway.handle(
        {
          method: 'POST',
          target: client.path,
          headers: { host: 'localhost', 'content-type': 'application/json' },
          signal: leaving.signal,
          body: async () =>
            Buffer.from(JSON.stringify(client.body([client.user('Go.')], [], { stream: true }))),
        },
        { head: () => {}, write: () => true, end: () => {}, onDrain: () => {} },
      )
      expect(stopped).toBe(true)
      expect(model.requests).toHaveLength(1)
      expect(facts[0]).toMatchObject({ abandoned: true })
    },
  )
})

/** The upstream streams if the request does not want it, and the other way round, from the given request on. */
function openContrary(wire: (typeof upstreams)[number], script: readonly ScriptedTurn[], from = 0) {
  const { tool } = createCounter()
  const model = createScriptedModel({ wire, script })
  const swap = (init: RequestInit = {}): RequestInit => {
    const body = JSON.parse(String(init.body)) as Json
    const isContrary = model.requests.length >= from
    return isContrary ? { ...init, body: JSON.stringify({ ...body, stream: body.stream !== true }) } : init
  }
  const transport = transportTo((url, init) => model.fetch(url, swap(init)))
  const setting = openHarness(wire, [], { tools: [tool], limits: { rounds: 3 }, upstream: { transport } })
  return { ...setting, model }
}

describe.each(ways)('a $wire upstream that does the contrary of stream: $stream', ({ wire, stream }) => {
  test('The rounds and their limit are those of any upstream.', async () => {
    const setting = openContrary(wire, [count(1), count(2), says('Done.')])
    expect(textOf(await respond(setting, { stream }))).toBe('Done.')
    const { requests } = setting.model
    const none = wire === 'messages' ? { type: 'none' } : 'none'
    expect(requests.map(({ body }) => body.tool_choice)).toEqual([undefined, undefined, none])
    expect(requests[2]?.results.map(({ text }) => text)).toEqual(['run 1', 'run 2', 'run 3'])
    expect(setting.facts[0]).toMatchObject({ rounds: 3, toolRuns: [{}, {}, {}] })
  })

  test('A round counts although only it was answered in the other way, and no text of the others is lost.', async () => {
    const setting = openContrary(wire, [{ ...count(1), text: 'First. ' }, says('Done.')], 1)
    expect(textOf(await respond(setting, { stream }))).toBe('First. Done.')
    expect(setting.facts[0]?.rounds).toBe(2)
  })
})

test.each(upstreams)('A %s upstream that streams unasked may refuse a later round.', async wire => {
  const setting = openContrary(wire, [count(1), fails(429, 'Slower.')])
  const told = await setting.post('/v1/responses', { model: 'm', input: 'Go.' })
  expect([told.status, told.json()]).toMatchObject([429, { error: { message: 'Slower.' } }])
  expect(setting.facts[0]).toMatchObject({ rounds: 2, failure: { code: 'upstream_429' } })
})

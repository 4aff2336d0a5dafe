/** Tools that the gateway runs: for every client and every upstream, whole and streamed, one answer comes out. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { defineTool } from '@toolwire/core'
import type { ScriptedTurn } from '@toolwire/core/testing'
import { calls, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { ReadAnswer } from '../../support/open-responses/clients.ts'
import { clients } from '../../support/open-responses/clients.ts'
import type { Harness, HarnessOptions, Json } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'

const wires = ['chat', 'responses', 'messages'] as const
const ways = wires.flatMap(from => wires.flatMap(to => [false, true].map(stream => ({ from, to, stream }))))

const place = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] } as const

/** A clock that remembers where it was looked at. */
function createClock() {
  const places: string[] = []
  const tool = defineTool({
    name: 'clock',
    description: 'Tells the time.',
    parameters: place,
    handler({ place: where }) {
      places.push(where)
      return `12:00 in ${where}`
    },
  })
  return { tool, places }
}

const look = (...places: readonly string[]): ScriptedTurn =>
  calls(...places.map((where, n) => ({ name: 'clock', arguments: { place: where }, id: `call_${n}` })))

interface Way {
  readonly from: Wire
  readonly to: Wire
  readonly stream: boolean
}

function open({ to }: Way, script: readonly ScriptedTurn[], options: HarnessOptions = {}): Harness {
  return openHarness(to, script, { ...options, upstream: { state: 'gateway', ...options.upstream } })
}

async function ask({ post }: Harness, { from, stream }: Way, body: Json): Promise<ReadAnswer> {
  const told = await post(clients[from].path, { ...body, stream })
  expect(told.status, told.text).toBe(200)
  return clients[from].read(told)
}

const question = (from: Wire): Json => clients[from].user('What time is it?')

describe.each(ways)('$from client, $to upstream, stream: $stream', way => {
  const { from, stream } = way
  const client = clients[from]
  const base = { stream }

  test('The gateway runs a call, and the client gets one answer.', async () => {
    const { tool, places } = createClock()
    const script = [
      { ...look('Oslo'), text: 'Let me see. ', usage: { input: 10, output: 5 } },
      says('Noon.', { usage: { input: 20, output: 3 } }),
    ]
    const setting = open(way, script, { tools: [tool] })
    const heard = await ask(setting, way, client.body([question(from)], ['mine'], base))
    expect(places).toEqual(['Oslo'])
    expect(heard).toMatchObject({ text: 'Let me see. Noon.', calls: [], usage: { input: 30, output: 8 } })
    expect(heard.end).toBe({ chat: 'stop', responses: 'completed', messages: 'end_turn' }[from])
    const [first, second] = setting.model.requests
    expect(first?.toolNames).toEqual(['mine', 'clock'])
    expect(second?.calls).toMatchObject([{ id: 'call_0', name: 'clock' }])
    expect(second?.results).toMatchObject([{ callId: 'call_0', text: '12:00 in Oslo', isError: false }])
    expect(setting.facts[0]).toMatchObject({
      rounds: 2,
      clientCalls: [],
      toolRuns: [{ name: 'clock', callId: 'call_0', status: 'ok' }],
    })
  })

  test('Several calls of one round all run, their results in order, and so do later ones.', async () => {
    const { tool, places } = createClock()
    const setting = open(way, [look('Oslo', 'Rome'), look('Lima'), says('Noon.')], { tools: [tool] })
    const heard = await ask(setting, way, client.body([question(from)], [], base))
    expect(heard).toMatchObject({ text: 'Noon.', calls: [] })
    expect(places).toEqual(['Oslo', 'Rome', 'Lima'])
    const texts = setting.model.requests[2]?.results.map(({ text }) => text)
    expect(texts).toEqual(['12:00 in Oslo', '12:00 in Rome', '12:00 in Lima'])
    expect(setting.facts[0]?.rounds).toBe(3)
  })

  test('Calls of tools of the client go to the client.', async () => {
    const { tool, places } = createClock()
    const setting = open(way, [calls({ name: 'mine', arguments: {}, id: 'call_m' })], { tools: [tool] })
    const heard = await ask(setting, way, client.body([question(from)], ['mine'], base))
    expect(heard.calls).toEqual([{ id: 'call_m', name: 'mine' }])
    expect(places).toEqual([])
    expect(setting.model.requests).toHaveLength(1)
  })

  test('Of calls for both, the client gets its own, and the others are restored in its next request.', async () => {
    const { tool, places } = createClock()
    const both = calls(
      { name: 'clock', arguments: { place: 'Oslo' }, id: 'call_c' },
      { name: 'mine', arguments: {}, id: 'call_m' },
    )
    const setting = open(way, [both, says('Done.')], { tools: [tool] })
    const first = await ask(setting, way, client.body([question(from)], ['mine'], base))
    expect(first.calls).toEqual([{ id: 'call_m', name: 'mine' }])
    expect(places).toEqual(['Oslo'])
    const history = [question(from), ...first.turns, ...client.results({ call_m: 'my result' })]
    const second = await ask(setting, way, client.body(history, ['mine'], base))
    expect(second.text).toBe('Done.')
    const seen = setting.model.requests[1]
    expect(seen?.calls.map(({ id }) => id)).toEqual(['call_c', 'call_m'])
    expect(seen?.results).toMatchObject([
      { callId: 'call_c', text: '12:00 in Oslo' },
      { callId: 'call_m', text: 'my result' },
    ])
    expect(places).toEqual(['Oslo'])
  })

  test('The failure of a tool is sent to the model, and the answer goes on.', async () => {
    const tool = defineTool({
      name: 'clock',
      parameters: place,
      handler() {
        throw new Error('The clock is broken.')
      },
    })
    const setting = open(way, [look('Oslo'), says('I do not know.')], { tools: [tool] })
    const heard = await ask(setting, way, client.body([question(from)], [], base))
    expect(heard.text).toBe('I do not know.')
    const [result] = setting.model.requests[1]?.results ?? []
    expect(result?.text).toContain('The clock is broken.')
    expect(setting.facts[0]?.toolRuns).toMatchObject([{ status: 'failed' }])
  })

  test('A call that was cut off does not run.', async () => {
    const { tool, places } = createClock()
    const setting = open(way, [{ ...look('Oslo'), finish: 'length' }], { tools: [tool] })
    const heard = await ask(setting, way, client.body([question(from)], [], base))
    expect(places).toEqual([])
    expect(heard.calls).toEqual([])
    expect(heard.end).toBe({ chat: 'length', responses: 'incomplete', messages: 'max_tokens' }[from])
  })

  test('A model that never stops calling is made to stop.', async () => {
    const { tool } = createClock()
    const seen: unknown[] = []
    const setting = openHarness(
      way.to,
      ({ index, body }) => {
        seen.push(body.tool_choice)
        return index < 2 ? look('Oslo') : says('Enough.')
      },
      { tools: [tool], limits: { rounds: 3 }, upstream: { state: 'gateway' } },
    )
    const heard = await ask(setting, way, client.body([question(from)], [], base))
    expect(heard.text).toBe('Enough.')
    expect(seen.slice(0, 2)).toEqual([undefined, undefined])
    expect(seen[2]).toEqual(way.to === 'messages' ? { type: 'none' } : 'none')
  })
})

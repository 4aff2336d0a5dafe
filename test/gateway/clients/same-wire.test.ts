/** Real clients through the gateway to an upstream on their own wire: what either side says arrives untouched. */
import { describe, expect, test } from 'vitest'
import { firstText, prompts } from '../../support/clients/model.ts'
import { createToolbox, failure, report } from '../../support/clients/toolbox.ts'
import { startHarness } from '../../support/gateway/harness.ts'
import { callsOf, resultsOf, textsOf } from '../../support/gateway/history.ts'
import type { Step } from '../../support/gateway/script.ts'
import { createScript } from '../../support/gateway/script.ts'
import { casesOf, onItsOwn } from './all-clients.ts'

const asked = [
  { name: 'get_weather', input: { city: 'Oslo' } },
  { name: 'get_weather', input: { city: 'Rome' } },
  { name: 'broken_tool', input: {} },
]
const lastWords = 'It rains everywhere, and the barometer is broken.'
const steps: readonly Step[] = [{ text: firstText, calls: asked }, { text: lastWords }]

describe.each(casesOf(onItsOwn))('$name, $how, with an upstream on $wire too', client => {
  test('A client of the same wire runs its tools as if there were no gateway.', async () => {
    const script = createScript(client.wire, steps)
    const stage = await startHarness(script, client.wire)
    const tools = createToolbox()
    const outcome = await client
      .run({ fetch: stage.fetch, tools, stream: client.stream })
      .catch((error: unknown) => ({ error }))

    expect(script.refusals).toEqual([])
    if ('error' in outcome) throw outcome.error
    expect(outcome).toEqual([firstText, lastWords])
    expect(tools.called.toSorted()).toEqual(['broken_tool()', 'get_weather(Oslo)', 'get_weather(Rome)'])

    const [first, second] = script.received
    expect(script.received.map(({ stream }) => stream)).toEqual([client.stream, client.stream])
    expect(first?.tools.map(({ name }) => name)).toEqual(['get_weather', 'broken_tool'])
    expect([...textsOf(second, 'system'), ...textsOf(second, 'user')]).toEqual([prompts.system, prompts.user])
    expect(textsOf(second, 'assistant')).toEqual([firstText])
    expect(callsOf(second)).toEqual(asked.map((call, n) => ({ id: script.callIds[n], ...call })))
    const texts = new Map(resultsOf(second).map(({ id, text }) => [id, text]))
    const [oslo, rome, broken] = script.callIds.map(id => texts.get(id))
    expect(oslo).toContain(report('Oslo'))
    expect(rome).toContain(report('Rome'))
    expect(broken).toContain(client.failure ?? failure)

    expect(stage.upstreamRequests.map(({ text }) => text)).toEqual(stage.requests.map(({ text }) => text))
    expect(await Promise.all(stage.requests.map(({ answer }) => answer))).toEqual(
      stage.upstreamRequests.map(({ answer }) => answer),
    )
    expect(stage.requests.map(({ headers }) => headers.get('x-toolwire-losses'))).toEqual(['0', '0'])
  })
})

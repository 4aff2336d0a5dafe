/** Real clients through the gateway to an upstream on their own wire: what either side says arrives untouched. */
import { describe, expect, test } from 'vitest'
import { firstText, prompts } from '../../support/clients/model.ts'
import { createToolbox, failure, report } from '../../support/clients/toolbox.ts'
import { calls, results, said } from '../../support/gateway/history.ts'
import type { Step } from '../../support/gateway/script.ts'
import { createScript } from '../../support/gateway/script.ts'
import { setStage } from '../../support/gateway/stage.ts'
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
    const stage = await setStage(script, client.wire)
    const tools = createToolbox()
    const outcome = await client
      .run({ fetch: stage.fetch, tools, stream: client.stream })
      .catch((error: unknown) => ({ error }))

    expect(script.refusals).toEqual([])
    if ('error' in outcome) throw outcome.error
    expect(outcome).toEqual([firstText, lastWords])
    expect(tools.called.toSorted()).toEqual(['broken_tool()', 'get_weather(Oslo)', 'get_weather(Rome)'])

    const [first, second] = script.heard
    expect(script.heard.map(({ stream }) => stream)).toEqual([client.stream, client.stream])
    expect(first?.tools.map(({ name }) => name)).toEqual(['get_weather', 'broken_tool'])
    expect([...said(second, 'system'), ...said(second, 'user')]).toEqual([prompts.system, prompts.user])
    expect(said(second, 'assistant')).toEqual([firstText])
    expect(calls(second)).toEqual(asked.map((call, n) => ({ id: script.callIds[n], ...call })))
    const texts = new Map(results(second).map(({ id, text }) => [id, text]))
    const [oslo, rome, broken] = script.callIds.map(id => texts.get(id))
    expect(oslo).toContain(report('Oslo'))
    expect(rome).toContain(report('Rome'))
    expect(broken).toContain(client.failure ?? failure)

    expect(stage.upstreamVisits.map(({ text }) => text)).toEqual(stage.visits.map(({ text }) => text))
    expect(await Promise.all(stage.visits.map(({ answer }) => answer))).toEqual(
      stage.upstreamVisits.map(({ answer }) => answer),
    )
    expect(stage.visits.map(({ headers }) => headers.get('x-toolwire-losses'))).toEqual(['0', '0'])
  })
})

/** An image in the result of a tool reaches the upstream, wherever its wire takes images. */
import { describe, expect, test } from 'vitest'
import { startHarness } from '../../support/gateway/harness.ts'
import { callsOf, images, resultsOf } from '../../support/gateway/history.ts'
import { createScript } from '../../support/gateway/script.ts'
import { elsewhere, onItsOwn, ways } from './all-clients.ts'
import { anthropicMapClients } from './map-anthropic.ts'
import { frameworkMapClients } from './map-frameworks.ts'
import { openaiMapClients } from './map-openai.ts'
import { address, caption } from './map-tool.ts'

const lastWords = 'I see two dots.'
const cities = ['Oslo', 'Rome']
const cases = [...openaiMapClients, ...frameworkMapClients, ...anthropicMapClients].flatMap(client =>
  [...elsewhere(client), ...(client.refusedAtHome ? [] : onItsOwn(client))].flatMap(to =>
    ways.map(way => ({ ...client, to, ...way })),
  ),
)

describe.each(cases)('$name on $wire, $how, with an upstream on $to', client => {
  test('A client sends images with its results.', async () => {
    const script = createScript(client.to, [
      { text: 'Let me draw.', calls: cities.map(city => ({ name: 'draw_map', input: { city } })) },
      { text: lastWords },
    ])
    const { baseURL, fetch, requests } = await startHarness(script, client.to)
    const outcome = await client
      .run({ baseURL, fetch, stream: client.stream })
      .catch((error: unknown) => ({ error }))

    expect(script.refusals).toEqual([])
    if (typeof outcome === 'object') throw outcome.error
    expect(outcome).toBe(lastWords)
    expect(script.received.map(({ stream }) => stream)).toEqual([client.stream, client.stream])

    const [, second] = script.received
    expect(callsOf(second).map(({ id, input }) => [id, input])).toEqual(
      cities.map((city, n) => [script.callIds[n], { city }]),
    )
    expect(resultsOf(second).map(({ id, text }) => [id, text])).toEqual(
      script.callIds.map(id => [id, caption]),
    )
    expect(images(second)).toEqual([address, address])
    // Chat takes images from users only, so there they follow the results.
    expect(second?.entries.at(-1)?.by).toBe(client.to === 'chat' ? 'user' : 'tools')
    for (const { headers } of requests) expect(headers.get('x-toolwire-losses')).toBe('0')
  })
})

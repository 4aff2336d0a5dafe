/**
 * Real clients run a tool loop through the gateway, over real sockets, with an upstream on another wire: three calls
 * at once, of which one fails. The upstream refuses what its wire does not have (`client-speech-*.ts`).
 */
import { describe, expect, test } from 'vitest'
import { createModel, firstText, prompts } from '../../support/clients/model.ts'
import { createToolbox, failure, report } from '../../support/clients/toolbox.ts'
import { startHarness, upstreamKey } from '../../support/gateway/harness.ts'
import { casesOf, elsewhere } from './all-clients.ts'

const paths = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const

describe.each(casesOf(elsewhere))('$name on $wire, $how, with an upstream on $to', client => {
  test('A client of another wire runs its tools and reports their results.', async () => {
    const model = createModel(client.to)
    const stage = await startHarness(model, client.to)
    const tools = createToolbox()
    const outcome = await client
      .run({ fetch: stage.fetch, tools, stream: client.stream })
      .catch((error: unknown) => ({ error }))

    expect(model.refusals).toEqual([])
    if ('error' in outcome) throw outcome.error
    expect(outcome).toEqual(model.texts)
    expect(tools.called.toSorted()).toEqual(['broken_tool()', 'get_weather(Oslo)', 'get_weather(Rome)'])

    // The model itself insists that each call is answered under its id, in the order of the calls.
    expect(model.received).toEqual([heard(client), { ...heard(client), before: expect.anything() }])
    const before = model.received[1]?.before
    expect(before?.text).toBe(firstText)
    const [oslo, rome, broken] = before?.results.map(({ text }) => text) ?? []
    expect(oslo).toContain(report('Oslo'))
    expect(rome).toContain(report('Rome'))
    expect(broken).toContain(client.failure ?? failure)

    expect(stage.requests.map(({ method, path, status }) => [method, path, status])).toEqual([
      ['POST', paths[client.wire], 200],
      ['POST', paths[client.wire], 200],
    ])
    expect(stage.upstreamRequests.map(({ path }) => path)).toEqual([paths[client.to], paths[client.to]])

    const lost = stage.facts.map(({ losses = [] }) => losses.map(({ path }) => path.join('.')))
    expect(stage.requests.map(({ headers }) => headers.get('x-toolwire-losses'))).toEqual(
      lost.map(paths => `${paths.length}`),
    )
    const left = client.refersBack ? /^nothing$/ : (client.leftOut ?? /^nothing$/)
    for (const path of lost.flat()) expect(path).toMatch(left)
    for (const { headers } of stage.upstreamRequests) {
      expect(headers[client.to === 'messages' ? 'x-api-key' : 'authorization']).toContain(upstreamKey)
      expect(Object.keys(headers).filter(name => name.includes('beta'))).toEqual([])
    }
  })
})

const heard = ({ stream }: { stream: boolean }) => ({
  ...prompts,
  stream,
  usage: expect.any(Boolean),
  tools: [
    { name: 'get_weather', properties: ['city'] },
    { name: 'broken_tool', properties: [] },
  ],
})

/**
 * Real clients as referees: each runs a tool loop, with three parallel calls of which one fails, against a model on
 * another wire. The model (`test/support/clients`) checks the requests strictly, the client checks the answers.
 */
import { expect, test } from 'vitest'
import { createBridge } from '../support/clients/bridge.ts'
import { createModel, firstText, prompts } from '../support/clients/model.ts'
import { createToolbox, failure, report } from '../support/clients/toolbox.ts'
import { wires } from '../support/wires.ts'
import { agentsClients } from './agents.ts'
import { aiSdkClients } from './ai-sdk.ts'
import { anthropicClients } from './anthropic.ts'
import { langchainClients } from './langchain.ts'
import { openaiClients } from './openai.ts'

const clients = [
  ...openaiClients,
  ...aiSdkClients,
  ...anthropicClients,
  ...agentsClients,
  ...langchainClients,
]
const cases = clients.flatMap(client =>
  wires
    .filter(wire => wire !== client.wire)
    .flatMap(to => [
      { ...client, to, stream: false, how: 'whole' },
      { ...client, to, stream: true, how: 'streamed' },
    ]),
)

for (const client of cases) {
  test(`The client ${client.name} (${client.how}) runs a tool loop with a model on ${client.to}.`, async () => {
    const model = createModel(client.to)
    const { fetch, writes, diagnostics, ...bridge } = createBridge(model, client.to)
    const tools = createToolbox()
    const outcome = await client
      .run({ fetch, tools, stream: client.stream })
      .catch((error: unknown) => ({ error }))

    expect(model.refusals).toEqual([])
    if ('error' in outcome) throw outcome.error
    expect(bridge.wires).toEqual([client.wire, client.wire])
    expect(model.received).toEqual([
      expectedRequest(client),
      { ...expectedRequest(client), before: expect.anything() },
    ])
    expect(tools.called.toSorted()).toEqual(['broken_tool()', 'get_weather(Oslo)', 'get_weather(Rome)'])

    const results = model.received[1]?.before?.results.map(({ text }) => text) ?? []
    expect(results[0]).toContain(report('Oslo'))
    expect(results[1]).toContain(report('Rome'))
    expect(results[2]).toContain(client.failure ?? failure)
    expect(model.received[1]?.before?.text).toBe(client.refersBack ? '' : firstText)

    expect(outcome).toEqual(model.texts)
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    const lost = diagnostics
      .filter(({ severity }) => severity === 'warning')
      .map(({ path }) => path.join('.'))
    for (const path of lost) expect(path).toMatch(client.leftOut ?? /^nothing$/)
    if (client.refersBack) expect(lost).not.toEqual([])
    if (client.stream) for (const count of writes) expect(count).toBeGreaterThan(5)
  })
}

const expectedRequest = ({ stream }: { stream: boolean }) => ({
  ...prompts,
  stream,
  usage: expect.any(Boolean),
  tools: [
    { name: 'get_weather', properties: ['city'] },
    { name: 'broken_tool', properties: [] },
  ],
})

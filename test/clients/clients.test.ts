/**
 * Real clients as referees: each runs a tool loop, with three calls at once of which one fails, against a model that
 * speaks another wire. The model is strict about what it is sent (`client-speech-*.ts`), the client about what it gets.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { createBridge } from '../support/clients/bridge.ts'
import { createModel, firstText, prompts } from '../support/clients/model.ts'
import { createToolbox, failure, report } from '../support/clients/toolbox.ts'
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
const wires: readonly Wire[] = ['chat', 'responses', 'messages']
const cases = clients.flatMap(client =>
  wires
    .filter(wire => wire !== client.wire)
    .flatMap(to => [
      { ...client, to, stream: false, how: 'whole' },
      { ...client, to, stream: true, how: 'streamed' },
    ]),
)

describe.each(cases)('$name on $wire, $how, with a model on $to', client => {
  test('runs its tools and tells what they gave', async () => {
    const model = createModel(client.to)
    const { fetch, wires, writes, diagnostics } = createBridge(model, client.to)
    const tools = createToolbox()
    const outcome = await client
      .run({ fetch, tools, stream: client.stream })
      .catch((error: unknown) => ({ error }))

    expect(model.refusals).toEqual([])
    if ('error' in outcome) throw outcome.error
    expect(wires).toEqual([client.wire, client.wire])
    expect(model.heard).toEqual([heard(client), { ...heard(client), before: expect.anything() }])
    expect(tools.called.toSorted()).toEqual(['broken_tool()', 'get_weather(Oslo)', 'get_weather(Rome)'])

    const results = model.heard[1]?.before?.results.map(({ text }) => text) ?? []
    expect(results[0]).toContain(report('Oslo'))
    expect(results[1]).toContain(report('Rome'))
    expect(results[2]).toContain(client.failure ?? failure)
    expect(model.heard[1]?.before?.text).toBe(client.refersBack ? '' : firstText)

    expect(outcome).toEqual(model.said)
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    const lost = diagnostics
      .filter(({ severity }) => severity === 'warning')
      .map(({ path }) => path.join('.'))
    for (const path of lost) expect(path).toMatch(client.leftOut ?? /^nothing$/)
    if (client.refersBack) expect(lost).not.toEqual([])
    if (client.stream) for (const count of writes) expect(count).toBeGreaterThan(5)
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

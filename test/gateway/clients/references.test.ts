/** Clients of frameworks that leave the history to the server, before upstreams that keep none. */
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, tool as agentTool, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents'
import { generateText, isStepCount, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { maxTurns } from '../../clients/client.ts'
import type { Model } from '../../support/clients/model.ts'
import { prompts } from '../../support/clients/model.ts'
import { createToolbox, report, weatherInput } from '../../support/clients/toolbox.ts'
import type { GatewayHarness } from '../../support/gateway/harness.ts'
import { startHarness } from '../../support/gateway/harness.ts'
import { callsOf, resultsOf, textsOf } from '../../support/gateway/history.ts'
import type { Script, Step } from '../../support/gateway/script.ts'
import { createScript } from '../../support/gateway/script.ts'
import { ways } from './all-clients.ts'

setTracingDisabled(true)

const steps: readonly Step[] = [
  { text: 'Let me look.', calls: [{ name: 'get_weather', input: { city: 'Oslo' } }] },
  { text: 'And Rome?', calls: [{ name: 'get_weather', input: { city: 'Rome' } }] },
  { text: 'It rains in both.' },
  { text: 'You are welcome.' },
]
const thanks = 'Thank you.'
const description = 'The weather in a city.'
const cases = (['chat', 'messages'] as const).flatMap(to => ways.map(way => ({ to, ...way })))

/** What a request of the client's consisted of. */
const sent = ({ requests }: GatewayHarness): string[][] =>
  requests
    .filter(({ path }) => path === '/v1/responses')
    .map(({ text }) =>
      JSON.parse(text).input.map((item: { type?: string; role?: string }) => item.role ?? item.type),
    )

function expectAllHeard({ received, refusals, callIds }: Script): void {
  expect(refusals).toEqual([])
  const last = received.at(-1)
  expect(textsOf(last, 'user')[0]).toBe(prompts.user)
  expect(textsOf(last, 'assistant').slice(0, 2)).toEqual(['Let me look.', 'And Rome?'])
  expect(callsOf(last).map(({ id }) => id)).toEqual(callIds)
  expect(resultsOf(last).map(({ text }) => text)).toEqual([report('Oslo'), report('Rome')])
}

async function generate(
  stage: GatewayHarness,
  prompt: string,
  stream: boolean,
  openai = {},
): Promise<Generated> {
  const { baseURL, fetch } = stage
  const options = {
    model: createOpenAI({ apiKey: 'none', baseURL, fetch }).responses('any'),
    prompt,
    maxRetries: 0,
    stopWhen: isStepCount(maxTurns),
    providerOptions: { openai },
    tools: {
      get_weather: tool({ description, inputSchema: weatherInput, execute: createToolbox().weather }),
    },
  }
  if (!stream) {
    const { text, steps, finalStep } = await generateText(options)
    return { text, reasoning: steps[0]?.reasoningText, id: finalStep.response.id }
  }
  const failures: unknown[] = []
  const result = streamText({ ...options, onError: ({ error }) => void failures.push(error) })
  await result.consumeStream()
  if (failures.length > 0) throw failures[0]
  const all = await result.steps
  return { text: await result.text, reasoning: all[0]?.reasoningText, id: all.at(-1)?.response.id }
}

interface Generated {
  readonly text: string
  readonly reasoning: string | undefined
  readonly id: string | undefined
}

describe.each(cases)('$how, with an upstream on $to', ({ to, stream }) => {
  test('The AI SDK refers to messages of the assistant instead of sending them.', async () => {
    const script = createScript(to, steps)
    const stage = await startHarness(script, to)
    const { text } = await generate(stage, prompts.user, stream)
    expect(text).toBe('It rains in both.')
    expectAllHeard(script)
    expect(sent(stage)[1]).toEqual(['user', 'item_reference', 'function_call', 'function_call_output'])
    for (const { headers } of stage.requests) expect(headers.get('x-toolwire-losses')).toBe('0')
  })

  test('The AI SDK continues the previous response.', async () => {
    const script = createScript(to, steps)
    const stage = await startHarness(script, to)
    const { id: previousResponseId } = await generate(stage, prompts.user, stream)
    const { text } = await generate(stage, thanks, stream, { previousResponseId })
    expect(text).toBe('You are welcome.')
    expectAllHeard(script)
    expect(textsOf(script.received.at(-1), 'user')).toEqual([prompts.user, thanks])
    expect(sent(stage).at(-1)).toEqual(['user'])
  })

  test('The Agents SDK continues a conversation and sends only what is new.', async () => {
    const script = createScript(to, steps)
    const stage = await startHarness(script, to)
    const { baseURL, fetch } = stage
    const openAIClient = new OpenAI({ apiKey: 'none', baseURL, fetch, maxRetries: 0 })
    const { id: conversationId } = await openAIClient.conversations.create()
    const modelProvider = new OpenAIProvider({ openAIClient, useResponses: true })
    const runner = new Runner({ modelProvider, tracingDisabled: true })
    const execute = createToolbox().weather
    const weather = agentTool({ name: 'get_weather', description, parameters: weatherInput, execute })
    const agent = new Agent({ name: 'any', model: 'any', tools: [weather] })
    const run = async (words: string): Promise<unknown> => {
      if (!stream) return (await runner.run(agent, words, { maxTurns, conversationId })).finalOutput
      const result = await runner.run(agent, words, { maxTurns, conversationId, stream: true })
      await result.completed
      return result.finalOutput
    }
    expect([await run(prompts.user), await run(thanks)]).toEqual(['It rains in both.', 'You are welcome.'])
    expectAllHeard(script)
    expect(sent(stage)).toEqual([['user'], ['function_call_output'], ['function_call_output'], ['user']])
  })
})

describe.each(ways)('$how, with an upstream on Chat that thinks aloud', ({ stream }) => {
  test('The AI SDK refers to reasoning that the gateway stored.', async () => {
    const script = createScript('chat', steps)
    const stage = await startHarness(thinking(script), 'chat')
    const { text, reasoning } = await generate(stage, prompts.user, stream)
    expect([text, reasoning]).toEqual(['It rains in both.', thought])
    expectAllHeard(script)
    const [, second] = sent(stage)
    expect(second?.filter(type => type === 'item_reference')).toHaveLength(2)
  })
})

const thought = 'Rain is likely.'

/** As servers of open models tell of thoughts: in a field of their own, before the words. */
function thinking({ reply }: Pick<Model, 'reply'>): Pick<Model, 'reply'> {
  return {
    reply(body) {
      const given = reply(body)
      if ('events' in given) {
        const delta = { choices: [{ index: 0, delta: { reasoning_content: thought }, finish_reason: null }] }
        const [first = '', ...rest] = given.events.split('\n\n')
        const told = { ...JSON.parse(first.slice('data: '.length)), ...delta }
        return { events: [first, `data: ${JSON.stringify(told)}`, ...rest].join('\n\n') }
      }
      if (!('whole' in given)) return given
      const whole = structuredClone(given.whole) as { choices: { message: object }[] }
      for (const choice of whole.choices) Object.assign(choice.message, { reasoning_content: thought })
      return { whole }
    },
  }
}

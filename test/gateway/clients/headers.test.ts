/** Which headers of a client reach an upstream. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { startHarness } from '../../support/gateway/harness.ts'
import { createScript } from '../../support/gateway/script.ts'

const wires = ['chat', 'responses', 'messages'] as const
const flags = ['interleaved-thinking-2025-05-14']
const steps = [{ text: 'Good day.' }]

describe.each(wires)('with an upstream on %s', to => {
  test('No beta header of an OpenAI client is sent upstream. [C27]', async () => {
    const stage = await startHarness(createScript(to, steps), to)
    const { baseURL, fetch } = stage
    const defaultHeaders = { 'OpenAI-Beta': 'responses=experimental' }
    const client = new OpenAI({ apiKey: 'secret', baseURL, fetch, maxRetries: 0, defaultHeaders })
    await client.responses.create({ model: 'any', input: 'Hello.' })
    const [received] = stage.upstreamRequests
    expect(Object.keys(received?.headers ?? {}).filter(name => name.includes('beta'))).toEqual([])
    expect(Object.keys(received?.headers ?? {}).filter(name => name.startsWith('x-stainless'))).toEqual([])
    expect(JSON.stringify(received?.headers)).not.toContain('secret')
  })

  test('Beta flags of an Anthropic client reach upstreams of its own wire only. [C27]', async () => {
    const stage = await startHarness(createScript(to, steps), to)
    const { origin } = new URL(stage.baseURL)
    const client = new Anthropic({ apiKey: 'secret', baseURL: origin, fetch: stage.fetch, maxRetries: 0 })
    await client.beta.messages.create({
      model: 'any',
      max_tokens: 64,
      messages: [{ role: 'user', content: 'Hello.' }],
      betas: flags,
    })
    const [received] = stage.upstreamRequests
    expect(received?.headers['anthropic-beta']).toBe(to === 'messages' ? flags.join(',') : undefined)
    expect(JSON.stringify(received?.headers)).not.toContain('secret')
  })
})

/** The official client of Messages relies on threads unless it is told that there are none; then it goes on without. */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { calls, says } from '@toolwire/core/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createFetchHandler } from '../../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'

const cases = (['chat', 'responses'] as const).flatMap(wire =>
  [false, true].flatMap(stream =>
    (['allow', 'errors', 'strict'] as const).map(losses => ({ wire, stream, losses })),
  ),
)

test.each(cases)(
  'The tool runner, as it comes, keeps its conversation with an upstream on $wire (stream: $stream, losses: $losses).',
  async ({ wire, stream, losses }) => {
    const { gateway, model } = openHarness(
      wire,
      [calls({ name: 'add', arguments: { a: 2, b: 3 } }), says('It is 5.')],
      { losses },
    )
    const client = new Anthropic({
      apiKey: 'none',
      baseURL: 'http://localhost',
      fetch: (url, init) => createFetchHandler(gateway)(new Request(url as string, init)),
      maxRetries: 0,
    })
    const add = betaZodTool({
      name: 'add',
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      run: ({ a, b }) => `sum ${a + b}`,
    })
    const runner = client.beta.messages.toolRunner({
      model: 'any',
      max_tokens: 1024,
      messages: [{ role: 'user', content: 'What is 2 + 3?' }],
      tools: [add],
      stream,
    })
    const { content } = await runner
    expect(content).toMatchObject([{ type: 'text', text: 'It is 5.' }])
    expect(model.requests).toHaveLength(2)
    const last = JSON.stringify(model.requests[1])
    expect(last).toContain('What is 2 + 3?')
    expect(last).toContain('sum 5')
    expect(last).toContain('"add"')
  },
)

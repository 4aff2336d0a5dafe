/** Official clients read the limits of their keys, wait for a rate, and do not wait for a budget. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterEach, expect, test, vi } from 'vitest'
import { createFetchHandler } from '../../packages/toolwire/src/gateway/http/fetch-handler.ts'
import type { Tenant } from '../../packages/toolwire/src/gateway/settings.ts'
import { setUpTenants } from '../support/faults/tenants.ts'

afterEach(() => vi.restoreAllMocks())

/** Both clients of one gateway whose clock moves by what they wait; nobody waits in fact. */
function setUp(tenant: Omit<Tenant, 'name' | 'key'>) {
  const { gateway, clock } = setUpTenants({ tenants: [{ name: 'ann', key: 'a', ...tenant }] })
  const handle = createFetchHandler(gateway)
  const waits: number[] = []
  let requests = 0
  const { setTimeout: real } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((call: () => void, ms = 0) => {
    // The time limit of a request is longer than any wait between two.
    if (ms <= 0 || ms > 5 * 60_000) return real(call, ms)
    waits.push(ms)
    void clock.advance(ms).then(call)
    return real(() => {}, 0)
  }) as typeof setTimeout)
  const options = {
    apiKey: 'a',
    maxRetries: 2,
    fetch: async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      requests++
      return handle(new Request(url, init))
    },
  }
  const openai = new OpenAI({ ...options, baseURL: 'http://localhost/v1' })
  const anthropic = new Anthropic({ ...options, baseURL: 'http://localhost' })
  const messages = [{ role: 'user' as const, content: 'Hello.' }]
  const asks = {
    chat: () => openai.chat.completions.create({ model: 'm', messages }).withResponse(),
    responses: () => openai.responses.create({ model: 'm', input: 'Hello.' }).withResponse(),
    messages: () => anthropic.messages.create({ model: 'm', max_tokens: 9, messages }).withResponse(),
  }
  return { asks, waits, requests: () => requests, clock }
}

const wires = ['chat', 'responses', 'messages'] as const

test.each(wires)('A client of %s waits as long as it is told, and is then answered.', async wire => {
  for (const passed of [20_000, 500]) {
    const { asks, waits, requests, clock } = setUp({ requestsPerMinute: 1 })
    await clock.advance(passed)
    await asks[wire]()
    const { response } = await asks[wire]()
    expect(response.status).toBe(200)
    expect(requests()).toBe(3)
    expect(waits).toEqual([60_000 - passed])
    vi.restoreAllMocks()
  }
})

test.each(wires)('A client of %s gives up at once when its budget is used up.', async wire => {
  const { asks, waits, requests } = setUp({ tokensPerDay: 1 })
  await asks[wire]()
  const error: unknown = await asks[wire]().catch((reason: unknown) => reason)
  const { RateLimitError } = wire === 'messages' ? Anthropic : OpenAI
  expect(error).toBeInstanceOf(RateLimitError)
  if (wire === 'messages') expect(error).toMatchObject({ type: 'billing_error', status: 429 })
  else expect(error).toMatchObject({ code: 'insufficient_quota', type: 'insufficient_quota', status: 429 })
  expect(requests()).toBe(2)
  expect(waits).toEqual([])
})

test.each(wires)('A client of %s finds what is left in the headers of its answer.', async wire => {
  const { asks } = setUp({ requestsPerMinute: 9, tokensPerMinute: 1_000_000 })
  const { headers } = (await asks[wire]()).response
  const [requests, tokens] =
    wire === 'messages'
      ? ['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-tokens-limit']
      : ['x-ratelimit-remaining-requests', 'x-ratelimit-limit-tokens']
  expect([headers.get(requests), headers.get(tokens)]).toEqual(['8', '1000000'])
})

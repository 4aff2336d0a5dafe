/** Upstreams that give every answer the same id. */
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { startHarness } from '../../support/gateway/harness.ts'
import type { History } from '../../support/gateway/history.ts'
import { textsOf } from '../../support/gateway/history.ts'
import { createScript } from '../../support/gateway/script.ts'
import { ways } from './all-clients.ts'

const cases = (['chat', 'responses', 'messages'] as const).flatMap(to => ways.map(way => ({ to, ...way })))

describe.each(cases)('the openai client, $how, with an upstream on $to', ({ to, stream }) => {
  test('Responses with one id of the upstream are stored apart, and each can be continued.', async () => {
    const heard: History[] = []
    const forgetful = (body: unknown) => {
      const script = createScript(to, [{ text: 'Yes.' }])
      const reply = script.reply(body)
      heard.push(...script.received)
      return reply
    }
    const { baseURL, fetch } = await startHarness({ reply: forgetful }, to, { state: 'gateway' })
    const client = new OpenAI({ apiKey: 'none', baseURL, fetch, maxRetries: 0 })
    const ask = (input: string, before?: OpenAI.Responses.Response): Promise<OpenAI.Responses.Response> => {
      const body = { model: 'any', input, ...(before && { previous_response_id: before.id }) }
      return stream ? client.responses.stream(body).finalResponse() : client.responses.create(body)
    }
    const first = await ask('One?')
    const second = await ask('Two?', first)
    const other = await ask('Other?')
    await ask('Three?', second)
    await ask('Again?', first)
    expect(second).toMatchObject({ previous_response_id: first.id, store: true })
    expect(new Set([first.id, second.id, other.id]).size).toBe(3)
    expect(heard.map(history => textsOf(history, 'user').join(' '))).toEqual([
      'One?',
      'One? Two?',
      'Other?',
      'One? Two? Three?',
      'One? Again?',
    ])
  })
})

/** `tool_choice` is kept on both ways: what the upstream may call, and what the client is told of that was called. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { calls } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../support/open-responses/gateway.ts'
import { openHarness } from '../../support/open-responses/gateway.ts'
import { checkResponse } from '../../support/open-responses/schema.ts'
import { checkStream, eventsOf } from '../../support/open-responses/stream.ts'

const tools = ['read', 'write', 'erase'].map(name => ({ type: 'function', name }))
const onlyRead = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'read' }] }

async function ask(wire: Wire, stream: boolean, asked: Json, called: readonly string[]) {
  const turn = calls(...called.map(name => ({ name, arguments: {} })))
  const { post, model, facts } = openHarness(wire, [turn], { upstream: { state: 'gateway' } })
  const told = await post('/v1/responses', { model: 'm', input: 'hi', tools, stream, ...asked })
  const response = stream ? (eventsOf(told.text).at(-1)?.response as Json) : told.json()
  expect(stream ? checkStream(told.writes) : checkResponse(response)).toEqual([])
  const names = (response.output as Json[]).map(({ name }) => name)
  return { told, response, names, sent: model.requests[0], codes: facts[0]?.losses?.map(({ code }) => code) }
}

const ways = (['chat', 'messages', 'responses'] as const).flatMap(wire =>
  [false, true].map(stream => ({ wire, stream })),
)

describe.each(ways)('allowed_tools, $wire upstream, stream: $stream', ({ wire, stream }) => {
  test('A call outside the allowed tools never reaches the client.', async () => {
    const { names, response, told } = await ask(wire, stream, { tool_choice: onlyRead }, ['erase', 'read'])
    expect(names).toEqual(['read'])
    expect(response).toMatchObject({ status: 'completed', tool_choice: onlyRead })
    expect(told.text).not.toContain('"name":"erase","arguments"')
  })

  test('A call that was left out is reported.', async () => {
    const { codes } = await ask(wire, stream, { tool_choice: onlyRead }, ['erase', 'read'])
    expect(codes).toEqual(['call_not_allowed'])
  })

  test('An answer that holds only forbidden calls completes without any.', async () => {
    const { names, response } = await ask(wire, stream, { tool_choice: onlyRead }, ['erase', 'write'])
    expect(names).toEqual([])
    expect(response.status).toBe('completed')
  })

  test('The choice "none" forbids all calls.', async () => {
    const { names } = await ask(wire, stream, { tool_choice: 'none' }, ['read'])
    expect(names).toEqual([])
  })

  test('With parallel_tool_calls: false one call reaches the client.', async () => {
    const { names, response } = await ask(wire, stream, { parallel_tool_calls: false }, ['write', 'read'])
    expect(names).toEqual(['write'])
    expect(response.parallel_tool_calls).toBe(false)
  })
})

describe('what the upstream is told', () => {
  test('A Chat upstream that supports allowed_tools gets the choice.', async () => {
    const upstream = { profile: { allowedTools: true } }
    const { post, model } = openHarness('chat', [calls({ name: 'read', arguments: {} })], { upstream })
    await post('/v1/responses', { model: 'm', input: 'hi', tools, tool_choice: onlyRead })
    expect(model.requests[0]?.body.tool_choice).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'read' } }] },
    })
  })

  test('Any other Chat upstream gets only the allowed tools.', async () => {
    const { post, model } = openHarness('chat', [calls({ name: 'read', arguments: {} })])
    await post('/v1/responses', {
      model: 'm',
      input: 'hi',
      tools,
      tool_choice: { ...onlyRead, mode: 'required' },
    })
    expect(model.requests[0]?.toolNames).toEqual(['read'])
    expect(model.requests[0]?.body.tool_choice).toBe('required')
  })

  test('A Messages upstream gets only the allowed tools.', async () => {
    const { sent } = await ask('messages', false, { tool_choice: onlyRead }, ['read'])
    expect(sent?.toolNames).toEqual(['read'])
    expect(sent?.body.tool_choice).toEqual({ type: 'auto' })
  })

  test.each([
    ['required', 'required', { type: 'any' }],
    ['none', 'none', { type: 'none' }],
    [
      { type: 'function', name: 'write' },
      { type: 'function', function: { name: 'write' } },
      { type: 'tool', name: 'write' },
    ],
  ])('The choice %j is written in the format of the wire.', async (tool_choice, chat, messages) => {
    const [toChat, toMessages] = [
      await ask('chat', false, { tool_choice }, []),
      await ask('messages', false, { tool_choice }, []),
    ]
    expect(toChat.sent?.body.tool_choice).toEqual(chat)
    expect(toMessages.sent?.body.tool_choice).toEqual(messages)
  })
})

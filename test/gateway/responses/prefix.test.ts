/**
 * The law of the prefix through the gateway: what it puts together from its store is what it sent before with something
 * appended, also after a restart. A provider's cache would miss everything otherwise.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { calls, createScriptedModel, says } from '@toolwire/core/testing'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { promptOf } from '../../support/fixtures/prompt.ts'
import type { Json } from '../../support/open-responses/gateway.ts'
import { clientOf, transportTo, upstreamTo } from '../../support/open-responses/gateway.ts'
import { eventsOf } from '../../support/open-responses/stream.ts'
import { wires } from '../../support/wires.ts'

const head = {
  model: 'm',
  instructions: 'Be brief.',
  tools: [
    { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } },
    { type: 'custom', name: 'patch' },
    {
      type: 'namespace',
      name: 'a group',
      tools: [{ type: 'function', name: 'find', parameters: { type: 'object', properties: {} } }],
    },
  ],
}

const picture = { type: 'input_image', image_url: 'data:image/png;base64,aGk=' }

/** What the client adds in each turn. The model calls tools in the first two. */
const inputs: readonly Json[][] = [
  [{ role: 'user', content: 'Look at the sky.' }],
  [
    {
      type: 'function_call_output',
      call_id: 'call_a',
      output: [{ type: 'input_text', text: 'See:' }, picture],
    },
    { type: 'custom_tool_call_output', call_id: 'call_b', output: 'Done.' },
  ],
  [{ role: 'user', content: [{ type: 'input_text', text: 'And this?' }, picture] }],
  [
    { role: 'developer', content: 'Answer in rhymes.' },
    { role: 'user', content: 'Again.' },
  ],
]

const script = [
  calls(
    { name: 'look', arguments: { at: 'sky' }, id: 'call_a' },
    { name: 'patch', arguments: { input: '*** Begin' }, id: 'call_b' },
  ),
  says('Blue.'),
  says('Also blue.'),
  says('Blue, too.'),
]

async function sentBy(wire: Wire, stream: boolean, restarts: boolean): Promise<readonly Json[]> {
  const model = createScriptedModel({ wire, script })
  const store = createMemoryStore()
  const open = () => {
    const upstream = upstreamTo(wire, transportTo(model.fetch), { state: 'gateway' })
    return clientOf(createGateway({ store, upstreams: [upstream] }))
  }
  let client = open()
  let previous: unknown
  for (const input of inputs) {
    if (restarts) client = open()
    const body = { ...head, input, stream, ...(previous !== undefined && { previous_response_id: previous }) }
    const answer = await client.post('/v1/responses', body)
    expect(answer.status, answer.text).toBe(200)
    const told = stream ? (eventsOf(answer.text).at(-1)?.response as Json | undefined) : answer.json()
    previous = told?.id
  }
  return model.requests.map(request => request.body as Json)
}

describe.each(wires)('a chain of stored responses on %s', wire => {
  test.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])(
    `A chain on ${wire} keeps what was sent, streamed: %j, after restarts: %j.`,
    async (stream, restarts) => {
      const prompts = (await sentBy(wire, stream, restarts)).map(promptOf)
      expect(prompts).toHaveLength(inputs.length)
      prompts.slice(1).forEach((after, at) => {
        const before = prompts[at]
        expect(after.pieces.slice(0, before?.pieces.length)).toEqual(before?.pieces)
        expect(after.pieces.length).toBeGreaterThan(before?.pieces.length ?? 0)
        expect(after.settings).toEqual(before?.settings)
      })
    },
  )
})

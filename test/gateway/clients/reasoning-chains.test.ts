/** Reasoning of conversations that the gateway keeps: chains of stored responses, sockets, and threads of Messages. */
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createReasoningModel } from '../../support/reasoning/model.ts'
import { replays } from '../../support/reasoning/replay.ts'
import type { Stage, StagedUpstream } from '../../support/reasoning/stage.ts'
import { openStage } from '../../support/reasoning/stage.ts'
import type { Json } from '../../support/reasoning/voices.ts'
import { voices } from '../../support/reasoning/voices.ts'

function upstream(voice: string): StagedUpstream {
  const spoken = voices[voice] as (typeof voices)[string]
  // The gateway keeps the state of every upstream here, also of one that could.
  const settings = spoken.wire === 'responses' ? { state: 'gateway' as const } : {}
  return { name: 'a', voice: spoken, model: createReasoningModel(spoken, 'a'), settings }
}

/** Sends what is new and returns the answer. */
type Ask = (body: Json) => Promise<Json>

async function runChain(
  ask: Ask,
  between: (round: number) => Promise<void> = async () => {},
): Promise<number> {
  const { first, next } = replays.responses
  const start = first('m')
  let request: Json | undefined = start
  let rounds = 0
  for (; request !== undefined; rounds++) {
    const answer = await ask(request)
    const following = next({ ...start, input: [] }, answer)
    const results = (following?.input as readonly Json[] | undefined)?.filter(
      ({ type }) => type === 'function_call_output',
    )
    request = results && { ...start, input: results, previous_response_id: answer.id }
    await between(rounds)
  }
  return rounds
}

function asker(stage: Stage, stream: boolean): Ask {
  return async body => {
    const answer = await fetch(`${stage.baseURL}/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer a key' },
      body: JSON.stringify({ ...body, stream }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    if (!stream) return JSON.parse(text) as Json
    const [last = ''] = text.match(/\{"type":"response\.completed".*/) ?? []
    return (JSON.parse(last) as { response: Json }).response
  }
}

describe.each(Object.keys(voices))('an upstream with the voice %s', voice => {
  test.each([false, true])(
    'A chain of stored responses returns it after a restart, streamed: %s.',
    async stream => {
      const a = upstream(voice)
      const stage = await openStage([a])
      const rounds = runChain(asker(stage, stream), async round => {
        if (round === 2) await stage.restart()
      })
      await rounds.catch((error: unknown) => expect(a.model.refusals).toEqual([String(error)]))
      expect(await rounds).toBe(6)
    },
  )

  test('A socket that stores nothing returns it.', async () => {
    const a = upstream(voice)
    const stage = await openStage([a])
    const socket = new WebSocket(`${stage.baseURL.replace('http', 'ws')}/responses`, {
      headers: { authorization: 'Bearer a key' },
    })
    await new Promise(resolve => socket.once('open', resolve))
    const ask: Ask = body =>
      new Promise((resolve, reject) => {
        socket.on('message', (data: Buffer) => {
          const { type, response, error } = JSON.parse(data.toString()) as Json
          if (type === 'response.completed') resolve(response as Json)
          if (type === 'error' || type === 'response.failed')
            reject(new Error(JSON.stringify(error ?? response)))
        })
        // As Codex does: what is not stored has to be asked for.
        const asked = { store: false, include: ['reasoning.encrypted_content'] }
        socket.send(JSON.stringify({ type: 'response.create', ...body, ...asked }))
      })
    const rounds = runChain(async body => {
      const answer = await ask(body)
      socket.removeAllListeners('message')
      return answer
    })
    await rounds.catch((error: unknown) => expect(a.model.refusals).toEqual([String(error)]))
    expect(await rounds).toBe(6)
    socket.close()
  })

  test.each([false, true])('The thread of a toolRunner returns it, streamed: %s.', async stream => {
    const a = upstream(voice)
    const { baseURL } = await openStage([a])
    const client = new Anthropic({ apiKey: 'a key', baseURL: baseURL.replace(/\/v1$/, ''), maxRetries: 0 })
    const runner = client.beta.messages.toolRunner({
      model: 'm',
      max_tokens: 1000,
      stream,
      messages: [{ role: 'user', content: 'What is the weather?' }],
      tools: [
        betaTool({
          name: 'look',
          description: 'Looks.',
          inputSchema: { type: 'object', additionalProperties: true },
          run: () => 'rain',
        }),
      ],
    })
    const last = runner.runUntilDone()
    await last.catch((error: unknown) => expect(a.model.refusals).toEqual([String(error)]))
    expect((await last).content.at(-1)).toMatchObject({ type: 'text', text: 'All is well.' })
    expect(a.model.bodies).toHaveLength(6)
  })
})

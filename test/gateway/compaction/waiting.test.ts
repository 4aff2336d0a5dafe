/** A streamed client whose conversation is summarised before it goes on: what it gets while it waits, and when. */
import { describe, expect, test } from 'vitest'
import type { Harness } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { ReceivedAnswer } from '../../support/faults/request.ts'
import { sendTo } from '../../support/faults/request.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { framesOf, paths } from '../../support/faults/wires.ts'
import { eventsOf } from '../../support/open-responses/stream.ts'

const heartbeatMs = 15_000
const long = 'A long story. '.repeat(2000)
const messages = [
  { role: 'user', content: long },
  { role: 'assistant', content: 'I see.' },
  { role: 'user', content: 'Go on.' },
]
const bodies = {
  responses: {
    model: 'm',
    input: messages,
    stream: true,
    context_management: [{ type: 'compaction', compact_threshold: 500 }],
  },
  messages: {
    model: 'm',
    max_tokens: 100,
    messages,
    stream: true,
    context_management: {
      edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 500 } }],
    },
  },
} as const

const beginnings = { responses: 'response.created', messages: 'message_start' } as const
const summary = await framesOf('chat', { text: 'A summary.', usage: { input: 5, output: 2 } })
const answer = await framesOf('chat', { text: 'The end.', usage: { input: 3, output: 2 } })

interface Stage extends Harness {
  readonly told: ReceivedAnswer
  /** The request for the summary. */
  readonly asked: PendingRequest
}

describe.each(['responses', 'messages'] as const)('on %s', wire => {
  const begin = async (): Promise<Stage> => {
    const harness = createHarness({ heartbeatMs, upstream: { retries: 0 } })
    const told = sendTo(harness.gateway, paths[wire], { body: bodies[wire] })
    return { ...harness, told, asked: await harness.upstream.next() }
  }
  const finish = async ({ told, asked, upstream }: Stage): Promise<void> => {
    asked.data(summary.join('')).end()
    const next = await upstream.next()
    next.stream().data(answer.join('')).end()
    await told.done
  }

  test('A client hears nothing of a short summary but its result.', async () => {
    const stage = await begin()
    expect(stage.asked.body.stream).toBe(true)
    stage.asked.stream()
    await stage.clock.advance(heartbeatMs - 1)
    expect(stage.told.status).toBeUndefined()
    await finish(stage)
    expect(stage.told.text).toContain('The end.')
    expect(stage.clock.timers).toBe(0)
  })

  test('A client that waits long gets the beginning of its stream, signs of life, and then all of the rest once.', async () => {
    const stage = await begin()
    stage.asked.stream().data(summary[0] ?? '')
    await stage.clock.advance(heartbeatMs)
    expect(stage.told.status).toBe(200)
    expect(stage.told.text).toContain(beginnings[wire])
    const { length } = stage.told.text
    await stage.clock.advance(2 * heartbeatMs)
    expect(stage.told.text.length).toBeGreaterThan(length)
    stage.asked.data(summary.slice(1).join('')).end()
    const next = await stage.upstream.next()
    next.stream().data(answer.join('')).end()
    await stage.told.done
    const types = eventsOf(stage.told.text).map(event => event?.type)
    expect(types.filter(type => type === beginnings[wire])).toHaveLength(1)
    expect(stage.told.text).toContain('The end.')
    expect(stage.told.text).toContain('"compaction"')
    const numbers = eventsOf(stage.told.text).flatMap(event => event?.sequence_number ?? [])
    expect(numbers).toEqual(numbers.map((_, at) => at))
  })

  test('An upstream that has not begun a summary keeps the status of its refusal, however late.', async () => {
    const { clock, told, asked } = await begin()
    await clock.advance(2 * heartbeatMs)
    expect(told.status).toBeUndefined()
    asked.json(429, { error: { message: 'Slow down.' } }, { 'retry-after': '7' })
    await told.done
    expect([told.status, told.headers['retry-after']]).toEqual([429, '7'])
  })

  test('A refusal after a short summary keeps its status, and after a long one it is told in the stream.', async () => {
    for (const wait of [heartbeatMs - 1, heartbeatMs]) {
      const { clock, told, asked, upstream } = await begin()
      asked.stream().data(summary[0] ?? '')
      await clock.advance(wait)
      asked.data(summary.slice(1).join('')).end()
      const next = await upstream.next()
      await clock.advance(heartbeatMs)
      next.json(429, { error: { message: 'Slow down.' } })
      await told.done
      expect(told.status).toBe(wait < heartbeatMs ? 429 : 200)
      expect(told.text).toContain('Slow down.')
    }
  })
})

import { builtInWires } from '@toolwire/core'
import { expect, test } from 'vitest'
import { Stopwatch } from '../../platform/clock.ts'
import type { RequestContext } from '../context.ts'
import type { Sink } from '../http/contract.ts'
import { createEventLogs } from './event-logs.ts'
import { replayEvents } from './replay-events.ts'

const frame = (number: number): string => `data: {"sequence_number":${number}}\n\n`

/** All of a context that is read. */
const contextWith = (sink: Sink): RequestContext =>
  ({
    route: { wire: builtInWires.responses },
    gateway: { clock: { now: () => 0, date: () => 0, after: () => () => {} }, heartbeatMs: 0 },
    sink,
    headers: {},
    signal: new AbortController().signal,
    observation: { facts: {}, wantsViews: false },
    limit: { set: () => {} },
    stopwatch: new Stopwatch(() => 0),
  }) as unknown as RequestContext

test('A listener that is too slow gets an error for the events that were dropped, and no gap.', async () => {
  const log = createEventLogs(20 * frame(10).length).open('ann', 'one')
  const drains: (() => void)[] = []
  const sent: string[] = []
  const sink: Sink = {
    head: () => {},
    write: text => sent.push(String(text)) < 0,
    end: () => void sent.push('end'),
    onDrain: callback => void drains.push(callback),
  }
  log.append(frame(0))
  const replayed = replayEvents(contextWith(sink), log, 0)
  for (let number = 1; number < 100; number++) log.append(frame(number))
  for (const drained of drains.splice(0)) drained()
  await replayed
  expect(sent[0]).toBe(frame(0))
  expect(sent[1]).toContain('event: error')
  expect(sent[1]).toContain('events_gone')
  expect(sent.slice(2)).toEqual(['end'])
})

test.each([0, 3])(
  'An error that stops listening has the number of the event before, also before the first: %i.',
  async from => {
    const sent: string[] = []
    const write = (text: string | Uint8Array): boolean => sent.push(String(text)) > 0
    const sink: Sink = { head: () => {}, write, end: () => {}, onDrain: callback => callback() }
    const broken = {
      from: async () => {
        throw new Error('The store is away.')
      },
      isClosed: false,
      more: async () => {},
    }
    await replayEvents(contextWith(sink), broken, from)
    const [, json = ''] = /^event: error\ndata: (.*)\n\n$/.exec(sent.at(-1) ?? '') ?? []
    expect(JSON.parse(json)).toMatchObject({ type: 'error', sequence_number: from - 1 })
  },
)

import { builtInWires } from '@toolwire/core'
import { expect, test } from 'vitest'
import { Stopwatch } from '../../platform/clock.ts'
import type { RequestContext } from '../context.ts'
import type { Sink } from '../http/contract.ts'
import { createEventLogs } from './event-logs.ts'
import { replayEvents } from './replay-events.ts'

const frame = (number: number): string => `data: {"sequence_number":${number}}\n\n`

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
  // All that is read of a context.
  const context = {
    route: { wire: builtInWires.responses },
    gateway: { clock: { now: () => 0, date: () => 0, after: () => () => {} }, heartbeatMs: 0 },
    sink,
    headers: {},
    signal: new AbortController().signal,
    observation: { facts: {}, wantsViews: false },
    limit: { set: () => {} },
    stopwatch: new Stopwatch(() => 0),
  } as unknown as RequestContext
  log.append(frame(0))
  const replayed = replayEvents(context, log, 0)
  for (let number = 1; number < 100; number++) log.append(frame(number))
  for (const drained of drains.splice(0)) drained()
  await replayed
  expect(sent[0]).toBe(frame(0))
  expect(sent[1]).toContain('event: error')
  expect(sent[1]).toContain('events_gone')
  expect(sent.slice(2)).toEqual(['end'])
})

import { expect, test } from 'vitest'
import type { RequestContext } from '../context.ts'
import type { Sink } from '../http/contract.ts'
import { createEventLogs } from './event-logs.ts'
import { replayEvents } from './replay-events.ts'

const frame = (number: number): string => `data: {"sequence_number":${number}}\n\n`

test('a listener who is too slow is told that what it is to hear next has been let go, and hears no gap', async () => {
  const log = createEventLogs(20 * frame(10).length).open('ann', 'one')
  const drains: (() => void)[] = []
  const told: string[] = []
  const sink: Sink = {
    head: () => {},
    write: text => told.push(String(text)) < 0,
    end: () => void told.push('end'),
    onDrain: callback => void drains.push(callback),
  }
  // All that is looked at.
  const context = {
    gateway: { clock: { now: () => 0, date: () => 0, after: () => () => {} }, heartbeatMs: 0 },
    sink,
    headers: {},
    signal: new AbortController().signal,
    observation: { facts: {}, wantsViews: false },
    limit: { set: () => {} },
  } as unknown as RequestContext
  log.append(frame(0))
  const telling = replayEvents(context, log, 0)
  for (let number = 1; number < 100; number++) log.append(frame(number))
  for (const drained of drains.splice(0)) drained()
  await telling
  expect(told[0]).toBe(frame(0))
  expect(told[1]).toContain('event: error')
  expect(told[1]).toContain('events_gone')
  expect(told.slice(2)).toEqual(['end'])
})

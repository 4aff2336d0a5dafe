import { expect, test } from 'vitest'
import { createManualClock } from '../../../../../test/support/faults/clock.ts'
import type { Clock } from '../../platform/clock.ts'
import { Abort } from '../http/abort.ts'
import type { BodyReader, UpstreamAnswer } from './attempt.ts'
import { readBody } from './read-body.ts'

const nothing = (): void => {}

function answerThat(tells: (reader: BodyReader) => void): UpstreamAnswer {
  return { status: 200, headers: {}, read: tells, pause: nothing, resume: nothing, abort: nothing }
}

function readingOf(answer: UpstreamAnswer, clock: Clock): { heard: string; done: Promise<void> } {
  const reading = { heard: '', done: Promise.resolve() }
  reading.done = readBody({
    answer,
    clock,
    idleMs: 1_000,
    pingMs: 1_000,
    signal: new Abort(),
    name: 'up',
    progress: () => `${reading.heard.length} letters`,
    onData(chunks) {
      reading.heard += Buffer.concat(chunks).toString('utf8')
      return 'alive'
    },
  })
  return reading
}

test('An answer that has arrived completely is read without a timer.', async () => {
  const held = createManualClock()
  let timers = 0
  const after: Clock['after'] = (milliseconds, callback) => {
    timers++
    return held.after(milliseconds, callback)
  }
  const whole = answerThat(reader => {
    reader.data(Buffer.from('all '))
    reader.data(Buffer.from('of it'))
    reader.end()
  })
  const reading = readingOf(whole, { ...held, after })
  await reading.done
  expect(reading.heard).toBe('all of it')
  expect(timers).toBe(0)
})

test('An answer of which only the beginning has arrived is awaited no longer than the idle timeout.', async () => {
  const held = createManualClock()
  const reading = readingOf(
    answerThat(reader => reader.data(Buffer.from('half'))),
    held,
  )
  const failed = expect(reading.done).rejects.toThrow(
    'Upstream "up" sent nothing for 1000 ms; 4 letters had come',
  )
  await held.advance(1_000)
  await failed
  expect(held.timers).toBe(0)
})

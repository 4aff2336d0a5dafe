import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { Abort } from '../http/abort.ts'
import type { Transport } from '../http/contract.ts'
import { openAnswer } from './attempt.ts'

const request = { method: 'POST', url: 'http://up.test/v1', headers: {}, body: '', connectMs: 1 } as const
const flow = { pause: () => {}, resume: () => {}, abort: () => {} }

test('A transport may pass on the functions of its receiver, each alone.', async () => {
  const transport: Transport = (_request, { head, data, end }) => {
    head(200, {})
    data(Buffer.from('said'))
    end()
    return flow
  }
  const signal = new Abort()
  const answer = await openAnswer({
    transport,
    request,
    firstByteMs: 0,
    clock: systemClock,
    signal,
    name: 'up',
  })
  const heard: string[] = []
  answer.read({
    data: chunk => heard.push(Buffer.from(chunk).toString('utf8')),
    end: () => heard.push('end'),
    fail: error => heard.push(error.message),
  })
  expect(heard).toEqual(['said', 'end'])
})

test('A transport may pass on the function that reports a failure.', async () => {
  const transport: Transport = (_request, { fail }) => {
    fail(new Error('no route'))
    return flow
  }
  const signal = new Abort()
  const asking = openAnswer({ transport, request, firstByteMs: 0, clock: systemClock, signal, name: 'up' })
  await expect(asking).rejects.toThrow('no route')
})

import { describe, expect, test } from 'vitest'
import { checkEventOrder } from '../../../../test/support/streams/event-order.ts'
import { createReport } from '../model/diagnostic.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import { createSseParser } from '../sse/sse-parser.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import { builtInConversations, wireNames as wires } from '../wires/registry.ts'
import type { Fault } from './index.ts'
import { ConnectionError, createScriptedModel, says } from './index.ts'

const request = { model: 'any', stream: true }

interface Read {
  readonly frames: string[]
  readonly failure: unknown
}

async function read(wire: Wire, fault?: Fault, signal?: AbortSignal): Promise<Read> {
  const turn = says('What a fine day it is today', fault === undefined ? {} : { fault })
  const stream = await createScriptedModel({ wire, script: [turn] }).send(request, { signal })
  const frames: string[] = []
  try {
    for await (const frame of stream as AsyncIterable<string>) frames.push(frame)
  } catch (failure) {
    return { frames, failure }
  }
  return { frames, failure: undefined }
}

function decode(wire: Wire, frames: readonly string[]): StreamEvent[] {
  const parser = createSseParser()
  const decoder = builtInConversations[wire].createStreamDecoder(createReport().report)
  const parsed = [...parser.push(frames.join('')), ...parser.end()]
  return [...parsed.flatMap(frame => decoder.push(frame)), ...decoder.end()]
}

describe.each(wires)('Streams on %s', wire => {
  test('A cut stream ends after the given number of events.', async () => {
    const { frames: good } = await read(wire)
    for (let kept = 0; kept <= good.length; kept++) {
      expect(await read(wire, { cut: kept })).toEqual({ frames: good.slice(0, kept), failure: undefined })
    }
  })

  test('A reset stream fails after the given number of events.', async () => {
    const { frames: good } = await read(wire)
    const { frames, failure } = await read(wire, { reset: 3 })
    expect(frames).toEqual(good.slice(0, 3))
    expect(failure).toBeInstanceOf(ConnectionError)
  })

  test('A stream with an error frame ends with the error event of its wire, after any number of events.', async () => {
    const { frames: good } = await read(wire)
    for (let after = 0; after <= good.length; after++) {
      const { frames } = await read(wire, {
        errorFrame: after,
        error: { kind: 'overloaded', message: 'Busy.' },
      })
      expect(checkEventOrder(wire, frames.join(''))).toEqual([])
      const endings = decode(wire, frames).filter(({ type }) => type === 'finish' || type === 'error')
      expect(endings).toMatchObject([{ type: 'error', error: { kind: 'overloaded', message: 'Busy.' } }])
      expect(frames.length).toBeGreaterThan(Math.min(after, good.length - 4))
    }
  })

  test('A malformed stream has one event that is not JSON.', async () => {
    const { frames: good } = await read(wire)
    const { frames } = await read(wire, { malformed: 2 })
    expect(frames.toSpliced(2, 1)).toEqual(good.toSpliced(2, 1))
    const [broken] = createSseParser().push(frames[2] ?? '')
    expect(() => JSON.parse(broken?.data ?? '{}')).toThrow(SyntaxError)
  })

  test('A stream with a duplicate has one event twice.', async () => {
    const { frames: good } = await read(wire)
    const { frames } = await read(wire, { duplicate: 1 })
    expect(frames).toEqual(good.toSpliced(1, 0, good[1] ?? ''))
  })

  test('A stalled stream waits until the signal aborts.', async () => {
    const { frames: good } = await read(wire)
    const abort = new AbortController()
    const reading = read(wire, { stall: 2 }, abort.signal)
    const first = await Promise.race([reading, turnsOfTheLoop('waiting')])
    expect(first).toBe('waiting')
    abort.abort(new Error('enough'))
    expect(await reading).toEqual({ frames: good.slice(0, 2), failure: new Error('enough') })
  })

  test('A reader can leave a stalled stream without a signal.', async () => {
    const stream = await createScriptedModel({ wire, script: [says('a', { fault: { stall: 0 } })] }).send(
      request,
    )
    const iterator = (stream as AsyncIterable<string>)[Symbol.asyncIterator]()
    const waiting = iterator.next()
    await iterator.return?.()
    expect(await waiting).toMatchObject({ done: true })
    expect(await iterator.next()).toMatchObject({ done: true })
  })

  test('An abort ends a stream without faults.', async () => {
    const abort = new AbortController()
    const stream = await createScriptedModel({ wire, script: [says('abc')] }).send(request, abort)
    const iterator = (stream as AsyncIterable<string>)[Symbol.asyncIterator]()
    expect(await iterator.next()).toMatchObject({ done: false })
    abort.abort(new Error('enough'))
    await expect(iterator.next()).rejects.toThrow('enough')
    expect(await iterator.next()).toMatchObject({ done: true })
  })
})

/** Long enough for everything that depends on promises only. */
async function turnsOfTheLoop<T>(value: T): Promise<T> {
  for (let i = 0; i < 5; i++) await new Promise(resolve => setImmediate(resolve))
  return value
}

describe('Answers that are not streamed', () => {
  const send = (fault: Fault, signal?: AbortSignal): Promise<unknown> =>
    createScriptedModel({ wire: 'chat', script: [says('Hello', { fault })] }).send({}, { signal })

  test('A fault loses the connection, breaks the JSON or refuses the request.', async () => {
    await expect(send('unreachable')).rejects.toThrow(ConnectionError)
    await expect(send({ cut: 1 })).rejects.toThrow(ConnectionError)
    await expect(send({ reset: 1 })).rejects.toThrow(ConnectionError)
    await expect(send({ malformed: 0 })).rejects.toThrow('The answer is not JSON')
    await expect(send({ errorFrame: 1 })).rejects.toMatchObject({ status: 500 })
    expect(await send({ duplicate: 0 })).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
  })

  test('A stalled answer waits until the signal aborts.', async () => {
    const abort = new AbortController()
    const waiting = send({ stall: 0 }, abort.signal)
    abort.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  test('An aborted request is not recorded.', async () => {
    const model = createScriptedModel({ wire: 'chat', script: [says('Hello')] })
    await expect(model.send({}, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone')
    expect(model.requests).toEqual([])
  })
})

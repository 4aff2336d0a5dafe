import { afterEach, describe, expect, test, vi } from 'vitest'
import { factsOf, pass } from './exchange.test-helper.ts'
import type { FactsObserver, Observer } from './observer.ts'
import { noopObserver } from './observer.ts'
import { ObserverBatches } from './observer-batches.ts'
import { createTraceRing } from './traces/trace-ring.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** What each of two observers heard, in one list. */
function stage() {
  const heard: string[] = []
  const log: FactsObserver = {
    ended: ({ id, finish }) => void heard.push(`log ${id} ${finish ?? ''}`.trimEnd()),
    flush: () => void heard.push('flush'),
  }
  const viewer: Observer = {
    begin: facts => ({ ...noopObserver.begin(facts), end: () => void heard.push(`end ${facts.id}`) }),
  }
  const batches = new ObserverBatches([viewer, log])
  const end = (...ids: readonly string[]): void => {
    for (const id of ids) pass(batches, { id })
  }
  return { batches, heard, end }
}

describe('observers that are told of many exchanges at a time', () => {
  test('The first is told of before the event loop turns, and those that follow it closely after a moment.', () => {
    vi.useFakeTimers()
    const { heard, end, batches } = stage()
    end('a', 'b')
    expect(heard).toEqual([])
    vi.advanceTimersByTime(0)
    expect(heard).toEqual(['log a', 'log b', 'end a', 'end b', 'flush'])
    end('c')
    vi.advanceTimersByTime(0)
    expect(heard).toHaveLength(5)
    vi.advanceTimersByTime(20)
    expect(heard.slice(5)).toEqual(['log c', 'end c', 'flush'])
    vi.advanceTimersByTime(20)
    end('d')
    vi.advanceTimersByTime(0)
    expect(heard.slice(8)).toEqual(['log d', 'end d', 'flush'])
    batches.close()
  })

  test('Of many exchanges they are told without waiting.', () => {
    const { heard, end, batches } = stage()
    end(...Array.from({ length: 40 }, (_, i) => `${i}`))
    expect(heard.filter(line => line.startsWith('log'))).toHaveLength(32)
    batches.close()
    expect(heard.filter(line => line.startsWith('log'))).toHaveLength(40)
  })

  test('They are told of the rest at exit and at close, and the listener is removed.', () => {
    const before = process.listenerCount('exit')
    const { heard, end, batches } = stage()
    end('a')
    process.listeners('exit').at(-1)?.call(process, 0)
    expect(heard).toContain('log a')
    end('b')
    batches.close()
    expect(heard).toContain('log b')
    expect(process.listenerCount('exit')).toBe(before)
  })

  test('What is added to the facts later is there when observers are told.', () => {
    const { heard, batches } = stage()
    pass(batches, { id: 'a' }, observation =>
      observation.later?.(() => {
        observation.facts.finish = 'stop'
      }),
    )
    batches.close()
    expect(heard).toContain('log a stop')
  })

  test('Later work that fails affects neither the exchange nor others, and is reported.', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const { heard, batches, end } = stage()
    pass(batches, { id: 'a' }, observation =>
      observation.later?.(() => {
        throw new Error('no such field')
      }),
    )
    end('b')
    batches.close()
    expect(heard).toEqual(['log a', 'log b', 'end a', 'end b', 'flush'])
    expect(warn.mock.calls.map(([text]) => text)).toEqual(['Watching an exchange failed: no such field'])
  })

  test('An observer that cannot write what it has heard keeps no other from it, and is reported once.', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const flush = vi.fn(() => {
      throw new Error('the disk is full')
    })
    const other = { ended: () => {}, flush: vi.fn() }
    const batches = new ObserverBatches([{ ended: () => {}, flush }, other])
    for (const id of ['a', 'b']) {
      pass(batches, { id })
      batches.flush()
    }
    batches.close()
    expect([flush, other.flush].map(({ mock }) => mock.calls.length)).toEqual([2, 2])
    expect(warn.mock.calls.map(([text]) => text)).toEqual(['Watching an exchange failed: the disk is full'])
  })

  test('Whoever reads gets what has ended until then.', async () => {
    const ring = createTraceRing()
    let count = 0
    const batches = new ObserverBatches([ring, { ended: () => void count++ }])
    const reader = batches.reading(ring)
    const usage = batches.readingUsage(async () => [count])
    const watch = reader.watch?.()
    const ended = { route: 'POST /v1/responses', status: 200 }
    const last = async (): Promise<unknown> => (await reader.list(1))[0]
    pass(batches, { ...ended, id: 'req_listed' })
    expect(await last()).toMatchObject({ id: 'req_listed', state: 'ended' })
    pass(batches, { ...ended, id: 'req_read' })
    expect(await reader.get('req_read')).toMatchObject({ summary: { state: 'ended' } })
    pass(batches, { ...ended, id: 'req_news' })
    expect(await watch?.take()).toContainEqual(expect.objectContaining({ id: 'req_news', state: 'ended' }))
    pass(batches, { ...ended, id: 'req_used' })
    expect(await usage(0)).toEqual([4])
    expect(batches.begin(factsOf()).wantsViews).toBe(false)
    batches.close()
  })
})

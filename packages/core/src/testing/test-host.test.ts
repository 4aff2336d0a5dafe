import { describe, expect, test } from 'vitest'
import { createTestHost } from './test-host.ts'

describe('createTestHost', () => {
  test('Timers fire in the order they are due, and equal ones in the order they were set.', async () => {
    const host = createTestHost()
    const log: string[] = []
    const note = (name: string) => (): void => void log.push(`${name} ${host.now()}`)
    host.after(20, note('c'))
    host.after(10, note('a'))
    host.after(10, note('b'))
    const cancel = host.after(5, note('never'))
    cancel()
    host.after(Number.POSITIVE_INFINITY, note('never'))
    await host.advance(15)
    expect(log).toEqual(['a 10', 'b 10'])
    expect([host.now(), host.timers]).toEqual([15, 1])
    await host.runAll()
    expect(log).toEqual(['a 10', 'b 10', 'c 20'])
  })

  test('Promises settle before the clock moves.', async () => {
    const host = createTestHost()
    const log: number[] = []
    const wait = (ms: number): Promise<void> => new Promise(resolve => void host.after(ms, resolve))
    void (async () => {
      for (let round = 0; round < 3; round++) {
        await wait(10)
        for (let turn = 0; turn < 500; turn++) await Promise.resolve()
        log.push(host.now())
      }
    })()
    await host.runAll()
    expect(log).toEqual([10, 20, 30])
  })

  test('Listeners count until they are removed or their signal has aborted.', () => {
    const host = createTestHost()
    const [one, two] = [host.createAbort(), host.createAbort()]
    const heard: unknown[] = []
    const listener = (): void => void heard.push(one.signal.reason)
    one.signal.addEventListener('abort', listener)
    two.signal.addEventListener('abort', listener)
    expect(host.listeners).toBe(2)
    two.signal.removeEventListener('abort', listener)
    expect(host.listeners).toBe(1)
    one.abort('why')
    expect(host.listeners).toBe(0)
    expect(heard).toEqual(['why'])
    expect(AbortSignal.any([one.signal, two.signal]).aborted).toBe(true)
  })

  test('The same seed gives the same random numbers.', () => {
    const draw = (seed: number): number[] => {
      const host = createTestHost({ seed })
      return Array.from({ length: 100 }, () => host.random())
    }
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
    expect(draw(7).every(chance => chance >= 0 && chance < 1)).toBe(true)
    expect(new Set(draw(7)).size).toBe(100)
  })

  test('Endless timers throw an error.', async () => {
    const host = createTestHost()
    const again = (): void => void host.after(0, again)
    again()
    await expect(host.runAll()).rejects.toThrow('without end')
  })
})

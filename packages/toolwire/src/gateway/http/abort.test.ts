import { describe, expect, test } from 'vitest'
import { Abort, platformSignal } from './abort.ts'

describe('Abort', () => {
  test('An abort calls every listener once and keeps the first reason.', () => {
    const abort = new Abort()
    const heard: unknown[] = []
    abort.addEventListener('abort', () => heard.push(abort.reason))
    abort.addEventListener('abort', () => heard.push('second'))
    abort.abort('first')
    abort.abort('again')
    expect(heard).toEqual(['first', 'second'])
    expect(abort.aborted).toBe(true)
    expect(abort.reason).toBe('first')
  })

  test('An abort does not call a listener that was removed.', () => {
    const abort = new Abort()
    const heard: string[] = []
    const listener = (): void => void heard.push('removed')
    abort.addEventListener('abort', listener)
    abort.addEventListener('abort', () => heard.push('kept'))
    abort.removeEventListener('abort', listener)
    abort.removeEventListener('abort', listener)
    abort.abort()
    expect(heard).toEqual(['kept'])
  })

  test('An abort does not call a listener that an earlier one has removed.', () => {
    const abort = new Abort()
    const heard: string[] = []
    const last = (): void => void heard.push('last')
    abort.addEventListener('abort', () => {
      heard.push('first')
      abort.removeEventListener('abort', last)
    })
    abort.addEventListener('abort', last)
    abort.abort()
    expect(heard).toEqual(['first'])
  })

  test('An abort does not call listeners that are added later, like that of the platform.', () => {
    const abort = new Abort()
    abort.abort()
    abort.addEventListener('abort', () => expect.unreachable())
  })
})

describe('platformSignal', () => {
  test('A platform signal aborts with the same reason, whether it was made before or after.', () => {
    const early = new Abort()
    early.abort('gone')
    expect(platformSignal(early).signal.reason).toBe('gone')
    const late = new Abort()
    const { signal } = platformSignal(late)
    expect(signal.aborted).toBe(false)
    late.abort('gone')
    expect(signal.reason).toBe('gone')
  })

  test('A platform signal that was released does not abort.', () => {
    const abort = new Abort()
    const { signal, release } = platformSignal(abort)
    release()
    abort.abort()
    expect(signal.aborted).toBe(false)
  })
})

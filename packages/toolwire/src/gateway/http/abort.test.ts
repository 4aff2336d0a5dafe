import { describe, expect, it } from 'vitest'
import { Abort, platformSignal } from './abort.ts'

describe('Abort', () => {
  it('tells every listener once, with the first reason', () => {
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

  it('does not tell a listener that was removed', () => {
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

  it('does not tell a listener that an earlier one has removed', () => {
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

  it('tells nobody who comes too late, as the platform does', () => {
    const abort = new Abort()
    abort.abort()
    abort.addEventListener('abort', () => expect.unreachable())
  })
})

describe('platformSignal', () => {
  it('is given with the same reason, before and after', () => {
    const early = new Abort()
    early.abort('gone')
    expect(platformSignal(early).signal.reason).toBe('gone')
    const late = new Abort()
    const { signal } = platformSignal(late)
    expect(signal.aborted).toBe(false)
    late.abort('gone')
    expect(signal.reason).toBe('gone')
  })

  it('is left alone once released', () => {
    const abort = new Abort()
    const { signal, release } = platformSignal(abort)
    release()
    abort.abort()
    expect(signal.aborted).toBe(false)
  })
})

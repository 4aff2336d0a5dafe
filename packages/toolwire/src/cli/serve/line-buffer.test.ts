import { afterEach, describe, expect, test, vi } from 'vitest'
import { createLineBuffer } from './line-buffer.ts'

afterEach(() => void vi.useRealTimers())

describe('lines for whoever reads later', () => {
  test('Lines are written together, in order: the first at once, and those that follow it after a moment.', () => {
    vi.useFakeTimers()
    const written: string[] = []
    const lines = createLineBuffer(text => void written.push(text))
    lines.write('a\n')
    lines.write('b\n')
    expect(written).toEqual([])
    vi.advanceTimersByTime(0)
    expect(written).toEqual(['a\nb\n'])
    lines.write('c\n')
    lines.write('d\n')
    vi.advanceTimersByTime(0)
    expect(written).toHaveLength(1)
    vi.advanceTimersByTime(20)
    expect(written).toEqual(['a\nb\n', 'c\nd\n'])
    vi.advanceTimersByTime(20)
    lines.write('e\n')
    vi.advanceTimersByTime(0)
    expect(written).toEqual(['a\nb\n', 'c\nd\n', 'e\n'])
    lines.close()
    expect(written).toHaveLength(3)
  })

  test('Many lines are written without waiting.', () => {
    const written: string[] = []
    const lines = createLineBuffer(text => void written.push(text))
    const line = `${'x'.repeat(5000)}\n`
    for (let i = 0; i < 4; i++) lines.write(line)
    expect(written).toEqual([line.repeat(4)])
    lines.close()
  })

  test('Lines are written at exit and at close, and the listener is removed.', () => {
    const before = process.listenerCount('exit')
    const written: string[] = []
    const lines = createLineBuffer(text => void written.push(text))
    lines.write('a\n')
    process.listeners('exit').at(-1)?.call(process, 0)
    expect(written).toEqual(['a\n'])
    lines.write('b\n')
    lines.close()
    expect(written).toEqual(['a\n', 'b\n'])
    expect(process.listenerCount('exit')).toBe(before)
  })
})

import { describe, expect, test } from 'vitest'
import { createLineBuffer } from './line-buffer.ts'

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

describe('lines for whoever reads later', () => {
  test('Lines are written together, in order, before the event loop turns.', async () => {
    const written: string[] = []
    const lines = createLineBuffer(text => void written.push(text))
    lines.write('a\n')
    lines.write('b\n')
    expect(written).toEqual([])
    await turn()
    lines.write('c\n')
    await turn()
    expect(written).toEqual(['a\nb\n', 'c\n'])
    lines.close()
    expect(written).toHaveLength(2)
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

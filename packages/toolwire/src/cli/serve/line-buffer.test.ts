import { describe, expect, test } from 'vitest'
import { createLineBuffer } from './line-buffer.ts'

describe('lines that are written together', () => {
  test('Lines are written together, in order, when they are asked for.', () => {
    const written: string[] = []
    const lines = createLineBuffer(text => void written.push(text))
    lines.write('a\n')
    lines.write('b\n')
    expect(written).toEqual([])
    lines.flush()
    lines.flush()
    lines.write('c\n')
    lines.flush()
    expect(written).toEqual(['a\nb\n', 'c\n'])
  })

  test('Many lines are written without waiting.', () => {
    const written: string[] = []
    const lines = createLineBuffer(text => void written.push(text))
    const line = `${'x'.repeat(5000)}\n`
    for (let i = 0; i < 4; i++) lines.write(line)
    expect(written).toEqual([line.repeat(4)])
  })

  test('No more is written together than may be, and a longer line is written alone.', () => {
    const written: string[] = []
    const lines = createLineBuffer(text => void written.push(text), 10)
    for (const line of ['four\n', 'five\n', 'six\n', `${'x'.repeat(20)}\n`, 'é\n']) lines.write(line)
    lines.flush()
    expect(written).toEqual(['four\nfive\n', 'six\n', `${'x'.repeat(20)}\n`, 'é\n'])
  })
})

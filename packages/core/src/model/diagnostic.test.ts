import { expect, test } from 'vitest'
import type { Path } from './diagnostic.ts'
import { into } from './diagnostic.ts'

test('into appends one key at any depth and does not modify the path.', () => {
  const whole: Path = ['a', 0, 'b', 1, 'c', 2]
  for (let depth = 0; depth < whole.length; depth++) {
    const path = whole.slice(0, depth)
    expect(into(path, 'key')).toEqual([...path, 'key'])
    expect(into(path, 7)).toEqual([...path, 7])
    expect(path).toEqual(whole.slice(0, depth))
  }
})

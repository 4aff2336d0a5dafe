import { expect, test } from 'vitest'
import { heapInUse } from '../../../../../test/support/soak/leaks.ts'
import { plainString } from './json-members.ts'

test('A name out of a body does not keep the body in memory.', async () => {
  const before = await heapInUse()
  const names = Array.from({ length: 40 }, (_, i) => {
    const name = `a-model-with-a-long-name-${i}`
    const body = Buffer.from(`"${name}"${' '.repeat(500_000)}`).toString('latin1')
    return plainString(body, 0, name.length + 2)
  })
  expect((await heapInUse()) - before).toBeLessThan(5_000_000)
  expect(names[39]).toBe('a-model-with-a-long-name-39')
})

test('A plain string has no escapes and no characters beyond ASCII.', () => {
  const read = (text: string): string | undefined => plainString(text, 0, text.length)
  expect([read('"gpt-5"'), read('""'), read('"a\\"b"'), read('"é"'), read('17')]).toEqual([
    'gpt-5',
    '',
    undefined,
    undefined,
    undefined,
  ])
})

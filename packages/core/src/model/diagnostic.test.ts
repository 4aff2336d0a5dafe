import { expect, test } from 'vitest'
import type { Path } from './diagnostic.ts'
import { createReport, into, mostDiagnostics } from './diagnostic.ts'

test('into appends one key at any depth and does not modify the path.', () => {
  const whole: Path = ['a', 0, 'b', 1, 'c', 2]
  for (let depth = 0; depth < whole.length; depth++) {
    const path = whole.slice(0, depth)
    expect(into(path, 'key')).toEqual([...path, 'key'])
    expect(into(path, 7)).toEqual([...path, 7])
    expect(path).toEqual(whole.slice(0, depth))
  }
})

test('A full list counts the losses of codes it has, lists each other code once, and drops what loses nothing.', () => {
  const { report, diagnostics } = createReport()
  for (let i = 0; i < mostDiagnostics + 500; i++) report('field_dropped', [i], 'Dropped.')
  for (let i = 0; i < 3; i++) report('hosted_tool_refused', [i], 'Refused.')
  report('hint_dropped', [], 'Nothing lost.')
  report('hint_dropped', [], 'Nothing lost.')
  const rest = diagnostics.slice(mostDiagnostics)
  expect(rest.map(({ code }) => code)).toEqual(['losses_omitted', 'hosted_tool_refused', 'hint_dropped'])
  expect(rest[0]).toMatchObject({ severity: 'warning', omitted: 502, path: [] })
  expect(rest[0]?.message).toContain('502 more losses')
})

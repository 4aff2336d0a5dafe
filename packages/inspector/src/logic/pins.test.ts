import { expect, test } from 'vitest'
import { depthIn, isWithin, jsonLines, pinsOf } from './pins.ts'

const tool = {
  type: 'function',
  name: 'run',
  strict: true,
  parameters: { type: 'object', properties: { command: { type: 'string', description: 'x'.repeat(80) } } },
}

test('A body has a line for each value, small ones on one line, and a limit.', () => {
  const { lines } = jsonLines(tool, ['tools', 3], 100)
  expect(lines[0]).toMatchObject({ path: ['tools', 3], text: '{', depth: 0 })
  expect(lines.find(({ name }) => name === 'strict')).toMatchObject({
    path: ['tools', 3, 'strict'],
    text: 'true',
  })
  expect(jsonLines(tool, [], 3)).toMatchObject({ lines: { length: 3 }, left: lines.length - 3 })
  expect(jsonLines({ a: 1, b: [1, 2] }, [], 9).lines.map(({ text }) => text)).toEqual([
    '{',
    '1',
    '[ 1, 2 ]',
    '}',
  ])
})

test('A diagnostic is pinned to the line of its path, or to the nearest line around it.', () => {
  const { lines } = jsonLines(tool, ['tools', 3], 100)
  const losses = [
    { path: ['tools', 3, 'strict'], code: 'a' },
    { path: ['tools', 3, 'parameters', 'properties', 'gone', 'deep'], code: 'b' },
    { path: ['tools', 3, 'nothing'], code: 'c' },
  ]
  const pins = pinsOf(losses, lines)
  const named = [...pins].flatMap(([at, found]) => found.map(({ code }) => [code, lines[at]?.path.join('.')]))
  expect(Object.fromEntries(named)).toEqual({
    a: 'tools.3.strict',
    b: 'tools.3.parameters.properties',
    c: 'tools.3',
  })
})

test('It is told whether a path is within another, and how much of it a body has.', () => {
  expect(isWithin(['tools', 0, 'name'], ['tools', 0])).toBe(true)
  expect(isWithin(['tools', 1], ['tools', 0])).toBe(false)
  expect(depthIn({ a: { b: 1 } }, ['a', 'b', 'c'])).toBe(2)
  expect(depthIn({}, ['constructor'])).toBe(0)
})

test('A line with a diagnostic is there however far down it stands, with the lines around it and a mark for what is left out.', () => {
  const many = { list: Array.from({ length: 500 }, (_, i) => ({ id: i, text: 'x'.repeat(100) })), last: 1 }
  const losses = [{ path: ['list', 400, 'text'] }, { path: ['list', 450, 'gone', 'deep'] }]
  const { lines, left } = jsonLines(
    many,
    [],
    10,
    losses.map(({ path }) => path),
  )
  expect(lines.length).toBeLessThan(30)
  expect(lines.length - lines.filter(({ kind }) => kind === 'gap').length + left).toBe(4 * 500 + 5)
  const at = [...pinsOf(losses, lines).keys()].map(i => lines[i]?.path.join('.'))
  expect(at).toEqual(['list.400.text', 'list.450'])
  expect(lines.filter(({ kind }) => kind === 'gap').length).toBeGreaterThanOrEqual(3)
})

import { expect, test } from 'vitest'
import { eventsOf, looksLikeStream, newsIn } from './events.ts'

test('A stream is its events, each with a name and its time.', () => {
  const text =
    'event: start\ndata: {"a":1}\n\n: keep-alive\n\ndata: {"type":"delta","x":1}\ndata: more\n\ndata: [DONE]\n\n'
  expect(eventsOf(text, [1, 2, 3])).toEqual([
    { index: 0, name: 'start', data: '{"a":1}', ms: 1 },
    { index: 1, name: 'comment', data: ': keep-alive', ms: 2 },
    { index: 2, name: 'delta', data: '{"type":"delta","x":1}\nmore', ms: 3 },
    { index: 3, name: 'done', data: '[DONE]', ms: undefined },
  ])
})

test('A body is told from a stream.', () => {
  expect(looksLikeStream('data: 1\n\n')).toBe(true)
  expect(looksLikeStream('{"data": 1}')).toBe(false)
  expect(looksLikeStream('')).toBe(false)
})

test('An event of a stream is shown by what is new in it.', () => {
  const chunk = (content: string) =>
    `data: {"id":"c1","choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`
  const [first, second, third] = eventsOf(`${chunk('It')}${chunk('rains')}event: end\ndata: {"id":"c1"}\n\n`)
  if (first === undefined || second === undefined || third === undefined) throw new Error('There are three.')
  expect(newsIn(first, undefined)).toBe(first.data)
  expect(newsIn(second, first)).toBe('…"content":"rains"}}]}')
  expect(newsIn(third, second)).toBe('{"id":"c1"}')
})

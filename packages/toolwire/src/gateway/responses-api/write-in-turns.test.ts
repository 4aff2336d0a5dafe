import { expect, onTestFinished, test, vi } from 'vitest'
import { TurnWriter } from './write-in-turns.ts'

const long = 'It is a "long" story.\n\u0000 漢字 😀 '.repeat(100_000)

test.each([
  ['a short answer', { id: 'a', output: [], usage: null, missing: undefined, list: [undefined, 1] }],
  ['a long text', { id: 'a', output: [{ type: 'message', text: long }], last: true }],
  ['half a pair at the end of a long text', { text: `${long}\ud83d` }],
  [
    'many short items',
    { output: Array.from({ length: 60_000 }, (_, id) => ({ id, text: 'a', deep: [{}] })) },
  ],
  ['nothing in lists and objects', { output: Array.from({ length: 40_000 }, () => []), none: {} }],
])('%s is written as JSON.stringify does, and little of it at a time.', async (_, value) => {
  const expected = JSON.stringify(value)
  const { stringify } = JSON
  let longest = 0
  vi.spyOn(JSON, 'stringify').mockImplementation((given: unknown) => {
    const json = stringify(given)
    longest = Math.max(longest, json?.length ?? 0)
    return json
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const { json, pieces = [json] } = await new TurnWriter().write('a', value)
  vi.restoreAllMocks()
  expect(json === expected).toBe(true)
  expect(pieces.join('') === expected).toBe(true)
  expect(longest).toBeLessThan(600_000)
  // A piece is written in a turn.
  for (const piece of pieces) expect(piece.length).toBeLessThan(900_000)
})

test('What several calls write counts together.', async () => {
  const writer = new TurnWriter()
  const turns = vi.spyOn(globalThis, 'setImmediate')
  onTestFinished(() => void vi.restoreAllMocks())
  const values = Array.from({ length: 100 }, (_, index) => ({ index, text: 'a'.repeat(30_000) }))
  for (const [index, value] of values.entries()) {
    expect((await writer.write(`item_${index}`, value)).json).toBe(JSON.stringify(value))
  }
  expect(turns.mock.calls.length).toBeGreaterThan(8)
})

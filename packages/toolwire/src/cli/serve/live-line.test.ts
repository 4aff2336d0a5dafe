import { expect, test } from 'vitest'
import { combineObservers } from '../../telemetry/combine-observers.ts'
import { factsOf } from '../../telemetry/exchange.test-helper.ts'
import { createMemoryIo } from '../../terminal/memory-io.test-helper.ts'
import { createLiveLine } from './live-line.ts'

const erase = '\r\u001b[2K'

test('Requests under way are one line below everything else, and none when they are over.', () => {
  const { io, printed } = createMemoryIo({ isTTY: true, columns: 60, env: { NO_COLOR: '1' } })
  let now = 0
  let tick = (): void => {}
  let stops = 0
  const live = createLiveLine(io, {
    uptimeMs: () => now,
    every(_, callback) {
      tick = callback
      return () => stops++
    },
  })
  const facts = factsOf({ route: 'POST /v1/responses', model: 'qwen3\u001b' })
  const observer = combineObservers(live.observer)
  const first = observer.begin(facts)
  tick()
  expect(printed.stderr).toBe('')
  now = 1000
  tick()
  expect(printed.stderr).toBe(`${erase}⠹ 1 under way  qwen3\\u001b 1.00 s`)
  facts.firstByteMs = 5
  const health = observer.begin(factsOf({ route: 'GET /live' }))
  live.io.stderr.write('a log line\n')
  expect(printed.stderr).toMatch(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is tested
    /\r\u001b\[2Ka log line\n\r\u001b\[2K⠹ 1 under way {2}qwen3\\u001b 1\.00 s streaming$/,
  )
  first.end()
  health.end()
  expect(printed.stderr.endsWith(erase)).toBe(true)
  expect(stops).toBe(1)
  live.io.stdout.write('more\n')
  expect(printed.stdout).toBe('more\n')
})

import { expect, test } from 'vitest'
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { createLiveList } from './live-list.ts'

const summary = (id: string, state: 'running' | 'ended'): TraceSummary =>
  ({ id, state, time: `2026-11-18T10:00:0${id}.000Z` }) as TraceSummary
const statesOf = (list: readonly TraceSummary[]): string[] => list.map(({ id, state }) => `${id} ${state}`)

/** A list whose loading the test ends. */
function staged() {
  const loads: ((list: readonly TraceSummary[]) => void)[] = []
  let shown: readonly TraceSummary[] = []
  let waiting: readonly TraceSummary[] = []
  const live = createLiveList({
    most: 100,
    load: () => new Promise(resolve => loads.push(resolve)),
    show(summaries, held) {
      shown = summaries
      waiting = held
    },
  })
  return { live, loads, shown: () => statesOf(shown), waiting: () => statesOf(waiting) }
}

test('What ends after the list was made and before it is there is shown as ended.', async () => {
  const { live, loads, shown } = staged()
  const loaded = live.reload()
  live.add([summary('1', 'ended')])
  loads[0]?.([summary('1', 'running')])
  await loaded
  expect(shown()).toEqual(['1 ended'])
})

test('A list that comes after a newer one was asked for is not shown.', async () => {
  const { live, loads, shown } = staged()
  const both = [live.reload(), live.reload()]
  loads[1]?.([summary('2', 'ended')])
  loads[0]?.([summary('1', 'running')])
  await Promise.all(both)
  expect(shown()).toEqual(['2 ended'])
})

test('A paused list stays as it is, whatever is loaded, and shows all of it afterwards.', async () => {
  const { live, loads, shown, waiting } = staged()
  live.add([summary('1', 'running')])
  live.setPaused(true)
  const loaded = live.reload()
  loads[0]?.([summary('2', 'running'), summary('1', 'ended')])
  await loaded
  live.add([summary('2', 'ended')])
  expect(shown()).toEqual(['1 running'])
  expect(waiting()).toEqual(['2 ended', '1 ended'])
  live.setPaused(false)
  expect(shown()).toEqual(['2 ended', '1 ended'])
  expect(waiting()).toEqual([])
})

test('What the gateway no longer has goes with the next list, but not what was added by hand.', async () => {
  const { live, loads, shown } = staged()
  live.add([summary('1', 'ended')])
  live.keep([summary('3', 'ended')])
  const loaded = live.reload()
  loads[0]?.([summary('2', 'ended')])
  await loaded
  expect(shown()).toEqual(['3 ended', '2 ended'])
})

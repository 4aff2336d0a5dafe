import { afterEach, describe, expect, test, vi } from 'vitest'
import { combineObservers } from './combine-observers.ts'
import { factsOf, pass } from './exchange.test-helper.ts'
import type { Observer } from './observer.ts'
import { noopObserver } from './observer.ts'

function recorder(wantsViews: boolean): { observer: Observer; heard: string[] } {
  const heard: string[] = []
  const observer: Observer = {
    begin(facts) {
      heard.push(`begin ${facts.id}`)
      return {
        facts,
        wantsViews,
        view: (name, chunk) => void heard.push(`${name} ${chunk}`),
        viewHead: (name, { line }) => void heard.push(`${name} ${line}`),
        end: () => void heard.push(`end ${facts.status}`),
      }
    },
  }
  return { observer, heard }
}

afterEach(() => vi.restoreAllMocks())

describe('combined observers', () => {
  test('Combined observers share the facts, and only those who want views receive them.', () => {
    const [viewer, other] = [recorder(true), recorder(false)]
    pass(combineObservers(viewer.observer, other.observer), { status: 200 }, observation => {
      expect(observation.wantsViews).toBe(true)
      observation.viewHead('client-request', { line: 'POST /', headers: {} })
      observation.view('client-request', '{}')
    })
    expect(viewer.heard).toEqual(['begin req_1', 'client-request POST /', 'client-request {}', 'end 200'])
    expect(other.heard).toEqual(['begin req_1', 'end 200'])
  })

  test('Combined observers want no views when none of them does.', () => {
    const { observer } = recorder(false)
    expect(combineObservers(observer, noopObserver).begin(factsOf()).wantsViews).toBe(false)
    expect(combineObservers().begin(factsOf()).wantsViews).toBe(false)
  })

  test('Combined observers check each time whether views are wanted.', () => {
    let wanted = true
    const observer: Observer = {
      begin: facts => ({
        ...noopObserver.begin(facts),
        get wantsViews() {
          return wanted
        },
      }),
    }
    const observation = combineObservers(observer).begin(factsOf())
    expect(observation.wantsViews).toBe(true)
    wanted = false
    expect(observation.wantsViews).toBe(false)
  })

  test('An observer that throws does not affect the others and is reported once.', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const broken = (): never => {
      throw new Error('no disk')
    }
    const atBegin: Observer = { begin: broken }
    const atEnd: Observer = { begin: facts => ({ ...noopObserver.begin(facts), end: broken }) }
    const atView: Observer = {
      begin: facts => ({ ...noopObserver.begin(facts), wantsViews: true, view: broken, viewHead: broken }),
    }
    const good = recorder(true)
    const all = combineObservers(atBegin, atEnd, atView, good.observer)
    for (const id of ['req_1', 'req_2']) {
      pass(all, { id, status: 200 }, observation => observation.view('client-answer', 'x'))
    }
    expect(good.heard).toEqual([
      'begin req_1',
      'client-answer x',
      'end 200',
      'begin req_2',
      'client-answer x',
      'end 200',
    ])
    expect(warn.mock.calls.map(([text]) => text)).toEqual(
      new Array(3).fill('Watching an exchange failed: no disk'),
    )
  })

  test('What is added to the facts later is added before the observers are told of the end.', () => {
    const heard: unknown[] = []
    pass(combineObservers({ ended: ({ finish }) => void heard.push(finish) }), {}, observation =>
      observation.later?.(() => {
        observation.facts.finish = 'stop'
      }),
    )
    expect(heard).toEqual(['stop'])
  })
})

import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

interface Stage {
  readonly turns: Turns
  readonly done: string[]
  add(owner: string, count?: number): void
  /** One turn of the event loop, in which each step takes a millisecond. */
  turn(): void
}

function open(): Stage {
  const scheduled: (() => void)[] = []
  const done: string[] = []
  const turns = new Turns({ now: () => done.length }, callback => scheduled.push(callback))
  return {
    turns,
    done,
    add(owner, count = 1) {
      for (let i = 0; i < count; i++) turns.run(owner, () => done.push(owner))
    },
    turn: () => scheduled.shift()?.(),
  }
}

test('However much one owner sends, a step of another waits for one step of the flood.', () => {
  const { add, turn, done } = open()
  add('flood', 5_000)
  for (let i = 0; i < 100; i++) {
    turn()
    add('flood', 50)
    const before = done.length
    add('quiet')
    expect(done.length).toBe(before)
    // A turn may have room for one step only.
    for (let turns = 0; turns < 2; turns++) turn()
    expect(done.slice(before)).toContain('quiet')
    expect(done.slice(before).indexOf('quiet')).toBeLessThanOrEqual(1)
  }
})

test('Steps that take long make turns short, so that what arrives is seen soon.', () => {
  const { add, turn, done } = open()
  add('flood', 1_000)
  for (let i = 0; i < 10; i++) turn()
  const before = done.length
  turn()
  expect(done.length - before).toBeLessThanOrEqual(4)
})

test('Steps run in the order in which they came, and at once where nobody waits.', () => {
  const { turns, done, add, turn } = open()
  expect(turns.run('one', () => done.push('now'))).toBe(true)
  add('one', 40)
  add('two')
  turn()
  expect(done.at(0)).toBe('now')
  expect(done.slice(16, 18)).toEqual(['one', 'two'])
})

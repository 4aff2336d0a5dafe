import { expect, test } from 'vitest'
import { createSeal, deriveSealKey } from './create-seal.ts'

const [old, key] = [deriveSealKey('an earlier secret'), deriveSealKey('a secret')]
const ann = createSeal([key], 'ann')
const text = JSON.stringify({ text: '☔ \ud83d\ude00', lone: '\ud800' })

test('What was sealed opens as it was, and equal texts are sealed alike.', () => {
  for (const each of ['', 'a', text, 'x'.repeat(100_000)]) {
    expect(ann.open(ann.seal(each))).toBe(each)
    expect(ann.seal(each)).toBe(createSeal([key], 'ann').seal(each))
  }
  expect(ann.seal(text)).not.toContain('text')
  expect(ann.seal('a')).not.toBe(ann.seal('b'))
})

const words = ['thinking', 'about', 'the', 'weather', 'in', 'Ærø', 'and', 'what', 'to', 'call', 'next']

test('A text is sealed in less than its own length, and what is alike throughout in no less than a fourth.', () => {
  let seed = 1
  const word = (): string => {
    seed = (seed * 48_271) % 2_147_483_647
    return `${words[seed % words.length]}${seed % 97}`
  }
  const prose = Array.from({ length: 500 }, word).join(' ')
  const alike = 'x'.repeat(100_000)
  expect(ann.seal(prose).length).toBeLessThan(prose.length)
  expect(ann.open(ann.seal(prose))).toBe(prose)
  // A client can repeat an envelope; the request that it becomes stays within bounds.
  expect(ann.seal(alike).length * 4).toBeGreaterThan(alike.length)
})

test('Nothing opens that was changed, cut, extended or written otherwise.', () => {
  const sealed = ann.seal(text)
  const [id = '', body = ''] = sealed.split('.')
  for (let at = 0; at < body.length; at++) {
    const other = body[at] === 'A' ? 'B' : 'A'
    expect(ann.open(`${id}.${body.slice(0, at)}${other}${body.slice(at + 1)}`)).toBeUndefined()
    expect(ann.open(`${id}.${body.slice(0, at)}`)).toBeUndefined()
  }
  for (const wrong of [
    `${sealed}A`,
    `${sealed}=`,
    `${sealed}\n`,
    ` ${sealed}`,
    body,
    `${id}.`,
    id,
    '.',
    '',
  ]) {
    expect(ann.open(wrong)).toBeUndefined()
  }
})

test('Nothing opens for another owner, whatever the owner is called.', () => {
  const sealed = ann.seal(text)
  for (const owner of ['bob', '', 'an', 'anna', `ann${text}`]) {
    expect(createSeal([key], owner).open(sealed)).toBeUndefined()
  }
  // The border between owner and text cannot be moved.
  expect(createSeal([key], 'an').open(createSeal([key], 'ann').seal('x'))).toBeUndefined()
})

test('After a change of keys the new one seals, and the earlier one still opens.', () => {
  const before = createSeal([old], 'ann').seal(text)
  const after = createSeal([key, old], 'ann')
  expect(after.open(before)).toBe(text)
  expect(after.seal(text)).toBe(ann.seal(text))
  expect(ann.open(before)).toBeUndefined()
})

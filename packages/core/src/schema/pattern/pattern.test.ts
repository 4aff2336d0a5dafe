import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePattern, type Matcher } from './pattern.ts'

function matcher(source: string): Matcher {
  const compiled = compilePattern(source)
  if (compiled.kind !== 'matcher') throw new Error(`${source}: ${compiled.reason}`)
  return compiled.matcher
}

function native(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch {
    return new RegExp(source)
  }
}

function expectSame(source: string, text: string): void {
  const expected = native(source).test(text) ? 'match' : 'no-match'
  expect(`${JSON.stringify([source, text])} ${matcher(source).test(text)}`).toBe(
    `${JSON.stringify([source, text])} ${expected}`,
  )
}

describe('matching', () => {
  const table: [string, string[]][] = [
    ['^[\\w-.]+$', ['a-b.c', 'a b', '']],
    ['^\\d{4}-\\d{2}-\\d{2}$', ['2026-01-01', '2026-1-1', 'x2026-01-01']],
    ['colou?r', ['the color', 'colour', 'colr']],
    ['^(?:a|b(?<n>c|d))*$', ['', 'abcbd', 'abx']],
    ['\\bcat\\b', ['a cat.', 'concat', 'cat', 'cats']],
    ['\\Bcat', ['concat', 'cat']],
    ['^.$', ['a', '\u{1f600}', '\n', '\ud83d']],
    ['^\\ud83d\\ude00$', ['\u{1f600}', '\ud83d']],
    ['^\\u{1F600}$', ['\u{1f600}', 'u']],
    ['^\\p{Lu}\\P{Lu}+$', ['Éa', 'ÉA', 'éa']],
    ['^[]$', ['', 'a']],
    ['^[^]$', ['\n', 'a', '']],
    ['^[^\\]a-c]$', [']', 'b', 'd']],
    ['^\\x41\\u0042\\cA\\0\\t$', ['AB\u0001\u0000\t', 'AB']],
    ['a{', ['a{', 'a']],
    ['a{,2}', ['a{,2}', 'aa']],
    ['^a{2}?$', ['aa', 'a', '']],
    ['^(a{0}b)*$', ['bb', 'ab']],
    ['^\\-\\_\\a$', ['-_a', 'a']],
    ['x*', ['', 'y']],
    ['(|a)+$', ['', 'b', 'a']],
    ['^(?:(?:a*)*)*$', ['aaaa', 'aab']],
    ['a|^b$|c$', ['za', 'b', 'zb', 'zc', 'cz']],
    ['$^', ['', 'a']],
    ['^[\\b]$', ['\b', 'b']],
    ['^\\/api\\/v\\d+$', ['/api/v1', '/api/v']],
  ]
  test.each(table)('The matcher agrees with the native engine on %s.', (source, texts) => {
    for (const text of texts) expectSame(source, text)
  })

  const { source } = fc.letrec<{ source: string; atom: string }>(tie => ({
    atom: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom('a', 'b', 'c', '-', ' ', '.', '\\d', '\\w', '\\s', '\\W', '\\S', '\\D'),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '[ab]',
          '[^a]',
          '[a-c1]',
          '\\.',
          '\\u0061',
          '\\x62',
          '\\p{L}',
          '\u{1f600}',
        ),
      },
      { weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B') },
      { weight: 2, arbitrary: tie('source').map(inner => `(?:${inner})`) },
      { weight: 1, arbitrary: tie('source').map(inner => `(${inner})`) },
    ),
    source: fc
      .array(
        fc.tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '*?', '{2}', '{0,2}', '{1,}', '|')),
        { minLength: 1, maxLength: 4 },
      )
      .map(parts =>
        parts
          .map(([atom, suffix]) => (/^(\^|\$|\\[bB])$/.test(atom) && suffix !== '|' ? atom : atom + suffix))
          .join(''),
      ),
  }))
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '1', '-', ' ', '\n', '\u{1f600}', 'é'), {
    maxLength: 8,
  })

  test('The matcher agrees with the native engine on random patterns and short texts.', () => {
    fc.assert(
      fc.property(source, text, (pattern, parts) => expectSame(pattern, parts.join(''))),
      { numRuns: 3000 },
    )
  })
})

describe('limits', () => {
  test.each(['^(a+)+$', '^(a|a)*$', '^(a*)*b$', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'The matcher takes linear time for %s.',
    source => {
      const steps = (length: number): number => {
        const machine = matcher(source)
        expect(machine.test(`${'a'.repeat(length)}!`)).toBe('no-match')
        return machine.steps()
      }
      expect(steps(100_000)).toBeLessThan(steps(10_000) * 10.1)
      expect(steps(100_000)).toBeLessThan(100_000 * 60)
    },
  )

  test('The compiler limits the expansion of counts.', () => {
    for (const source of ['((a{1000}){1000}){1000}', 'a{20001}', '(a|b){30000}', '(?:a?){99999}']) {
      expect(compilePattern(source)).toMatchObject({ kind: 'unsupported' })
    }
    expect(matcher('^(?:){999999999}$').test('')).toBe('match')
    expect(matcher('^(?:(?:){0,999999999}a{0}){999999999}$').test('')).toBe('match')
  })

  test('Nested plus signs do not double the automaton.', () => {
    const source = `^${'('.repeat(60)}a${'+)'.repeat(60)}b$`
    expect(matcher(source).test('aaab')).toBe('match')
    expect(matcher(source).test('b')).toBe('no-match')
  })

  test('The matcher gives up on a huge pattern with a huge text instead of blocking.', () => {
    expect(matcher('^(?:a{1,9000})+b$').test('a'.repeat(100_000))).toBe('undecided')
  })

  test('The compiler names the feature that it does not support.', () => {
    const reason = (source: string): unknown => compilePattern(source)
    expect(reason('^(?=a)')).toEqual({ kind: 'unsupported', reason: 'it uses look-ahead' })
    expect(reason('(?<!a)b')).toEqual({ kind: 'unsupported', reason: 'it uses look-behind' })
    expect(reason('(a)\\1')).toEqual({ kind: 'unsupported', reason: 'it uses a back-reference' })
    expect(reason('(?<n>a)\\k<n>')).toEqual({ kind: 'unsupported', reason: 'it uses a back-reference' })
    expect(reason('(')).toMatchObject({ kind: 'invalid' })
    expect(reason('(?i:a)')).toMatchObject({ kind: expect.stringMatching(/invalid|unsupported/) })
    expect(reason('('.repeat(5000) + ')'.repeat(5000))).toMatchObject({
      kind: expect.stringMatching(/invalid|unsupported/),
    })
  })
})

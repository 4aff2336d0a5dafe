import fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Encoding } from '../presets/models.ts'
import type { TokenCounter } from './counter.ts'
import { counterForModel, cutLongRuns, encodingOfModel, loadCounter, longestRun } from './counters.ts'
import { estimateCounter } from './estimate.ts'
import { samples } from './text-samples.test-helper.ts'

let o200k: TokenCounter
let cl100k: TokenCounter
beforeAll(async () => {
  o200k = await loadCounter('o200k_base')
  cl100k = await loadCounter('cl100k_base')
})

describe('exact counters', () => {
  test("Exact counters agree with the table of encodings in OpenAI's cookbook.", () => {
    expect(o200k.count('antidisestablishmentarianism')).toBe(6)
    expect(cl100k.count('2 + 2 = 4')).toBe(7)
    expect([cl100k, o200k].map(counter => counter.count('お誕生日おめでとう'))).toEqual([9, 8])
  })

  test('The spelling of a special token is counted as text.', () => {
    expect(o200k.count('<|endoftext|>')).toBeGreaterThan(1)
  })

  test('An exact counter reports that it is exact, and in which encoding.', () => {
    expect(o200k).toMatchObject({
      encoding: 'o200k_base',
      method: 'o200k_base',
      errorBound: { kind: 'exact' },
    })
  })

  test('A vocabulary is loaded once.', async () => {
    expect(await loadCounter('o200k_base')).toBe(o200k)
  })

  test('An unknown encoding is refused with the known ones.', async () => {
    await expect(loadCounter('p50k' as Encoding)).rejects.toThrow(
      'There is no encoding "p50k"; there are o200k_base, cl100k_base.',
    )
  })

  test('Without the tokenizer package, the error says what to install.', async () => {
    vi.resetModules()
    vi.doMock('gpt-tokenizer/encoding/cl100k_base', () => {
      throw new TypeError('import() is disallowed on ServiceWorkerGlobalScope')
    })
    try {
      const fresh = await import('./counters.ts')
      const failure: unknown = await fresh.loadCounter('cl100k_base').catch((error: unknown) => error)
      expect(String(failure)).toContain('npm install gpt-tokenizer@4')
      // A service worker may not load anything later, and installing alone would not help it.
      expect(String(failure)).toContain('bundle it into the worker')
    } finally {
      vi.doUnmock('gpt-tokenizer/encoding/cl100k_base')
      vi.resetModules()
    }
  })
})

describe('long runs', () => {
  const runs = ['a', ' ', '\n', '-—', '/\n', 'a\u0301', '漢字', '😀', 'éa', '\ud83d']

  test.each(runs)('A megabyte of %j is cut into short pieces.', run => {
    const text = run.repeat(Math.ceil(1_000_000 / run.length))
    const pieces = cutLongRuns(text)
    expect(pieces.join('')).toBe(text)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(longestRun + 2)
  })

  test('A megabyte of one letter can be counted.', () => {
    expect(o200k.count('a'.repeat(1_000_000))).toBe(125_000)
  })

  test('Texts without long runs are not cut.', () => {
    for (const text of Object.values(samples)) {
      const long = `${text}\n\n`.repeat(40)
      expect(cutLongRuns(long)).toEqual([long])
    }
  })

  test('No cut separates a pair of surrogates.', () => {
    for (const piece of cutLongRuns(`a${'😀'.repeat(5000)}`))
      expect(encodeURIComponent(piece)).toContain('%F0%9F%98%80')
  })

  test('A cut costs about a token.', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnop'),
      minLength: 1200,
      maxLength: 1500,
    })
    fc.assert(
      fc.property(letters, text => {
        const cuts = cutLongRuns(text).length - 1
        expect(cuts).toBe(2)
        const whole = o200k.count(`${text.slice(0, longestRun)}`) + o200k.count(text.slice(longestRun))
        expect(Math.abs(o200k.count(text) - whole)).toBeLessThanOrEqual(cuts)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the estimate', () => {
  test.each(Object.keys(samples))('The estimate is within its bound on %s.', kind => {
    const text = samples[kind] ?? ''
    const truth = o200k.count(text)
    const off = (Math.abs(estimateCounter.count(text) - truth) / truth) * 100
    expect(off).toBeLessThanOrEqual(estimateCounter.errorBound.percent ?? 0)
  })

  test('The estimate of an empty text is 0, and every estimate is a whole number of 0 or more.', () => {
    expect(estimateCounter.count('')).toBe(0)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const tokens = estimateCounter.count(text)
        expect(Number.isInteger(tokens) && tokens >= 0).toBe(true)
      }),
    )
  })

  test('The estimate grows with the text.', () => {
    for (const text of Object.values(samples)) {
      const [one, ten] = [text, text.repeat(10)].map(estimateCounter.count) as [number, number]
      expect(Math.abs(ten - one * 10)).toBeLessThanOrEqual(15)
    }
  })
})

describe('models', () => {
  test.each([
    ['gpt-4o-mini', 'o200k_base'],
    ['gpt-4.1-2025-04-14', 'o200k_base'],
    ['gpt-5.6-sol', 'o200k_base'],
    ['o3', 'o200k_base'],
    ['o4-mini-2025-04-16', 'o200k_base'],
    ['openai/gpt-oss-120b', 'o200k_base'],
    ['gpt-4', 'cl100k_base'],
    ['gpt-4-turbo', 'cl100k_base'],
    ['gpt-3.5-turbo-0125', 'cl100k_base'],
  ] as const)('The model %s uses %s.', async (model, encoding) => {
    expect(encodingOfModel(model)).toBe(encoding)
    expect((await counterForModel(model)).encoding).toBe(encoding)
  })

  test.each(['claude-sonnet-5', 'anthropic/claude-3-opus', 'llama-4', 'gpt-40', 'o3mini', '', 'constructor'])(
    'The model %j has no public encoding, and its counter reports that.',
    async model => {
      const counter = await counterForModel(model)
      expect(counter.encoding).toBeUndefined()
      expect(counter.errorBound).toMatchObject({ kind: 'estimate' })
      expect(counter.errorBound.note).toMatch(/No tokenizer of Claude is public|is not known here/)
    },
  )
})

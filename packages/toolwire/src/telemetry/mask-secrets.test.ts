import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMasker, maskedStart, maskHeader, maskLine } from './mask-secrets.ts'

const { text, cutText } = createMasker()
const tail = 'abcdefghijklmnop1234'

describe('masking texts', () => {
  test.each([
    `sk-${tail}`,
    `sk-proj-${tail}`,
    `sk-ant-api03-${tail}`,
    `gsk_${tail}`,
    `ghp_${tail}`,
    `github_pat_${tail}`,
    `AIza${tail}`,
    `xoxb-${tail}`,
    `hf_${tail}`,
    `eyJhbGciOiJI.eyJzdWIiOiIx.${tail}`,
  ])('The key %s is masked completely.', key => {
    expect(text(`before ${key}, after`)).toBe('before ***, after')
    expect(text(JSON.stringify({ key }))).toBe('{"key":"***"}')
  })

  test('A token after "Bearer" is masked whatever it looks like.', () => {
    expect(text('curl -H "Authorization: Bearer local/abc.def~ghi+jkl=="')).toBe(
      'curl -H "Authorization: Bearer ***"',
    )
  })

  test('A JSON member that is named like a key is masked, also in JSON inside a JSON string.', () => {
    const tool = { type: 'mcp', authorization: 'tok', headers: { 'X-Api-Key': 'k1' }, openai_api_key: 'k2' }
    const masked = {
      type: 'mcp',
      authorization: '***',
      headers: { 'X-Api-Key': '***' },
      openai_api_key: '***',
    }
    expect(text(JSON.stringify(tool))).toBe(JSON.stringify(masked))
    const nested = (value: unknown): string => JSON.stringify({ arguments: JSON.stringify({ value }) })
    const twice = (value: unknown): string => JSON.stringify({ deep: nested(value) })
    expect(text(nested(tool))).toBe(nested(masked))
    expect(text(twice(tool))).toBe(twice(masked))
    expect(text('{"password" : "half')).toBe('{"password" : "***')
  })

  test('A text without keys is not changed.', () => {
    const schema = {
      properties: { api_key: { type: 'string' }, password: {} },
      required: ['api_key', 'password'],
    }
    const texts = [
      'a risk-assessment-of-many-words, a task-list-of-many-words',
      JSON.stringify(schema),
      JSON.stringify({ logprobs: [{ token: 'Hello', logprob: -0.1 }], max_tokens: 5, api_key: '' }),
      'the bearer of this letter',
    ]
    for (const plain of texts) expect(text(plain)).toBe(plain)
  })

  test('A known secret is masked everywhere, and the longest match wins.', () => {
    const masker = createMasker(['hunter22', 'hunter2234', 'abc', 'hunter22'])
    expect(masker.text('hunter2234 hunter22, abc')).toBe('*** ***, abc')
  })

  test('A key that is cut at the end of a text is still masked.', () => {
    expect(cutText('my key is sk-abcd')).toBe('my key is ***')
    expect(cutText('Authorization: Bearer ab')).toBe('Authorization: ***')
    expect(cutText('nothing here')).toBe('nothing here')
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 3, max: 19 }), (before, length) => {
        const secret = 'QxZ7-local-key-94711'
        const masked = createMasker([secret]).cutText(before + secret.slice(0, length))
        expect(masked.endsWith(secret.slice(0, length))).toBe(false)
      }),
    )
    const long = `${'x'.repeat(1290)} sk-${'a'.repeat(2000)}`
    expect(maskedStart(long, 1300, createMasker())).toBe(`${'x'.repeat(1290)} ***`)
    expect(maskedStart(long, 10, createMasker())).toBe('xxxxxxxxxx…')
  })

  test('Masking takes linear time for hostile texts.', () => {
    // Each of these would take minutes if a pattern started again at every character.
    const size = 300_000
    for (const unit of [
      'sk-',
      'eyJ',
      'eyJaaaaaaaa.',
      'bearer ',
      '"api_key',
      '"api_key\\',
      '"cookie" ',
      '\\',
      'sk-a!',
    ]) {
      const hostile = unit.repeat(size / unit.length)
      expect(cutText(hostile).length).toBeGreaterThan(0)
      expect(text(`"api_key"${' '.repeat(size)}`).length).toBe(size + 9)
    }
  })
})

describe('masking heads', () => {
  test('Headers with keys are masked, and other headers are shown.', () => {
    const shown = {
      'content-type': 'application/json',
      'x-ratelimit-remaining-tokens': '9',
      'x-request-id': 'r',
    }
    const hidden = ['authorization', 'x-api-key', 'set-cookie', 'Cookie', 'x-amz-security-token', 'api-key']
    for (const [name, value] of Object.entries(shown))
      expect(maskHeader(name, value, createMasker())).toBe(value)
    for (const name of hidden) expect(maskHeader(name, 'canary', createMasker())).toBe('***')
  })

  test('Keys and passwords in URLs are masked.', () => {
    const line = 'POST https://me:pass@host/v1/x?alt=sse&key=canary&access_token=canary#f'
    expect(maskLine(line, createMasker())).toBe(
      'POST https://***@host/v1/x?alt=sse&key=***&access_token=***#f',
    )
    expect(maskLine('POST /v1/responses', createMasker())).toBe('POST /v1/responses')
  })
})

/** How the demo model answers results, and messages without a tool to call. */
import { describe, expect, test } from 'vitest'
import { answerTo, tool } from './demo-client.test-helper.ts'

const weather = tool('get_weather', { city: { type: 'string' } })

function round(results: readonly (readonly [city: string, content: unknown])[], ...more: object[]): object {
  return {
    tools: [weather],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'The weather, please' },
      {
        role: 'assistant',
        content: null,
        tool_calls: results.map(([city], i) => ({
          id: `call_${i}`,
          type: 'function',
          function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
        })),
      },
      // The order of results is free.
      ...results.map(([, content], i) => ({ role: 'tool', tool_call_id: `call_${i}`, content })).reverse(),
      ...more,
    ],
  }
}

async function textFor(body: object): Promise<string> {
  const { choices } = await answerTo(body)
  expect(choices[0]).toMatchObject({ finish_reason: 'stop' })
  expect(choices[0]?.message).not.toHaveProperty('tool_calls')
  return choices[0]?.message.content ?? ''
}

describe('Results', () => {
  test('The answer repeats the facts of each result with the subject of its call.', async () => {
    const text = await textFor(
      round([
        ['Oslo', '{"temperature":7,"sky":{"clouds":"many"},"days":["Mon","Tue"]}'],
        ['Rome', 'Sunny and 25 degrees.'],
        ['Lima', [{ type: 'text', text: '[{"hour":1,"rain":true}]' }]],
      ]),
    )
    expect(text).toContain('get_weather for Oslo: temperature 7, sky clouds many, days 1 Mon, days 2 Tue.')
    expect(text).toContain('get_weather for Rome: Sunny and 25 degrees.')
    expect(text).toContain('get_weather for Lima: 1 hour 1, 1 rain true.')
  })

  test.each([
    ['[tool error] no such city', 'no such city'],
    ['{"error":"no such city"}', 'no such city'],
    ['{"error":{"message":"no such city","code":4}}', 'no such city'],
    ['Error: no such city', 'no such city'],
    ['{"isError":true,"reason":"gone"}', 'isError true, reason gone'],
  ])('The answer reports the failed result %s.', async (content, reason) => {
    expect(await textFor(round([['Atlantis', content]]))).toBe(`get_weather for Atlantis failed: ${reason}.`)
  })

  test('A result that only has a field for errors did not fail.', async () => {
    expect(await textFor(round([['Oslo', '{"error":null,"errors":0}']]))).toContain('errors 0')
  })

  test('The answer mentions an image in a result or in the message behind it.', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }
    expect(await textFor(round([['Oslo', [image]]]))).toBe('get_weather for Oslo: an image.')
    const hoisted = {
      role: 'user',
      content: [{ type: 'text', text: 'From the result of call call_0:' }, image],
    }
    expect(await textFor(round([['Oslo', '(see the following message)']], hoisted))).toContain('an image')
  })

  test('An empty result is reported as nothing.', async () => {
    expect(await textFor(round([['Oslo', '']]))).toBe('get_weather for Oslo returned nothing.')
  })

  test('A long or deep result is shortened.', async () => {
    const text = await textFor(round([['Oslo', 'rain '.repeat(100_000)]]))
    expect(text.length).toBeLessThan(400)
    const deep = `${'['.repeat(400)}1${']'.repeat(400)}`
    expect(await textFor(round([['Oslo', deep]]))).toBe('get_weather for Oslo returned nothing.')
  })

  test('The result of a legacy function is repeated.', async () => {
    const text = await textFor({
      functions: [{ name: 'get_weather', parameters: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'weather' },
        {
          role: 'assistant',
          content: null,
          function_call: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
        },
        { role: 'function', name: 'get_weather', content: 'cold' },
      ],
    })
    expect(text).toBe('get_weather for Oslo: cold.')
  })

  test('A user message after results is answered with a new call.', async () => {
    const { choices } = await answerTo(
      round([['Oslo', 'cold']], { role: 'user', content: 'And the weather in Rome?' }),
    )
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"city":"Rome"}' } }])
  })
})

describe('Without a tool to call', () => {
  test('The answer repeats the message and says who answers.', async () => {
    const text = await textFor({
      messages: [{ role: 'user', content: 'Tell me about the history of Oslo.' }],
    })
    expect(text).toContain('“Tell me about the history of Oslo.”')
    expect(text).toContain('demo model')
  })

  test('The answer names the tools.', async () => {
    const text = await textFor({ messages: [{ role: 'user', content: 'Tell me a joke' }], tools: [weather] })
    expect(text).toContain('get_weather')
  })

  test('The answer counts the images of the message.', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }
    const content = [{ type: 'text', text: 'What is this?' }, image, image]
    expect(await textFor({ messages: [{ role: 'user', content }] })).toContain('2 images or files')
  })

  test('A conversation without a user message is answered.', async () => {
    expect(await textFor({ messages: [{ role: 'system', content: 'x' }] })).toContain('demo model')
  })
})

/** What the model makes of results, and of messages without tools. */
import { describe, expect, it } from 'vitest'
import { answerTo, tool } from './ask.test-helper.ts'

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

async function said(body: object): Promise<string> {
  const { choices } = await answerTo(body)
  expect(choices[0]).toMatchObject({ finish_reason: 'stop' })
  expect(choices[0]?.message).not.toHaveProperty('tool_calls')
  return choices[0]?.message.content ?? ''
}

describe('results become words', () => {
  it('facts of JSON, text, and parts, each with what was asked', async () => {
    const text = await said(
      round([
        ['Oslo', '{"temperature":7,"sky":{"clouds":"many"},"days":["Mon","Tue"]}'],
        ['Rome', 'Sunny and 25 degrees.'],
        ['Lima', [{ type: 'text', text: '[{"hour":1,"rain":true}]' }]],
      ]),
    )
    expect(text).toContain('get_weather for Oslo: temperature 7, sky clouds many, days Mon / Tue.')
    expect(text).toContain('get_weather for Rome: Sunny and 25 degrees.')
    expect(text).toContain('get_weather for Lima: item 1 hour 1, item 1 rain true.')
  })

  it.each([
    ['[tool error] no such city', 'no such city'],
    ['{"error":"no such city"}', 'no such city'],
    ['{"error":{"message":"no such city","code":4}}', 'no such city'],
    ['Error: no such city', 'no such city'],
    ['{"isError":true,"reason":"gone"}', 'isError true, reason gone'],
  ])('a failure is told: %s', async (content, reason) => {
    expect(await said(round([['Atlantis', content]]))).toBe(`get_weather for Atlantis failed: ${reason}.`)
  })

  it('one that only speaks of errors did not fail', async () => {
    expect(await said(round([['Oslo', '{"error":null,"errors":0}']]))).toContain('errors 0')
  })

  it('an image is told, in the result or in the message behind it', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } }
    expect(await said(round([['Oslo', [image]]]))).toBe('get_weather for Oslo: an image.')
    const hoisted = {
      role: 'user',
      content: [{ type: 'text', text: 'From the result of call call_0:' }, image],
    }
    expect(await said(round([['Oslo', '(see the following message)']], hoisted))).toContain('an image')
  })

  it('nothing is told as nothing', async () => {
    expect(await said(round([['Oslo', '']]))).toBe('get_weather for Oslo returned nothing.')
  })

  it('a long result is told by its beginning', async () => {
    const text = await said(round([['Oslo', 'rain '.repeat(100_000)]]))
    expect(text.length).toBeLessThan(400)
    const deep = `${'['.repeat(400)}1${']'.repeat(400)}`
    expect(await said(round([['Oslo', deep]]))).toBe('get_weather for Oslo: nothing.')
  })

  it('of the function kind that came before tools', async () => {
    const text = await said({
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

  it('a new question after results is a new question', async () => {
    const { choices } = await answerTo(
      round([['Oslo', 'cold']], { role: 'user', content: 'And the weather in Rome?' }),
    )
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"city":"Rome"}' } }])
  })
})

describe('without a tool to call', () => {
  it('the answer echoes the topic and says who speaks', async () => {
    const text = await said({ messages: [{ role: 'user', content: 'Tell me about the history of Oslo.' }] })
    expect(text).toContain('“history of Oslo”')
    expect(text).toContain('demo model')
  })

  it('names the tools there are', async () => {
    const text = await said({ messages: [{ role: 'user', content: 'Tell me a joke' }], tools: [weather] })
    expect(text).toContain('get_weather')
  })

  it('speaks of images', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }
    const content = [{ type: 'text', text: 'What is this?' }, image, image]
    expect(await said({ messages: [{ role: 'user', content }] })).toContain('2 images or files')
  })

  it('has something to say to nothing', async () => {
    expect(await said({ messages: [{ role: 'system', content: 'x' }] })).toContain('demo model')
  })
})

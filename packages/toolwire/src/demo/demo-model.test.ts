/** The demo model as an upstream: its routes, its errors, and the answers it writes on the wire. */
import { describe, expect, test } from 'vitest'
import type { Answer, Chunk } from './demo-client.test-helper.ts'
import { answerTo, base, chunksOf, eventsOf, post, postDemo, send, tool } from './demo-client.test-helper.ts'
import { createDemoModel } from './demo-model.ts'

const weather = tool('get_weather', { city: { type: 'string' } })
const cities = { messages: [{ role: 'user', content: 'Weather in Oslo and Ålesund 🎉' }], tools: [weather] }
const plain = { messages: [{ role: 'user', content: 'Tell me about 🎉🎉🎉 parties' }] }
const sum = { type: 'custom', custom: { name: 'sum' } }
const legacy = {
  messages: [{ role: 'user', content: 'Weather in Oslo and Rome' }],
  functions: [
    {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
}

describe('Routes', () => {
  const { transport, models } = createDemoModel()
  const get = (url: string) => send(transport, { ...post(''), method: 'GET', url })

  test('The demo model lists its models.', async () => {
    const { status, text } = await get(`${base}/models`)
    expect(status).toBe(200)
    const { data } = JSON.parse(text) as { data: { id: string; object: string }[] }
    expect(data.map(({ id }) => id)).toEqual(models)
    expect(models).toEqual(expect.arrayContaining(['demo', 'demo-reasoning', 'demo-429', 'demo-stall']))
  })

  test('Other addresses are not found.', async () => {
    for (const answer of [
      await get(`${base}/nothing`),
      await send(transport, { ...post('{}'), url: `${base}/models` }),
    ]) {
      expect(answer.status).toBe(404)
      expect(JSON.parse(answer.text)).toMatchObject({
        error: { type: 'not_found_error', code: 'unknown_url' },
      })
    }
  })
})

describe('Wrong requests', () => {
  const messages = [{ role: 'user', content: 'x' }]
  const calling = {
    role: 'assistant',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }],
  }

  test.each<[title: string, body: unknown, param: string | null]>([
    ['invalid JSON', '{"model":', null],
    ['an array as its body', '[]', null],
    ['no model', { messages }, 'model'],
    ['no messages', { model: 'demo' }, 'messages'],
    ['empty messages', { model: 'demo', messages: [] }, 'messages'],
    ['a message that is not an object', { model: 'demo', messages: ['hi'] }, 'messages[0]'],
    ['an unknown role', { model: 'demo', messages: [{ role: 'robot' }] }, 'messages[0].role'],
    [
      'a tool without a name',
      { model: 'demo', messages, tools: [{ type: 'function', function: {} }] },
      'tools[0].function.name',
    ],
    ['a hosted tool', { model: 'demo', messages, tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [
      'a flat tool',
      { model: 'demo', messages, tools: [{ type: 'function', name: 'a' }] },
      'tools[0].function',
    ],
    [
      'a choice of an unknown tool',
      {
        model: 'demo',
        messages,
        tools: [weather],
        tool_choice: { type: 'function', function: { name: 'b' } },
      },
      'tool_choice',
    ],
    ['an unknown choice', { model: 'demo', messages, tools: [weather], tool_choice: 'maybe' }, 'tool_choice'],
    [
      'tools of both kinds',
      { model: 'demo', messages, tools: [weather], functions: legacy.functions },
      'functions',
    ],
    ['several answers', { model: 'demo', messages, n: 2 }, 'n'],
    ['a limit of 0 tokens', { model: 'demo', messages, max_tokens: 0 }, 'max_tokens'],
    ['an empty stop', { model: 'demo', messages, stop: [''] }, 'stop'],
    ['an unknown format', { model: 'demo', messages, response_format: { type: 'xml' } }, 'response_format'],
    ['a call without its result', { model: 'demo', messages: [calling, ...messages] }, 'messages[1]'],
    ['a call without its result at the end', { model: 'demo', messages: [calling] }, 'messages[0]'],
    [
      'a result without its call',
      { model: 'demo', messages: [{ role: 'tool', tool_call_id: 'c9', content: '' }] },
      'messages[0].role',
    ],
    [
      'a result without an id',
      { model: 'demo', messages: [{ role: 'tool', content: '' }] },
      'messages[0].tool_call_id',
    ],
  ])('A request with %s is refused with the path of the error.', async (_title, body, param) => {
    const { status, text } = await postDemo(body)
    expect(status).toBe(400)
    const { error } = JSON.parse(text) as { error: Record<string, unknown> }
    expect(error).toMatchObject({ type: 'invalid_request_error', param })
    expect(error.message).toMatch(/\w{3}/)
  })

  test('A misspelt demo model does not exist, and any other name is answered.', async () => {
    const { status, text } = await postDemo({ model: 'demo-stal', messages })
    expect(status).toBe(404)
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'model_not_found', param: 'model' } })
    expect(await postDemo({ model: 'gpt-5.5', messages })).toMatchObject({ status: 200 })
  })
})

interface Folded {
  reasoning: string
  content: string
  refusal: string
  calls: string[]
  finish: string | null | undefined
}

function fold(chunks: readonly Chunk[]): Folded {
  const out: Folded = { reasoning: '', content: '', refusal: '', calls: [], finish: undefined }
  for (const { choices } of chunks) {
    const { delta, finish_reason } = choices[0] ?? {}
    out.reasoning += delta?.reasoning_content ?? ''
    out.content += delta?.content ?? ''
    out.refusal += delta?.refusal ?? ''
    for (const { index, id, function: inside, custom } of delta?.tool_calls ?? [])
      out.calls[index] =
        (out.calls[index] ?? '') + [id, inside?.name, inside?.arguments, custom?.name, custom?.input].join('')
    const { name, arguments: text } = delta?.function_call ?? {}
    if (text !== undefined) out.calls[0] = (out.calls[0] ?? '') + (name ?? '') + text
    out.finish = finish_reason ?? out.finish
  }
  return out
}

function foldBody({ choices }: Answer): Folded {
  const { message, finish_reason: finish } = choices[0] ?? {}
  const { name, arguments: text } = message?.function_call ?? {}
  const calls = (message?.tool_calls ?? []).map(({ id, function: inside, custom }) =>
    [id, inside?.name, inside?.arguments, custom?.name, custom?.input].join(''),
  )
  return {
    reasoning: message?.reasoning_content ?? '',
    content: message?.content ?? '',
    refusal: message?.refusal ?? '',
    calls: name === undefined ? calls : [name + (text ?? '')],
    finish,
  }
}

describe('Streams', () => {
  test.each<[title: string, body: object]>([
    ['text', plain],
    ['parallel calls', cities],
    ['reasoning', { ...cities, model: 'demo-reasoning' }],
    ['a free-text call', { messages: [{ role: 'user', content: 'sum of 1 + 2' }], tools: [sum] }],
    ['a legacy call', legacy],
    ['a refusal', { ...plain, model: 'demo-refuse' }],
    ['no content', { ...plain, model: 'demo-empty' }],
    ['a truncated call', { ...cities, model: 'demo-truncate' }],
    ['a token limit', { ...cities, max_tokens: 13 }],
  ])('A streamed answer with %s is the same as one that is not streamed.', async (_title, body) => {
    const whole = await answerTo(body)
    for (const pieceSize of [1, 2, 4, 1000]) {
      const { transport } = createDemoModel({ pieceSize })
      const { text, headers } = await send(transport, post({ model: 'demo', ...body, stream: true }))
      expect(headers['content-type']).toBe('text/event-stream')
      const chunks = chunksOf(text)
      expect(fold(chunks)).toEqual(foldBody(whole))
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
      expect(eventsOf(text).at(-1)).toBe('[DONE]')
      // No piece ends within a character.
      expect(text).not.toMatch(/\\ud[89a-f]/i)
    }
  })

  test('The pieces of parallel calls alternate.', async () => {
    const { text } = await postDemo({ model: 'demo', ...cities, stream: true })
    const order = chunksOf(text).flatMap(
      ({ choices }) => choices[0]?.delta.tool_calls?.map(({ index }) => index) ?? [],
    )
    expect(order.slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1])
  })

  test('A stream has a usage chunk only when the request includes usage.', async () => {
    const without = chunksOf((await postDemo({ model: 'demo', ...plain, stream: true })).text)
    expect(without.every(chunk => !('usage' in chunk))).toBe(true)
    const streamed = await postDemo({
      model: 'demo',
      ...plain,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = chunksOf(streamed.text)
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: (await answerTo(plain)).usage })
  })
})

describe('Repeated requests', () => {
  test('The same request gets the same answer, but for its id and date.', async () => {
    const clock = { now: () => 0, date: () => 1_700_000_000_000, after: () => () => {} }
    const answers = await Promise.all(
      [1, 2].map(() =>
        send(createDemoModel({ clock, newId: () => 'a' }).transport, post({ model: 'demo', ...cities })),
      ),
    )
    expect(answers[0]?.text).toBe(answers[1]?.text)
    expect(answers[0]?.text).toContain('"id":"chatcmpl-a","created":1700000000')
    const [one, other] = await Promise.all([answerTo(cities), answerTo(cities)])
    expect(one?.id).not.toBe(other?.id)
  })

  test('The ids of calls differ within an answer and between requests.', async () => {
    const ids = async (content: string): Promise<string[]> => {
      const { choices } = await answerTo({ tools: [weather], messages: [{ role: 'user', content }] })
      return (choices[0]?.message.tool_calls ?? []).map(({ id }) => id)
    }
    const all = [...(await ids('Weather in Oslo and Rome')), ...(await ids('Weather in Rome and Oslo'))]
    expect(new Set(all).size).toBe(4)
    for (const id of all) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/)
  })
})

describe('Limits', () => {
  test('A token limit cuts the answer and is its finish reason.', async () => {
    const full = await answerTo({ ...cities, model: 'demo-reasoning' })
    const all = full.usage.completion_tokens as number
    for (const key of ['max_tokens', 'max_completion_tokens'])
      for (let limit = 1; limit <= all + 1; limit++) {
        const cut = await answerTo({ ...cities, model: 'demo-reasoning', [key]: limit })
        expect(cut.usage.completion_tokens).toBeLessThanOrEqual(limit)
        expect(cut.choices[0]?.finish_reason).toBe(limit < all ? 'length' : 'tool_calls')
        const [before, after] = [foldBody(full), foldBody(cut)]
        expect(before.reasoning.startsWith(after.reasoning)).toBe(true)
        after.calls.forEach((call, i) => void expect(before.calls[i]?.startsWith(call)).toBe(true))
      }
  })

  test('demo-truncate ends within a call or within the text.', async () => {
    const { choices } = await answerTo({ ...cities, model: 'demo-truncate' })
    expect(choices[0]?.finish_reason).toBe('length')
    const [first, last] = choices[0]?.message.tool_calls ?? []
    expect(JSON.parse(first?.function?.arguments ?? '')).toEqual({ city: 'Oslo' })
    expect(() => JSON.parse(last?.function?.arguments ?? '{}')).toThrow(SyntaxError)
    const text = await answerTo({ ...plain, model: 'demo-truncate' })
    expect(text.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: expect.stringMatching(/^You asked/) },
    })
  })

  test('A stop sequence ends the text before it.', async () => {
    const { choices } = await answerTo({ ...plain, stop: ['nowhere', ' demo'] })
    expect(choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.stringMatching(/I am the$/) },
    })
  })

  test('Invalid options are refused when the model is created.', () => {
    expect(() => createDemoModel({ pieceSize: 0 })).toThrow('pieceSize')
    expect(() => createDemoModel({ delayMs: -1 })).toThrow('delayMs')
  })
})

describe('Reasoning', () => {
  test.each([
    [{ model: 'demo' }, false],
    [{ model: 'demo', reasoning_effort: 'none' }, false],
    [{ model: 'demo', reasoning_effort: 'low' }, true],
    [{ model: 'demo-reasoning' }, true],
  ])('An answer to %j has reasoning: %s.', async (more, reasons) => {
    const { choices, usage } = await answerTo({ ...cities, ...more })
    const { reasoning_content } = choices[0]?.message ?? {}
    if (reasons) expect(reasoning_content).toContain('get_weather')
    else expect(reasoning_content).toBeUndefined()
    const { reasoning_tokens } = usage.completion_tokens_details as { reasoning_tokens: number }
    expect(reasoning_tokens > 0).toBe(reasons)
  })

  test('Reasoning comes before the text of an answer.', async () => {
    const { text } = await postDemo({ ...plain, model: 'demo-reasoning', stream: true })
    const kinds = chunksOf(text).map(({ choices }) => Object.keys(choices[0]?.delta ?? {})[0])
    expect(kinds.lastIndexOf('reasoning_content')).toBeLessThan(kinds.indexOf('content'))
  })
})

/**
 * Converting and linting grow linearly with the number of tools. Counted, not timed: reads of the input,
 * and elements looked at by the array methods that could hide a loop inside a loop.
 */
import { convertToolParams, createExchange } from '@toolwire/core'
import { lintToolParams } from '@toolwire/core/lint'
import { expect, test } from 'vitest'

const scanning = [
  'includes',
  'indexOf',
  'find',
  'findIndex',
  'some',
  'every',
  'filter',
  'map',
  'flatMap',
  'reduce',
  'slice',
  'concat',
  'join',
] as const

function countWork(run: () => void): number {
  let work = 0
  const originals = scanning.map(name => [name, Array.prototype[name]] as const)
  for (const [name, original] of originals) {
    const counting = function (this: unknown[], ...args: unknown[]): unknown {
      work += this.length
      return Reflect.apply(original, this, args)
    }
    Object.defineProperty(Array.prototype, name, { value: counting, writable: true, configurable: true })
  }
  try {
    run()
  } finally {
    for (const [name, original] of originals) {
      Object.defineProperty(Array.prototype, name, { value: original, writable: true, configurable: true })
    }
  }
  return work
}

function bodyOf(count: number): object {
  const parameters = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'integer' } },
    required: ['a'],
  }
  const tools = Array.from({ length: count }, (_, i) => {
    const name = `tool.${i}`
    if (i % 3 === 0)
      return { type: 'custom', name, format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } }
    if (i % 3 === 1)
      return {
        type: 'namespace',
        name,
        description: 'd',
        tools: [{ type: 'function', name: 'same', parameters }],
      }
    return { type: 'function', name, parameters, strict: false, x_vendor: i }
  })
  const allowed = tools.filter((_, i) => i % 3 === 2).map(({ name }) => ({ type: 'function', name }))
  return { tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: allowed } }
}

test.each(['chat', 'messages', 'responses'] as const)(
  'The work of converting 10,000 tools to %s is linear in their number.',
  to => {
    const work = (count: number): number =>
      countWork(() => convertToolParams(bodyOf(count), { from: 'responses', to }))
    expect(work(10_000) / work(1_000)).toBeLessThan(10.5)
  },
)

test('The work of linting 10,000 tools is linear in their number.', () => {
  const work = (count: number): number =>
    countWork(() => lintToolParams(bodyOf(count), { wire: 'responses' }))
  expect(work(10_000) / work(1_000)).toBeLessThan(10.5)
})

/** A long history: parallel calls, results out of order, images, reasoning. */
function historyOf(rounds: number): object {
  const input = Array.from({ length: rounds }, (_, i) => [
    { role: 'user', content: [{ type: 'input_text', text: `question ${i}` }] },
    { type: 'reasoning', id: `rs_${i}`, summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'function_call', call_id: `a${i}`, name: 'f', arguments: '{"n":1}' },
    { type: 'function_call', call_id: `b${i}`, name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: `b${i}`, output: 'two' },
    {
      type: 'function_call_output',
      call_id: `a${i}`,
      output: [{ type: 'input_image', image_url: 'https://i.example/x.png' }],
    },
    { role: 'assistant', content: 'answer' },
  ]).flat()
  return { model: 'm', input, tools: [{ type: 'function', name: 'f', parameters: null, strict: false }] }
}

test.each(['chat', 'messages', 'responses'] as const)(
  'The work of converting a long history to %s is linear in its length.',
  to => {
    const work = (rounds: number): number =>
      countWork(() => createExchange({ from: 'responses', to }).request(historyOf(rounds)))
    expect(work(2_000) / work(200)).toBeLessThan(10.5)
  },
)

/** A call whose arguments come in many small pieces. */
function chatStream(pieces: number): string[] {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  const call = (args: string, head: object = {}): object => ({
    tool_calls: [{ index: 0, ...head, function: { ...('id' in head && { name: 'f' }), arguments: args } }],
  })
  return [
    chunk({ role: 'assistant', content: null }),
    chunk(call('{"text":"', { id: 'call_1', type: 'function' })),
    ...Array.from({ length: pieces }, () => chunk(call('sixteen letters!'))),
    chunk(call('"}')),
    chunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ]
}

const wires = ['chat', 'messages', 'responses'] as const
const pairs = wires.flatMap(to => wires.map(from => [to, from] as const))

test.each(pairs)(
  'The work of streaming long arguments from %s to %s is linear in their length.',
  (to, from) => {
    const work = (pieces: number): number => {
      const source = createExchange({ from: to, to: 'chat' }).stream()
      const chunks = [...chatStream(pieces).map(piece => source.push(piece)), source.end()]
      return countWork(() => {
        const stream = createExchange({ from, to }).stream()
        for (const chunk of chunks) stream.push(chunk)
        stream.end()
      })
    }
    expect(work(20_000) / work(2_000)).toBeLessThan(10.5)
  },
)

test.each(['chat', 'messages'] as const)(
  'Many calls in a row become one turn on %s, and each part is copied once.',
  to => {
    const calls = (count: number): object => ({
      model: 'm',
      input: Array.from({ length: count }, (_, i) => [
        { type: 'function_call', call_id: `c${i}`, name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: `c${i}`, output: 'r' },
      ])
        .flat()
        .sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0)),
    })
    const { value } = createExchange({ from: 'responses', to }).request(calls(5_000))
    const [assistant] = value.messages as { tool_calls?: unknown[]; content?: unknown[] }[]
    expect((assistant?.tool_calls ?? assistant?.content)?.length).toBe(5_000)
    const work = (count: number): number =>
      countWork(() => createExchange({ from: 'responses', to }).request(calls(count)))
    expect(work(5_000) / work(500)).toBeLessThan(10.5)
  },
)

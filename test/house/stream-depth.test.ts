/**
 * The path of a repeated text delta, from the transport's chunk to the sink, is short: few of our functions are on the
 * stack at any time, and none of them calls back into a file that has called it.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../packages/toolwire/src/gateway/create-gateway.ts'
import type { Receiver, Transport } from '../../packages/toolwire/src/gateway/http/contract.ts'

const maxFrames = 12

const wires: readonly Wire[] = ['chat', 'responses', 'messages']
const pairs = wires.flatMap(from => wires.map(to => ({ from, to })))

const requests: { readonly [W in Wire]: { readonly path: string; readonly body: object } } = {
  chat: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }] } },
  responses: { path: '/v1/responses', body: { input: 'Hi', store: false } },
  messages: { path: '/v1/messages', body: { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] } },
}

const named = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** The beginning of a stream, and its deltas by their text. */
const streams: { readonly [W in Wire]: { readonly opening: string; delta(text: string): string } } = {
  chat: {
    opening: '',
    delta: content => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`,
  },
  responses: {
    opening: [
      { type: 'response.created', response: { id: 'r', model: 'm', status: 'in_progress', output: [] } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { id: 'i', type: 'message', content: [] },
      },
    ]
      .map(named)
      .join(''),
    delta: delta =>
      named({ type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta }),
  },
  messages: {
    opening: [
      { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ]
      .map(named)
      .join(''),
    delta: text => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  },
}

/** Our frames of the present stack, outermost first, as `file function`. */
function ownFrames(): string[] {
  const frames = (new Error().stack ?? '')
    .split('\n')
    .filter(line => line.includes('/packages/') && !line.includes(listHelpers))
  return frames.map(line => line.trim()).reverse()
}

function fileOf(frame: string): string {
  return /packages\/[^:]+/.exec(frame)?.[0] ?? frame
}

/** Maps over lists are like those of the language: not places that a reader has to follow. */
const listHelpers = 'convert/shared/shared-lists.ts'

/** Runs the work while the built-in functions that our code calls record the stack. */
async function recordStacks(work: () => Promise<void>): Promise<string[][]> {
  const stacks: string[][] = []
  const limit = Error.stackTraceLimit
  const restore: (() => void)[] = []
  let isRecording = false
  const probe = (holder: object, name: string): void => {
    const original: unknown = Reflect.get(holder, name)
    if (typeof original !== 'function') throw new Error(`No function "${name}".`)
    const probed = function (this: unknown, ...args: unknown[]): unknown {
      if (!isRecording) {
        isRecording = true
        stacks.push(ownFrames())
        isRecording = false
      }
      return Reflect.apply(original, this, args)
    }
    Reflect.set(holder, name, probed)
    restore.push(() => void Reflect.set(holder, name, original))
  }
  Error.stackTraceLimit = 100
  for (const name of ['slice', 'indexOf', 'charCodeAt']) probe(String.prototype, name)
  for (const name of ['get', 'set']) probe(Map.prototype, name)
  probe(Array.prototype, 'push')
  probe(RegExp.prototype, 'test')
  probe(TextDecoder.prototype, 'decode')
  try {
    await work()
  } finally {
    for (const undo of restore) undo()
    Error.stackTraceLimit = limit
  }
  return stacks.filter(stack => stack.length > 0)
}

async function deltaStacks(from: Wire, to: Wire): Promise<{ stacks: string[][]; text: string }> {
  let receiver: Receiver | undefined
  const transport: Transport = (_, received) => {
    receiver = received
    received.head(200, { 'content-type': 'text/event-stream' })
    return { pause() {}, resume() {}, abort() {} }
  }
  const gateway = createGateway({ upstreams: [{ name: 'up', wire: to, baseUrl: 'http://up', transport }] })
  const written: string[] = []
  const atSink: string[][] = []
  const sink = {
    head() {},
    write(chunk: string | Uint8Array) {
      atSink.push(ownFrames())
      written.push(String(chunk))
      return true
    },
    end() {},
    onDrain() {},
  }
  const { path, body } = requests[from]
  const bytes = new TextEncoder().encode(JSON.stringify({ model: 'm', stream: true, ...body }))
  const abort = new AbortController()
  const done = gateway.handle(
    {
      method: 'POST',
      target: path,
      headers: { 'content-type': 'application/json', host: 'localhost' },
      signal: abort.signal,
      body: async () => bytes,
    },
    sink,
  )
  const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
  const send = async (text: string): Promise<void> => {
    receiver?.data(new TextEncoder().encode(text))
    await settle()
  }
  await settle()
  const { opening, delta } = streams[to]
  await send(opening + delta('a'))
  await send(delta('b'))
  written.length = 0
  atSink.length = 0
  const stacks = await recordStacks(() => send(delta('repeated')))
  const text = written.join('')
  abort.abort()
  await done
  await gateway.close()
  return { stacks: [...stacks, ...atSink], text }
}

describe.each(pairs)('a delta from $to to $from', ({ from, to }) => {
  test('A repeated delta passes through few functions, and each file is entered once.', async () => {
    const { stacks, text } = await deltaStacks(from, to)
    expect(text).toContain('repeated')
    const deepest = stacks.reduce((a, b) => (b.length > a.length ? b : a), [])
    expect(deepest.length, deepest.join('\n')).toBeLessThanOrEqual(maxFrames)
    // A file that has called another one is not entered again from there.
    for (const stack of stacks) {
      const files = stack.map(fileOf).filter((file, i, all) => file !== all[i - 1])
      expect(new Set(files).size, stack.join('\n')).toBe(files.length)
    }
  })
})

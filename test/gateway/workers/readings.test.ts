/** What the inspector asks for and takes long is done by a worker thread, with the same result. */
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTraceRing } from '../../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { answerOf, bodyFor, paths } from '../../support/faults/wires.ts'
import { buildWorkerFile } from '../../support/gateway/worker-file.ts'
import { closeAfterEach } from '../../support/house/close-after-each.ts'

/** The jobs that threads are given. */
const jobs: string[] = []
const { postMessage } = Worker.prototype
beforeAll(() => {
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message, transfer) {
    jobs.push((message as { readonly job?: string }).job ?? '')
    postMessage.call(this, message, transfer)
  })
})
afterAll(() => void vi.restoreAllMocks())

const closing = closeAfterEach()
let workerFile: URL

beforeAll(async () => {
  workerFile = await buildWorkerFile()
})

const messages = Array.from({ length: 3_000 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `word ${index}`,
}))
const request = { ...bodyFor('chat'), messages }

async function answersOf(
  workers: number,
  sent: object = request,
): Promise<{ readonly reading: object; readonly diff: object }> {
  const traces = createTraceRing()
  const whole = await answerOf('chat')
  const { gateway } = createHarness({
    traces,
    observer: traces,
    workerFile,
    limits: { workers },
    newId: prefix => `${prefix}new`,
    answer: asked => asked.json(200, whole),
  })
  closing.push(() => gateway.close())
  const ask = async (target: string, body?: object): Promise<object> => {
    const client = sendTo(gateway, target, body === undefined ? { method: 'GET' } : { body })
    await client.done
    expect(client.status, client.text.slice(0, 300)).toBe(200)
    return client.json() as object
  }
  await ask(paths.chat, sent)
  const { reading } = (await ask('/toolwire/traces/req_new/reading')) as { reading: object }
  return { reading, diff: await ask('/toolwire/diff', { value: sent, from: 'chat' }) }
}

test('A long trace is read, and a long request compared, off the event loop, with the same result.', async () => {
  const onLoop = await answersOf(0)
  expect(jobs).toEqual([])
  const there = await answersOf(1)
  expect(jobs).toEqual(expect.arrayContaining(['readTrace', 'compareWires']))
  expect(there.diff).toEqual(onLoop.diff)
  expect(Object.keys(there.reading)).toEqual(Object.keys(onLoop.reading))
  expect(JSON.stringify(there.reading).length).toBeGreaterThan(100_000)
})

test('A trace of few values and long texts is read off the event loop too.', async () => {
  jobs.length = 0
  const text = 'word '.repeat(180_000)
  await answersOf(1, { ...bodyFor('chat'), messages: [{ role: 'user', content: text }] })
  expect(jobs).toContain('readTrace')
})

test('A stream of thousands of events is read as what was said, with and without threads.', async () => {
  const words = Array.from({ length: 3_000 }, (_, i) => `w${i} `)
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, ...choice }] })}\n\n`
  const frames = [
    ...words.map(content => chunk({ delta: { content }, finish_reason: null })),
    chunk({ delta: {}, finish_reason: 'stop' }),
    'data: [DONE]\n\n',
  ]
  for (const workers of [0, 1]) {
    const traces = createTraceRing()
    const { gateway } = createHarness({
      traces,
      observer: traces,
      workerFile,
      limits: { workers },
      newId: prefix => `${prefix}new`,
      answer: asked => asked.stream().data(frames.join('')).end(),
    })
    closing.push(() => gateway.close())
    await sendTo(gateway, paths.chat, { body: { ...bodyFor('chat'), stream: true } }).done
    const client = sendTo(gateway, '/toolwire/traces/req_new/reading', { method: 'GET' })
    await client.done
    const { reading } = client.json() as { reading: { conversation: object; context?: object } }
    expect(reading.conversation).toMatchObject({
      answer: [{ who: 'assistant', text: words.join('') }],
      unread: [],
    })
    expect(reading.context).toBeDefined()
  }
})

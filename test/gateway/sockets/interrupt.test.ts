/** A client that interrupts a response: what was complete stays, what was being written goes, and the next continues it. */
import { setImmediate as nextTask } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createMemoryStore } from '../../../packages/toolwire/src/store/memory-store.ts'
import { startOfTime } from '../../support/faults/clock.ts'
import type { Harness, HarnessOptions } from '../../support/faults/harness.ts'
import { createHarness } from '../../support/faults/harness.ts'
import type { PendingRequest } from '../../support/faults/upstream.ts'
import { framesOf, textTurn, wires } from '../../support/faults/wires.ts'
import type { Message, TestSocket } from '../../support/gateway/socket.ts'
import { openTestSocket } from '../../support/gateway/socket.ts'

const create = (more: object = {}): object => ({
  type: 'response.create',
  model: 'm',
  input: 'Hello',
  store: false,
  ...more,
})

interface Stage extends Harness {
  readonly socket: TestSocket
}

async function open(options: HarnessOptions = {}): Promise<Stage> {
  const harness = createHarness(options)
  return { ...harness, socket: await openTestSocket(harness.gateway) }
}

async function settle({ clock }: Pick<Stage, 'clock'>): Promise<void> {
  await clock.settle()
  await nextTask()
}

function expectNothingLeft({ gateway, clock }: Stage): void {
  expect([gateway.active, gateway.sockets, gateway.memoryUsed, clock.timers]).toEqual([0, 0, 0, 0])
}

/** As Codex sends it. */
const interrupt = (id: unknown): object => ({
  type: 'response.interrupt',
  response_id: id,
  mode: 'discard_partial_items',
})

const idOf = async ({ socket }: Stage): Promise<unknown> => {
  const { response } = await socket.first(({ type }) => type === 'response.created')
  return (response as Message).id
}

/** The text is complete, and the call that follows it has begun. */
async function writeHalf(stage: Stage, asked: PendingRequest, frames: readonly string[]): Promise<void> {
  asked.stream()
  for (const frame of frames) {
    asked.data(frame)
    await settle(stage)
    const begun = stage.socket.received.filter(({ type }) => type === 'response.output_item.added')
    if (begun.length === 2) return
  }
  throw new Error('There is no second item.')
}

function streamAll(asked: PendingRequest, frames: readonly string[]): void {
  asked.stream()
  for (const frame of frames) asked.data(frame)
  asked.end()
}

describe.each(wires)('over an upstream on %s', wire => {
  test('An interrupted response ends as incomplete without its partial item, and is continued.', async () => {
    const stage = await open({ wire })
    const { socket, upstream } = stage
    socket.send(create())
    const asked = await upstream.next()
    await writeHalf(stage, asked, await framesOf(wire))
    const id = await idOf(stage)
    const before = socket.received.length
    socket.send(interrupt(id))
    const messages = (await socket.response()).slice(before)
    const partial = socket.received.findLast(({ type }) => type === 'response.output_item.added')
    const { id: item_id } = (partial?.item ?? {}) as Message
    expect(messages).toMatchObject([
      // The text before it may be closed only now, if the upstream told no end of it.
      ...messages.filter(({ type }) =>
        /^response.(output_text|content_part|output_item).done$/.test(String(type)),
      ),
      { type: 'response.interrupt.accepted', response_id: id },
      { type: 'response.output_item.interrupted', response_id: id, item_id, output_index: 1 },
      {
        type: 'response.incomplete',
        response: {
          id,
          status: 'incomplete',
          incomplete_details: { reason: 'interrupted' },
          error: null,
          output: [{ type: 'message', content: [{ text: 'It rains in Oslo today.' }] }],
        },
      },
    ])
    const numbers = socket.received.map(({ sequence_number }) => sequence_number)
    expect(numbers).toEqual(numbers.map((_, index) => index))
    expect(asked.isAborted).toBe(true)
    await settle(stage)
    socket.send(create({ previous_response_id: id, input: 'And tomorrow?' }))
    const next = await upstream.next()
    const sent = JSON.stringify(next.body)
    expect(sent).toMatch(/Hello.*It rains in Oslo today\..*And tomorrow\?/)
    expect(sent).not.toContain('weather')
    streamAll(next, await framesOf(wire, textTurn))
    expect((await socket.response()).at(-1)).toMatchObject({ type: 'response.completed' })
    socket.disconnect()
    await settle(stage)
    expectNothingLeft(stage)
  })

  test('A response that is interrupted at once is continued with nothing of it.', async () => {
    const frames = await framesOf(wire)
    const stage = await open({ wire })
    const { socket, upstream } = stage
    socket.send(create({ stream_id: 'a' }))
    const asked = await upstream.next()
    asked.stream().data(frames[0] ?? '')
    const id = await idOf(stage)
    socket.send({ ...interrupt(id), stream_id: 'a' })
    const messages = await socket.response()
    expect(messages.slice(-2)).toMatchObject([
      { type: 'response.interrupt.accepted', response_id: id, stream_id: 'a' },
      { type: 'response.incomplete', stream_id: 'a', response: { output: [] } },
    ])
    await settle(stage)
    socket.send(create({ previous_response_id: id, input: 'Go on.', stream_id: 'a' }))
    expect(JSON.stringify((await upstream.next()).body)).toMatch(/Hello.*Go on\./)
    socket.disconnect()
    await settle(stage)
    expectNothingLeft(stage)
  })
})

test('An interrupted response that is stored is continued from the store.', async () => {
  const stage = await open({ store: createMemoryStore({ now: () => startOfTime }) })
  stage.socket.send(create({ store: true }))
  await writeHalf(stage, await stage.upstream.next(), await framesOf('chat'))
  const id = await idOf(stage)
  stage.socket.send(interrupt(id))
  await stage.socket.response()
  const another = await openTestSocket(stage.gateway)
  another.send(create({ store: true, previous_response_id: id, input: 'And tomorrow?' }))
  const sent = JSON.stringify((await stage.upstream.next()).body)
  expect(sent).toMatch(/Hello.*It rains in Oslo today\..*And tomorrow\?/)
  stage.socket.disconnect()
  another.disconnect()
  await settle(stage)
  expectNothingLeft(stage)
})

test('A response that only the upstream could continue fails when it is interrupted.', async () => {
  const frames = await framesOf('responses')
  const stage = await open({ wire: 'responses' })
  stage.socket.send(create({ store: true }))
  const asked = await stage.upstream.next()
  asked.stream().data(frames[0] ?? '')
  stage.socket.send(interrupt(await idOf(stage)))
  const failed = await stage.socket.first(({ type }) => type === 'response.failed')
  expect(failed.response).toMatchObject({ error: { code: 'response_interrupted' } })
  expect(asked.isAborted).toBe(true)
  stage.socket.disconnect()
  await settle(stage)
  expectNothingLeft(stage)
})

test('A response is interrupted by its id, wherever the upstream writes that in it.', async () => {
  const [first = ''] = await framesOf('responses')
  const data = JSON.parse(first.slice(first.indexOf('data: ') + 6)) as { response: Message }
  const sorted = Object.fromEntries(Object.entries(data.response).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const stage = await open({ wire: 'responses' })
  stage.socket.send(create({ store: true }))
  const asked = await stage.upstream.next()
  asked.stream().data(`event: response.created\ndata: ${JSON.stringify({ ...data, response: sorted })}\n\n`)
  stage.socket.send(interrupt(await idOf(stage)))
  const failed = await stage.socket.first(({ type }) => /failed$/.test(String(type)))
  expect(failed).toMatchObject({ type: 'response.failed' })
  expect(asked.isAborted).toBe(true)
})

test('The next response on the lane begins after an interrupted one.', async () => {
  const frames = await framesOf('chat')
  const stage = await open()
  stage.socket.send(create())
  stage.socket.send(create())
  const asked = await stage.upstream.next()
  asked.stream().data(frames[0] ?? '')
  await idOf(stage)
  stage.socket.send({ type: 'response.interrupt' })
  expect((await stage.socket.response()).at(-1)).toMatchObject({ type: 'response.incomplete' })
  streamAll(await stage.upstream.next(), frames)
  expect((await stage.socket.response()).at(-1)).toMatchObject({ type: 'response.completed' })
  stage.socket.disconnect()
  await settle(stage)
  expectNothingLeft(stage)
})

test('An interrupt that comes too late, or for another response, ends nothing and looks like no failure of one.', async () => {
  const frames = await framesOf('chat')
  const stage = await open()
  const { socket } = stage
  socket.send(interrupt('resp_gone'))
  socket.send(create())
  const asked = await stage.upstream.next()
  asked.stream().data(frames[0] ?? '')
  await idOf(stage)
  socket.send(interrupt('resp_another'))
  const refused = socket.received.filter(({ type }) => type === 'response.interrupt.failed')
  const message = "Response 'resp_another' is not being written on this lane."
  expect(refused).toMatchObject([
    { response_id: 'resp_gone', error: { code: 'response_not_active' } },
    { response_id: 'resp_another', error: { code: 'response_not_active', message } },
  ])
  // Clients take it for the end of their response, whichever that is.
  expect(socket.received.filter(({ type }) => type === 'error')).toEqual([])
  for (const frame of frames.slice(1)) asked.data(frame)
  asked.end()
  await socket.first(({ type }) => type === 'response.completed')
  socket.disconnect()
  await settle(stage)
  expectNothingLeft(stage)
})

test('An interrupt while the end of the response is being stored is refused, and the response is complete.', async () => {
  const store = createMemoryStore({ now: () => startOfTime })
  let release = (): void => {}
  const saved = new Promise<void>(resolve => {
    release = resolve
  })
  const save = store.saveResponse.bind(store)
  store.saveResponse = async record => {
    await saved
    return save(record)
  }
  const stage = await open({ store })
  stage.socket.send(create({ store: true }))
  const asked = await stage.upstream.next()
  const [first = '', ...rest] = await framesOf('chat')
  asked.stream().data(first)
  const id = await idOf(stage)
  for (const frame of rest) asked.data(frame)
  asked.end()
  await settle(stage)
  stage.socket.send(interrupt(id))
  await settle(stage)
  release()
  const refused = await stage.socket.first(({ type }) => type === 'response.interrupt.failed')
  expect(refused).toMatchObject({ response_id: id, error: { code: 'response_not_active' } })
  expect(stage.socket.received.at(-2)).toMatchObject({ type: 'response.completed', response: { id } })
  stage.socket.disconnect()
  await settle(stage)
  expectNothingLeft(stage)
})

/** The event loop looks into no body that a worker thread is to read. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { createGateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { UpgradeOptions } from '../../../packages/toolwire/src/gateway/http/contract.ts'
import { createHarness } from '../../support/faults/harness.ts'
import { sendTo } from '../../support/faults/request.ts'
import { createFakeUpstream } from '../../support/faults/upstream.ts'
import { answerOf, bodyFor, framesOf, paths, textTurn, wires } from '../../support/faults/wires.ts'
import { type Message, openTestSocket } from '../../support/gateway/socket.ts'
import { buildWorkerFile } from '../../support/gateway/worker-file.ts'

const workerFile = await buildWorkerFile()
const whole = await answerOf('chat')
const frames = (await framesOf('chat', textTurn)).join('')
const inlineBytes = 10_000
const ask = 'Make the conversation compact. data:image/png;base64,AAAA '
const long = ask.repeat(1_000)

/** How long the longest of the bytes is that are searched or made a text of. */
function watchSearches(): () => number {
  let longest = 0
  const note = (bytes: Uint8Array): void => {
    longest = Math.max(longest, bytes.length)
  }
  for (const name of ['indexOf', 'lastIndexOf', 'toString'] as const) {
    const original = Buffer.prototype[name] as (...given: unknown[]) => unknown
    vi.spyOn(Buffer.prototype, name).mockImplementation(function (this: Buffer, ...given: unknown[]) {
      // What was sent to the upstream is looked into by the test itself.
      if (given[0] !== 'utf8' && given[0] !== undefined) note(this)
      return original.apply(this, given)
    })
  }
  onTestFinished(() => void vi.restoreAllMocks())
  return () => longest
}

test.each(wires)(
  'With several upstreams, and limits of tokens, a long body of the %s wire is not searched here.',
  async wire => {
    const asked: unknown[] = []
    const gateway = createGateway({
      upstreams: ['one', 'two'].map(name => ({
        name,
        wire: 'chat',
        baseUrl: `http://${name}.test/v1`,
        models: ['m'],
        order: 1,
        transport: createFakeUpstream(request => {
          asked.push(request.body)
          request.json(200, whole)
        }).transport,
      })),
      tenants: [{ name: 'ann', key: 'a', tokensPerDay: 1e9 }],
      limits: { inlineBytes, workers: 1 },
      workerFile,
    })
    onTestFinished(() => gateway.close())
    const longest = watchSearches()
    const history = [{ role: 'user', content: long }]
    const body = {
      ...bodyFor(wire),
      model: 'm',
      ...(wire === 'responses' ? { input: history } : { messages: history }),
    }
    const client = sendTo(gateway, paths[wire], { body, headers: { 'x-api-key': 'a' } })
    await client.done
    expect(client.status).toBe(200)
    expect(asked).toHaveLength(1)
    expect(longest()).toBeLessThan(inlineBytes)
  },
)

test('A long message on a socket is read elsewhere; those that follow wait for it, and all is given back.', async () => {
  const asked: string[] = []
  const { gateway } = createHarness({
    limits: { inlineBytes, workers: 1 },
    workerFile,
    answer(request) {
      asked.push(JSON.stringify(request.body))
      request.stream().data(frames).end()
    },
  })
  onTestFinished(() => gateway.close())
  const socket = await openTestSocket(gateway)
  const create = (input: string, more: object = {}): object => ({
    type: 'response.create',
    model: 'm',
    store: false,
    input,
    ...more,
  })
  const longest = watchSearches()
  socket.send(create(`first ${long}`))
  socket.send(create('second'))
  await socket.response()
  await socket.response()
  expect(asked.map(text => /first|second/.exec(text)?.[0])).toEqual(['first', 'second'])
  expect(longest()).toBeLessThan(inlineBytes)

  socket.send(`{"stream_id":"mine","type":"response.create","type":"x","input":"${long}"}`)
  const isMine = (message: Message): boolean => message.stream_id === 'mine'
  expect(await socket.first(isMine)).toMatchObject({ type: 'error', error: { code: 'invalid_message' } })

  socket.send(create(long))
  socket.disconnect()
  await vi.waitFor(() => expect([gateway.active, gateway.sockets, gateway.memoryUsed]).toEqual([0, 0, 0]))
})

test('A message on a socket may be as long as a body, and no longer than what is put together in one turn.', async () => {
  const mebi = 1024 * 1024
  const taken: number[] = []
  for (const bodyBytes of [mebi, 64 * mebi]) {
    const { gateway } = createHarness({ limits: { bodyBytes } })
    const signal = new AbortController().signal
    const headers = { host: 'localhost', upgrade: 'websocket', connection: 'Upgrade' }
    const body = async (): Promise<Uint8Array> => new Uint8Array()
    const upgrade = async ({ messageBytes, listener }: UpgradeOptions): Promise<void> => {
      taken.push(messageBytes)
      listener.closed()
    }
    const sink = { head: () => {}, write: () => true, end: () => {}, onDrain: () => {} }
    await gateway.handle({ method: 'GET', target: '/v1/responses', headers, signal, body, upgrade }, sink)
  }
  expect(taken).toEqual([mebi, 32 * mebi])
})

/** What a worker thread runs: it answers one message after the other, with bytes that are transferred. */
import { parentPort, workerData } from 'node:worker_threads'
import { readTraced } from '../../reading/read-traced.ts'
import { asGatewayError } from '../errors.ts'
import { onEveryWire } from '../inspector/on-wires.ts'
import { shownItems } from '../responses-api/shown-items.ts'
import { readMessage } from '../sockets/message.ts'
import { GivenTexts } from './given-texts.ts'
import { convertLargeAnswer } from './large-answer.ts'
import { extendRequest, LargeRequest } from './large-request.ts'
import { ownBytes } from './plain-data.ts'
import type { JobFailure, Jobs, MessageJob, ReadMessage, Reply, WorkerMessage } from './protocol.ts'
import { findWire, importWires, wireNamed } from './worker-wires.ts'

/** The request that is being worked on. A worker has one at a time. */
let request: LargeRequest | undefined
let given = new GivenTexts()

const jobs: Jobs = {
  read(job) {
    request = new LargeRequest(job, given)
    return request.read()
  },
  sentCallIds: state => opened().sentCallIds(state),
  convert: job => opened().convert(job),
  takeTexts: () => given.take(),
  takeBytes: () => ({ bytes: opened().bytes }),
  copyBytes: () => ({ bytes: opened().bytes.slice() }),
  rewrite: job => opened().rewrite(job),
  count: job => opened().count(job),
  readMessage: readLongMessage,
  answer: job => convertLargeAnswer(job, given),
  extend: extendRequest,
  give: job => given.add(job),
  showItems: ({ hasMore }) => written(shownItems(given.of('items'), hasMore)),
  readTrace: traced => written({ trace: traced.trace, reading: readTraced(traced, { find: findWire }) }),
  compareWires: ({ from, wires, ...compared }) =>
    written(onEveryWire(compared, wireNamed(from), wires.map(wireNamed))),
  release() {
    request = undefined
    given = new GivenTexts()
  },
}

async function readLongMessage({ bytes, limits }: MessageJob): Promise<ReadMessage> {
  let lane: string | undefined
  try {
    const { body, ...message } = readMessage(bytes, limits, name => {
      lane = name
    })
    return { bytes: await ownBytes(body(), false), lane, message }
  } catch (thrown) {
    return { bytes: new Uint8Array(), lane, failure: failureIn(thrown) }
  }
}

function failureIn(thrown: unknown): JobFailure {
  const { kind, message, code, param, status, cause } = asGatewayError(thrown)
  const because = cause instanceof Error ? (cause.stack ?? cause.message) : undefined
  return { kind, message, code, param, status, cause: because }
}

function written(value: unknown): { readonly bytes: Uint8Array } {
  return { bytes: new TextEncoder().encode(JSON.stringify(value)) }
}

function opened(): LargeRequest {
  if (request === undefined) throw new TypeError('No request has been read.')
  return request
}

// Messages wait until there is a listener.
await importWires(workerData?.wireModules ?? [])
parentPort?.on('message', ({ job, data }: WorkerMessage) => {
  void answer(job, data)
})

async function answer(job: keyof Jobs, data: never): Promise<void> {
  const { reply, transfer } = await run(job, data)
  parentPort?.postMessage(reply, transfer)
}

async function run(job: keyof Jobs, data: never): Promise<{ reply: Reply; transfer: ArrayBuffer[] }> {
  try {
    const value: unknown = await jobs[job](data)
    return { reply: { value }, transfer: bytesIn(value) }
  } catch (thrown) {
    return { reply: { error: failureIn(thrown) }, transfer: [] }
  }
}

function bytesIn(value: unknown): ArrayBuffer[] {
  const bytes = typeof value === 'object' && value !== null && 'bytes' in value ? value.bytes : undefined
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}

/** What a worker thread runs: it answers one message after the other, with bytes that are transferred. */
import { parentPort, workerData } from 'node:worker_threads'
import { asGatewayError } from '../errors.ts'
import { convertLargeAnswer } from './large-answer.ts'
import { extendRequest, LargeRequest } from './large-request.ts'
import type { Jobs, Reply, WorkerMessage } from './protocol.ts'
import { importWires } from './worker-wires.ts'

/** The request that is being worked on. A worker has one at a time. */
let request: LargeRequest | undefined

const jobs: Jobs = {
  read(job) {
    request = new LargeRequest(job)
    return request.read()
  },
  sentCallIds: state => opened().sentCallIds(state),
  convert: job => opened().convert(job),
  takeInput: from => opened().takeInput(from),
  takeBytes: () => ({ bytes: opened().bytes }),
  rewrite: job => opened().rewrite(job),
  count: job => opened().count(job),
  answer: convertLargeAnswer,
  extend: extendRequest,
  release() {
    request = undefined
  },
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
    const { kind, message, code, param, status, cause } = asGatewayError(thrown)
    const because = cause instanceof Error ? (cause.stack ?? cause.message) : undefined
    return { reply: { error: { kind, message, code, param, status, cause: because } }, transfer: [] }
  }
}

function bytesIn(value: unknown): ArrayBuffer[] {
  const bytes = typeof value === 'object' && value !== null && 'bytes' in value ? value.bytes : undefined
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}
